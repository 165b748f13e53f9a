// Reachability strings: which hosts lie behind each link downwards.
//
// A host may be reached through several links downwards of one switch, and in most cases is. A copy
// through each would deliver it twice, so every switch gives each switch below it to exactly one
// link: on a shortest way down, the lowest (far end, port). The strings of one switch are then
// disjoint, and with its own hosts their union is its reach. If two switches below u are reached
// through the same switch a, they are reached through the same link of u: a shortest way to either
// begins with a shortest way to a, so both have the same choices. Copies that part never meet again.
// Cost: O(switches² · ports) and N bits a string. cite: Sivaram, Panda, Stunkel 1997, section 5; the
// disjoint choice: this project.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/reachability.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace wormcast {

bool HostString::empty() const {
  return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
}

bool HostString::within(std::span<const std::uint64_t> others) const {
  for (std::size_t i = 0; i < words_.size(); ++i)
    if ((words_[i] & ~others[i]) != 0) return false;
  return true;
}

HostString HostString::operator&(std::span<const std::uint64_t> others) const {
  HostString both = *this;
  for (std::size_t i = 0; i < words_.size(); ++i) both.words_[i] &= others[i];
  return both;
}

void HostString::remove(std::span<const std::uint64_t> others) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~others[i];
}

ReachabilityStrings::ReachabilityStrings(const UpDownSetup& setup)
    : setup_(&setup), words_((setup.topology().hosts() + 63) / 64) {
  const Topology& network = setup.topology();
  const std::uint32_t switches = network.routers();
  for (std::uint32_t h = 0; h < network.hosts(); ++h) hosts_.push_back(HostId{h});
  std::stable_sort(hosts_.begin(), hosts_.end(),
                   [&](HostId a, HostId b) { return network.router_of(a) < network.router_of(b); });
  first_host_.assign(switches + 1, 0);
  for (const HostId host : hosts_) ++first_host_[network.router_of(host).value + 1];
  std::partial_sum(first_host_.begin(), first_host_.end(), first_host_.begin());

  // The link that each switch gives to each one below it, and from these the links that are used.
  std::vector<std::pair<const Arc*, std::uint32_t>> given;  // link, switch below; in the order of links
  std::vector<std::vector<std::uint32_t>> below;
  first_.push_back(0);
  for (std::uint32_t s = 0; s < switches; ++s) {
    given.clear();
    for (std::uint32_t t = 0; t < switches; ++t)
      if (t != s)
        if (const Arc* arc = setup.down_link(NodeId{s}, NodeId{t})) given.emplace_back(arc, t);
    std::sort(given.begin(), given.end());  // pointers into one array: its order
    for (const auto& [arc, t] : given) {
      if (down_.size() == first_.back() || down_.back().arc != arc) {
        down_.push_back({arc, {}});
        below.emplace_back();
      }
      below.back().push_back(t);
    }
    first_.push_back(static_cast<std::uint32_t>(down_.size()));
  }
  strings_.resize((switches + down_.size()) * words_);
  const auto add_hosts = [&](std::size_t index, NodeId node) {
    for (const HostId host : hosts(node))
      strings_[index * words_ + host.value / 64] |= std::uint64_t{1} << (host.value % 64);
  };
  for (std::uint32_t s = 0; s < switches; ++s) {
    add_hosts(s, NodeId{s});
    for (std::uint32_t i = first_[s]; i < first_[s + 1]; ++i) {
      for (const std::uint32_t t : below[i]) add_hosts(switches + i, NodeId{t});
      down_[i].hosts = string(switches + i);
      for (std::size_t w = 0; w < words_; ++w) strings_[s * words_ + w] |= down_[i].hosts[w];
    }
  }
}

std::string ReachabilityStrings::summary() const {
  std::uint64_t most = 0;
  std::uint64_t total = 0;
  const std::uint32_t switches = setup_->topology().routers();
  for (std::uint32_t s = 0; s < switches; ++s) {
    most = std::max(most, storage_bits(NodeId{s}));
    total += storage_bits(NodeId{s});
  }
  return "reachability strings of " + std::to_string(hosts_.size()) +
         " bits: " + std::to_string(switches + down_.size()) + " strings on " + std::to_string(switches) +
         " switches, " + std::to_string(most) + " bits on the fullest switch, " + std::to_string(total) +
         " bits in all";
}

}  // namespace wormcast
