// A workload: the multicasts that a network is asked to carry, in start order, made one at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "multicast/request.hpp"
#include "multicast/workload/arrivals.hpp"
#include "multicast/workload/pattern.hpp"
#include "topology/random.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Multicasts whose start does not depend on chance: `count` of them, `interval_cycles` apart.
struct ClosedArrivals {
  std::uint64_t count = 1;
  std::uint64_t interval_cycles = 0;
};

/// A part of a workload that another machine may make: the `index`-th of `count` runs of consecutive
/// multicasts, as long as each other up to one.
struct Shard {
  std::uint64_t index = 1;  ///< in [1, count]
  std::uint64_t count = 1;
};
/// "3/8"; throws InputError on --shard.
Shard parse_shard(std::string_view text);

/// In each of `cycles` cycles each source starts a multicast with probability rate / length_flits.
struct OpenArrivals {
  std::string
      rate;  ///< decimal, flits/node/cycle; a multicast counts its flits once, however many destinations
  std::uint64_t cycles = 0;
  std::string
      burst{};  ///< ON:OFF, mean cycles; while a source is on it starts more, so that `rate` is the mean
};

/// The probability of a start in a cycle: `rate` flits a cycle, in messages of so many. Throws InputError on
/// `--rate`.
Fraction start_probability(const Fraction& rate, std::uint64_t length_flits);

/// Everything that shapes a workload, independent of the topology.
struct WorkloadSpec {
  std::uint64_t seed = 1;
  std::string pattern = "uniform";
  PatternOptions options;
  std::vector<std::string> sources;  ///< numbers or coordinates; empty = every node
  std::uint64_t length_flits = 32;   ///< in [1, 2^53)
  bool length_stated = false;        ///< by the user
  std::uint64_t start_cycle = 0;     ///< of the first multicast, or of the open window
  ClosedArrivals closed;
  std::optional<Shard> shard;        ///< of `closed`; its multicasts are those of the whole, ids too
  std::optional<OpenArrivals> open;  ///< in place of `closed`
  /// Width of a flit, which the multicasts state (plans then count headers); 0: none; empty: the pattern's.
  std::optional<std::uint32_t> flit_bits;
};

/// The entry of a request's `workload` that states the width of its flits in bits.
inline constexpr std::string_view workload_flit_bits = "flit-bits";

/// Makes the multicasts of a spec on one topology, which must outlive it.
///
/// Each decision has a random stream of its own, so that nothing else that is drawn can change it:
/// - closed, multicast i: its source from stream (seed, "sources", i), uniform over the sources that
///   send under the pattern, in node order; its destinations from (seed, "destinations", i);
/// - open: node n tries once a cycle, with the numbers of stream (seed, "arrivals", n) in order; a
///   multicast of cycle c (from the window's start) draws its destinations from
///   (seed, "destinations", c·nodes + n). A greater rate keeps every multicast of a smaller one. Bursts of
///   node n are from (seed, "bursts", n).
/// Where a start brings a group of multicasts, all of them draw from that one stream, and ids count them.
class Workload {
 public:
  /// Throws InputError for whatever cannot be.
  Workload(const WorkloadSpec& spec, const Topology& topology);

  /// The next multicast by (start, source), ids 0, 1, 2, … (those of a shard); nothing after the last.
  std::optional<Request> next();

 private:
  void choose_sources(const std::vector<std::string>& texts);
  void start_closed();
  void start_open();
  /// What the record says about how it was made: pattern, options and rate as given, seed.
  void describe();
  void refuse_for_groups(const PatternEntry& entry) const;
  Request make(HostId source, std::uint64_t index, Cycle start);
  Request make_member();

  const Topology* topology_;
  std::unique_ptr<const DestinationPattern> pattern_;
  WorkloadSpec spec_;
  std::vector<HostId> sources_;  ///< that send, ascending
  RandomStreams source_streams_;
  RandomStreams destination_streams_;
  std::uint64_t made_ = 0;     ///< the next id
  std::uint64_t started_ = 0;  ///< closed: starts so far, of shards before this one too
  std::uint64_t end_ = 0;      ///< closed: the start after the last
  // What is left of the group that started last.
  std::vector<GroupMember> group_;
  std::size_t next_member_ = 0;
  std::uint64_t group_id_ = 0;  ///< of its first member
  Cycle group_start_ = 0;
  NamedValues description_;
  SharedValues shared_description_;   ///< the same, for requests
  std::optional<Arrivals> arrivals_;  ///< open ones; sources as in sources_
};

}  // namespace wormcast
