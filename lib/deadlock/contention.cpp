// Which worms of a multicast can contend for a channel, by listing the users of every channel.
//
// Only pairs of worms in one list are looked at. Theorem 1's conditions on a pair become questions on the
// tree of sends: whether one worm, or a later send that waited for the same arrival, is an ancestor of the
// other. Cost: O(hops log hops + pairs · depth). cite: McKinley, Xu, Esfahanian, Ni 1994; Song, Hou, Shi
// 1999.
// SPDX-License-Identifier: MIT
#include "deadlock/contention.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "multicast/measures.hpp"

namespace wormcast {
namespace {

/// The tree of sends of one multicast: worms with their source and what they wait for.
std::vector<Worm> sends_of(const Routes& routes) {
  std::vector<Worm> worms(routes.worms.size());
  for (std::size_t i = 0; i < worms.size(); ++i) {
    worms[i].source = routes.worms[i].source;
    worms[i].after = routes.worms[i].after;
  }
  return worms;
}

/// The worms on each channel (or virtual channel), ascending.
std::vector<std::vector<std::uint32_t>> users_of(const Routes& routes, ContentionOn on) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> users;
  for (std::uint32_t w = 0; w < routes.worms.size(); ++w)
    for (const RouteHop& hop : routes.worms[w].hops) {
      if (!hop.is_channel()) continue;
      auto& worms = users[{hop.target, on == ContentionOn::virtual_channels ? hop.vc : 0}];
      if (worms.empty() || worms.back() != w) worms.push_back(w);
    }
  std::vector<std::vector<std::uint32_t>> result;
  for (auto& [channel, worms] : users) result.push_back(std::move(worms));
  return result;
}

/// Worms that stay out if the worms of each step are admitted in plan order, each that shares no
/// channel with one admitted before it.
std::uint64_t count_blocked(const std::vector<std::vector<std::uint32_t>>& rivals) {
  std::uint64_t blocked = 0;
  std::vector<bool> admitted(rivals.size());
  for (std::size_t w = 0; w < rivals.size(); ++w) {
    const auto is_admitted = [&](std::uint32_t rival) { return rival < w && admitted[rival]; };
    admitted[w] = std::none_of(rivals[w].begin(), rivals[w].end(), is_admitted);
    blocked += admitted[w] ? 0 : 1;
  }
  return blocked;
}

}  // namespace

StepContention step_contention(const Routes& routes, ContentionOn on) {
  const std::vector<Send> sends = schedule(sends_of(routes));
  StepContention result;
  for (const Send& send : sends) result.steps = std::max(result.steps, send.step);
  result.least_steps = least_steps(routes.plan.request.destinations.size() + 1);
  std::set<WormPair> pairs;
  for (const std::vector<std::uint32_t>& users : users_of(routes, on)) {
    std::set<std::uint32_t> shared_steps;
    for (std::size_t a = 0; a < users.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        if (sends[users[a]].step != sends[users[b]].step) continue;
        shared_steps.insert(sends[users[a]].step);
        pairs.emplace(users[b], users[a]);
      }
    result.shared += shared_steps.size();
  }
  result.pairs.assign(pairs.begin(), pairs.end());
  std::vector<std::vector<std::uint32_t>> rivals(sends.size());
  for (const auto& [a, b] : result.pairs) rivals[b].push_back(a);
  result.blocked = count_blocked(rivals);
  return result;
}

std::vector<WormPair> depth_contention(const Routes& routes, ContentionOn on) {
  const std::vector<Worm> worms = sends_of(routes);
  const std::vector<Send> sends = schedule(worms);
  // Condition 3, or 1 and 4: `late` comes from the sender of `early`, or has its message through
  // `early` or through something the same sender sends after it.
  const auto ordered = [&](std::uint32_t early, std::uint32_t late) {
    const std::int32_t arrival = worms[early].after;
    if (worms[late].source == worms[early].source) return true;
    for (std::int32_t w = worms[late].after; w >= 0; w = worms[static_cast<std::size_t>(w)].after) {
      const auto via = static_cast<std::size_t>(w);
      const bool same_sender = worms[via].after == arrival && worms[via].source == worms[early].source;
      if (via == early || (same_sender && sends[via].step > sends[early].step)) return true;
    }
    return false;
  };
  std::set<WormPair> pairs;
  for (const std::vector<std::uint32_t>& users : users_of(routes, on))
    for (std::size_t a = 0; a < users.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const bool a_first = sends[users[a]].step <= sends[users[b]].step;
        if (!ordered(users[a_first ? a : b], users[a_first ? b : a])) pairs.emplace(users[b], users[a]);
      }
  return {pairs.begin(), pairs.end()};
}

}  // namespace wormcast
