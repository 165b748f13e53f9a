// Reachability strings of switches and the header logic of one-phase multicast that uses them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "multicast/planner.hpp"
#include "routing/up_down.hpp"

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
  std::span<const std::uint64_t> reach(NodeId node) const { return string(node.value); }
  /// Links downwards in the order of (far end, port), with their strings.
  std::span<const DownString> down(NodeId node) const {
    return {down_.data() + first_[node.value], down_.data() + first_[node.value + 1]};
  }
  std::span<const HostId> hosts(NodeId node) const {
    return {hosts_.data() + first_host_[node.value], hosts_.data() + first_host_[node.value + 1]};
  }

  /// Bits that a switch stores: one string for each used link downwards, and its own.
  std::uint64_t storage_bits(NodeId node) const { return (1 + down(node).size()) * hosts_.size(); }
  std::string summary() const override;

 private:
  std::span<const std::uint64_t> string(std::size_t index) const {
    return {strings_.data() + index * words_, words_};
  }

  const UpDownSetup* setup_;
  std::size_t words_;                   ///< of a string
  std::vector<std::uint64_t> strings_;  ///< reach of every switch, then the strings of the links
  std::vector<DownString> down_;
  std::vector<std::uint32_t> first_;  ///< of each switch in down_
  std::vector<HostId> hosts_;         ///< by switch
  std::vector<std::uint32_t> first_host_;
};

}  // namespace wormcast
