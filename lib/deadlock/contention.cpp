// Which worms of a multicast can contend for a channel, by listing the users of every channel.
//
// Two worms that share a channel are found in its list of users; only those pairs are looked at.
// Theorem 1's conditions on a pair become questions on the tree of sends: whether one worm, or a
// later send that waited for the same arrival, is an ancestor of the other.
// Cost: O(hops log hops + pairs · depth). cite: McKinley, Xu, Esfahanian, Ni 1994; Song, Hou, Shi
// 1999 (Theorem 1).
// SPDX-License-Identifier: MIT
#include "deadlock/contention.hpp"

#include <algorithm>
#include <set>

#include "multicast/measures.hpp"

namespace wormcast {
namespace {

/// A worm on a channel; sorted, the users of one channel stand together.
struct Use {
  std::uint32_t channel;
  std::uint32_t vc;
  std::uint32_t worm;
  friend auto operator<=>(const Use&, const Use&) = default;
};

/// The tree of sends of one multicast: worms with their source and what they wait for.
std::vector<Worm> sends_of(const Routes& routes) {
  std::vector<Worm> worms(routes.worms.size());
  for (std::size_t i = 0; i < worms.size(); ++i) {
    worms[i].source = routes.worms[i].source;
    worms[i].after = routes.worms[i].after;
  }
  return worms;
}

std::vector<Use> uses_of(const Routes& routes, ContentionOn on) {
  std::vector<Use> uses;
  for (std::uint32_t w = 0; w < routes.worms.size(); ++w)
    for (const RouteHop& hop : routes.worms[w].hops)
      if (hop.is_channel())
        uses.push_back({hop.target, on == ContentionOn::virtual_channels ? hop.vc : 0, w});
  std::sort(uses.begin(), uses.end());
  uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
  return uses;
}

/// Calls `visit(first, last)` for the users of every channel.
template <class Visit>
void each_channel(const std::vector<Use>& uses, Visit visit) {
  for (auto first = uses.begin(); first != uses.end();) {
    const auto last = std::find_if(
        first, uses.end(), [&](const Use& u) { return u.channel != first->channel || u.vc != first->vc; });
    visit(first, last);
    first = last;
  }
}

std::vector<WormPair> sorted_unique(std::vector<WormPair> pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
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
  each_channel(uses_of(routes, on), [&](auto first, auto last) {
    std::set<std::uint32_t> shared_steps;
    for (auto a = first; a != last; ++a)
      for (auto b = first; b != a; ++b) {
        if (sends[a->worm].step != sends[b->worm].step) continue;
        shared_steps.insert(sends[a->worm].step);
        result.pairs.emplace_back(b->worm, a->worm);
      }
    result.shared += shared_steps.size();
  });
  result.pairs = sorted_unique(std::move(result.pairs));
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
  std::vector<WormPair> pairs;
  each_channel(uses_of(routes, on), [&](auto first, auto last) {
    for (auto a = first; a != last; ++a)
      for (auto b = first; b != a; ++b) {
        const bool a_first = sends[a->worm].step <= sends[b->worm].step;
        const std::uint32_t early = a_first ? a->worm : b->worm;
        const std::uint32_t late = a_first ? b->worm : a->worm;
        if (!ordered(early, late)) pairs.emplace_back(std::minmax(a->worm, b->worm));
      }
  });
  return sorted_unique(std::move(pairs));
}

}  // namespace wormcast
