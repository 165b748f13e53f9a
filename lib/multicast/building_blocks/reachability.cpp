// Reachability strings: which hosts lie behind each link downwards.
//
// A host may be reached through several links downwards of one switch, and in most cases is. A copy
// through each would deliver it twice, so every switch gives each switch below it to exactly one
// link: on a shortest way down, the lowest (far end, port). The strings of one switch are then
// disjoint, and with its own hosts their union is its reach. If two switches below u are reached
// through the same switch a, they are reached through the same link of u: a shortest way to either
// begins with a shortest way to a, so both have the same choices. Copies that part never meet again.
// Cost: O(links · N / 64) for the reach of all switches, O(links) for the strings of one, when they are asked
// for; N bits a string. cite: Sivaram, Panda, Stunkel 1997, section 5; the
// disjoint choice: this project.
// SPDX-License-Identifier: MIT
#include "multicast/building_blocks/reachability.hpp"

#include <algorithm>
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
    : setup_(&setup),
      hosts_(setup.topology()),
      words_((setup.topology().hosts() + 63) / 64),
      reach_(setup.topology().routers() * words_),
      down_(setup.topology().routers()) {
  const std::span<const NodeId> downwards = setup.by_level();
  for (auto node = downwards.rbegin(); node != downwards.rend(); ++node) {
    std::uint64_t* own = reach_.data() + node->value * words_;
    for (const HostId host : hosts(*node)) own[host.value / 64] |= std::uint64_t{1} << (host.value % 64);
    for (const Arc* link : links(*node))
      for (std::size_t w = 0; w < words_; ++w) own[w] |= reach(link->to)[w];
  }
}

std::vector<const Arc*> ReachabilityStrings::links(NodeId node) const {
  std::vector<const Arc*> links;
  for (const Arc& arc : setup_->arcs(node))
    if (!arc.up && (links.empty() || links.back()->to != arc.to)) links.push_back(&arc);
  return links;
}

/// Breadth first downwards. The switches of one distance are found in the order of the links to which their
/// ways down begin, and from the first of them those behind: so each is found by the lowest link.
std::span<const DownString> ReachabilityStrings::down(NodeId node) const {
  Strings& strings = down_[node.value];
  if (strings.known) return strings.down;
  strings.known = true;
  const std::vector<const Arc*> first = links(node);
  strings.words.resize(first.size() * words_);
  std::vector<bool> seen(setup_->topology().routers(), false);
  std::vector<std::pair<NodeId, std::size_t>> open;  // switch, and the link that it is given to
  const auto give = [&](NodeId below, std::size_t link) {
    if (seen[below.value]) return;
    seen[below.value] = true;
    open.emplace_back(below, link);
    for (const HostId host : hosts(below))
      strings.words[link * words_ + host.value / 64] |= std::uint64_t{1} << (host.value % 64);
  };
  for (std::size_t link = 0; link < first.size(); ++link) give(first[link]->to, link);
  for (std::size_t head = 0; head < open.size(); ++head) {
    const auto [at, link] = open[head];
    for (const Arc& arc : setup_->arcs(at))
      if (!arc.up) give(arc.to, link);
  }
  for (std::size_t link = 0; link < first.size(); ++link)
    strings.down.push_back({first[link], {strings.words.data() + link * words_, words_}});
  return strings.down;
}

std::string ReachabilityStrings::summary() const {
  std::uint64_t most = 0;
  std::uint64_t total = 0;
  std::size_t strings = 0;
  const std::uint32_t switches = setup_->topology().routers();
  for (std::uint32_t s = 0; s < switches; ++s) {
    most = std::max(most, storage_bits(NodeId{s}));
    total += storage_bits(NodeId{s});
    strings += 1 + links(NodeId{s}).size();
  }
  return "reachability strings of " + std::to_string(setup_->topology().hosts()) +
         " bits: " + std::to_string(strings) + " strings on " + std::to_string(switches) + " switches, " +
         std::to_string(most) + " bits on the fullest switch, " + std::to_string(total) + " bits in all";
}

}  // namespace wormcast
