// Reachability strings of switches and the header logic of one-phase multicast that uses them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "multicast/planner.hpp"
#include "routing/up_down.hpp"
#include "topology/hosts_by_router.hpp"

namespace wormcast {

/// A header's destinations, or a set of hosts: bit h stands for host h.
class HostString {
 public:
  explicit HostString(std::uint32_t hosts) : words_((hosts + 63) / 64) {}
  explicit HostString(std::span<const std::uint64_t> words) : words_(words.begin(), words.end()) {}

  void set(HostId host) { words_[host.value / 64] |= std::uint64_t{1} << (host.value % 64); }
  bool test(HostId host) const { return (words_[host.value / 64] >> (host.value % 64) & 1u) != 0; }
  bool empty() const;
  /// True if every bit is set in `others` too.
  bool within(std::span<const std::uint64_t> others) const;
  HostString operator&(std::span<const std::uint64_t> others) const;
  /// Clears the bits that are set in `others`.
  void remove(std::span<const std::uint64_t> others);
  std::span<const std::uint64_t> words() const { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

/// A link downwards and the hosts whose copies take it.
struct DownString {
  const Arc* arc = nullptr;
  std::span<const std::uint64_t> hosts;
};

/// What the set-up stores at every switch: for each link downwards that is used a string of N bits,
/// the strings of one switch disjoint, and the string of all hosts at or below the switch.
class ReachabilityStrings final : public PlannerData {
 public:
  explicit ReachabilityStrings(const UpDownSetup& setup);

  const UpDownSetup& setup() const { return *setup_; }
  /// Hosts at or below `node`.
  std::span<const std::uint64_t> reach(NodeId node) const {
    return {reach_.data() + node.value * words_, words_};
  }
  /// The links downwards that are used, in the order of (far end, port): to each switch the lowest.
  std::vector<const Arc*> links(NodeId node) const;
  /// The same with their strings.
  std::span<const DownString> down(NodeId node) const;
  std::span<const HostId> hosts(NodeId node) const { return hosts_.at(node); }

  /// Bits that a switch stores: one string for each used link downwards, and its own.
  std::uint64_t storage_bits(NodeId node) const {
    return (1 + links(node).size()) * std::uint64_t{setup_->topology().hosts()};
  }
  std::string summary() const override;

 private:
  struct Strings {
    std::vector<std::uint64_t> words;  ///< of one link after the other
    std::vector<DownString> down;
    bool known = false;
  };

  const UpDownSetup* setup_;
  HostsByRouter hosts_;
  std::size_t words_;                  ///< of a string
  std::vector<std::uint64_t> reach_;   ///< of every switch
  mutable std::vector<Strings> down_;  ///< of every switch that was asked for its strings
};

}  // namespace wormcast
