// What routers of one kind do with a worm: a router is a discipline and numbers.
//
// A discipline is an entry of disciplines.def, in a file of its own. What moves worms, and what proves that
// they move, asks its facts (router_rules.hpp, where a number matters as well); nothing else reads the
// parameters that choose one.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "router/router_model.hpp"
#include "router/worm_route.hpp"

namespace wormcast {

struct Discipline {
  std::string_view name;
  std::string_view cite;
  /// The key of the router parameter that chooses it, and whether it does.
  std::string_view parameter{};
  bool (*chosen)(const RouterModel&) = nullptr;
  void (*choose)(RouterModel&) = nullptr;

  // Copies
  /// How its routers copy, whatever plans say; `unstated`: as those say.
  Copies copies = Copies::unstated;
  /// Of its routers' copies: whether a branch of a worm of so many flits that is blocked may hold up the
  /// others for good, where buffers have `slots`.
  bool (*branches_hold_up)(std::uint64_t flits, std::uint64_t slots) = nullptr;
  bool buffers_sources = false;  ///< a worm is read from a buffer at its source, as anywhere else
  /// A blocked worm of so many flits more than all buffers on its way leaves nothing behind it: its tail has
  /// not left the source by any branch.
  std::uint64_t beyond_buffers = 1;

  // Requests and grants
  bool grants_nodes = false;    ///< outputs of a lock-step node are granted in one cycle, or none is
  bool queues_jointly = false;  ///< its requests wait until then, each in the queue of its output
  bool locks_arbiters = false;  ///< a worm that waits for several outputs may keep others from theirs
  bool grants_ways = false;     ///< all on a worm's way is granted in one cycle; one that waits holds nothing
  bool chooses_vcs = false;     ///< the router allocates virtual channels, and its crossbar flit by flit
  bool joins = false;           ///< parts of reductions are joined by request: one header goes on for all

  // Slots
  /// Slots that the buffer behind an output must have for the header of a worm of so many flits: to enter the
  /// ring that it is one of, or to go on. nullptr: none.
  std::uint64_t (*slots)(std::uint64_t flits, bool enters_ring) = nullptr;
  /// The longest worm that ever finds them. nullptr: any does.
  std::uint64_t (*longest)(std::uint64_t slots) = nullptr;
  /// Worms in a ring never fill it if they are all as long; where false, of whatever length.
  bool rings_of_one_length = false;
  std::uint32_t registers = 0;  ///< flits beside the slots of a buffer, one that came without a gap each

  // Verdicts, and what other parameters may say
  /// What a blocked worm keeps does not follow from it alone: sets of worms have to be explored.
  bool explored = false;
  /// Keys of router parameters that have to be as usual, and why.
  std::array<std::string_view, 4> fixes{};
  std::string_view because{};
  bool reuses_early = false;   ///< buffers pass from worm to worm while flits stand in them: no other reuse
  bool judges_packets = true;  ///< under virtual cut-through, too
  std::string_view not_with_choices{};  ///< why it is not judged where routers choose the way; empty: it is
  /// Its rule that a verdict may rest on, as assumptions call it, and the discipline without it.
  std::string_view rule{};
  const Discipline* without = nullptr;

  /// In their own way, whatever plans say; consumption on the way is one more branch.
  bool routers_copy() const { return copies != Copies::unstated; }
  bool copies_flit_by_flit() const { return copies == Copies::per_flit; }
  bool copies_serially() const { return copies == Copies::serial; }
  /// Whether slots differ from worm to worm, so that one behind another may be granted first.
  bool slots_differ() const { return longest != nullptr; }
};

#define DISCIPLINE(entry) extern const Discipline discipline_##entry;
#include "router/disciplines.def"
#undef DISCIPLINE

/// All; the last is that of routers that no parameter says anything of.
std::span<const Discipline* const> disciplines();

}  // namespace wormcast
