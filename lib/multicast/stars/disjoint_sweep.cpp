// Edge-disjoint stars by a sweep over the destinations with one planned leg for each path.
//
// If legs a → b and a' → b' of two paths share a channel from label x to label y, both a and a' are at
// most x and both b and b' at least y: the two legs are open together when the sweep reaches the later
// of a and a'. So a state need hold only the open leg (from, to) of every path. At destination d
// exactly one open leg ends; its path plans its next leg, to a destination not yet planned, or
// ends. The new leg must share no channel with the other open legs. Lengths are kept as those that no
// others undercut.
// Cost: polynomial for a fixed number P of ports, O(k^(2P)) states; bounded by a limit on
// states and on legs tried, and by one on the bytes they take.
// cite: Bouchitté, Cohen, Fleury 1997, section 6 (asked for); the method: this project.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "multicast/stars/star_search.hpp"

namespace wormcast {
namespace {

constexpr std::uint32_t done = std::numeric_limits<std::uint32_t>::max();

/// Most bytes of states, traces and routes at one time; what holds them together is counted roughly.
constexpr std::size_t most_bytes = 256'000'000;
constexpr std::size_t entry_bytes = 64;

/// Open legs by path: (predecessor: ports first, then destinations; target or `done`).
using Legs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Lengths {
  std::vector<std::int64_t> of_path;  ///< including the open leg
  std::uint32_t trace;
};

/// At destination `at` its path planned to go on to `target`; for the starts, at = port + k.
struct Trace {
  std::uint32_t before;
  std::uint32_t at;
  std::uint32_t target;
};

class Sweep {
 public:
  Sweep(const StarHalf& half, Goal goal, std::uint64_t state_limit)
      : half_(half),
        goal_(goal),
        left_(state_limit),
        ports_(half.ports().size()),
        marks_(half.routing().topology()) {}

  bool exhausted() const { return left_ == 0; }

  /// Nothing if the state limit was reached.
  std::optional<CostedStar> solve(std::int64_t limit) {
    begin(0, Legs(ports_), std::vector<std::int64_t>(ports_, 0), done);
    std::swap(state_bytes_, next_bytes_);
    for (std::uint32_t d = 0; d < half_.size() && !exhausted(); ++d) pass(d);
    if (exhausted()) return std::nullopt;
    std::optional<StarCost> best;
    std::uint32_t trace = done;
    for (const auto& [legs, all] : states_)
      for (const Lengths& lengths : all) {
        StarCost cost;
        for (const std::int64_t length : lengths.of_path) {
          cost.longest = std::max(cost.longest, length);
          cost.traffic += length;
        }
        if (cost.longest > limit || (best && !better(cost, *best, goal_))) continue;
        best = cost;
        trace = lengths.trace;
      }
    if (!best) return std::nullopt;
    return CostedStar{star(trace), *best};
  }

 private:
  using States = std::map<Legs, std::vector<Lengths>>;

  const Channels& channels(std::uint32_t from, std::uint32_t to) {
    Channels& known = routes_[{from, to}];
    if (known.empty()) {
      known = from < ports_ ? first_leg_channels(half_, from, to) : leg_channels(half_, from - ports_, to);
      route_bytes_ += entry_bytes + known.size() * sizeof(Channels::value_type);
    }
    return known;
  }

  std::uint32_t hops(std::uint32_t from, std::uint32_t to) const {
    return from < ports_ ? half_.first(from, to) : half_.leg(from - ports_, to);
  }

  /// Whether path `mine` may plan the leg from → to beside the other open legs.
  bool open(const Legs& legs, std::size_t mine, std::uint32_t from, std::uint32_t to) {
    count_step();
    if (exhausted()) return false;
    for (std::size_t p = 0; p < legs.size(); ++p)
      if (p != mine && legs[p].second == to) return false;
    marks_.clear();
    marks_.add(channels(from, to));
    for (std::size_t p = 0; p < legs.size(); ++p)
      if (p != mine && legs[p].second != done && marks_.meets(channels(legs[p].first, legs[p].second)))
        return false;
    return true;
  }

  void begin(std::uint32_t port, Legs legs, std::vector<std::int64_t> lengths, std::uint32_t trace) {
    if (exhausted()) return;
    if (port == ports_) {
      add(states_, legs, {std::move(lengths), trace});
      return;
    }
    for (std::size_t p = port; p < ports_; ++p) legs[p] = {static_cast<std::uint32_t>(p), done};
    begin(port + 1, legs, lengths, trace);
    for (std::uint32_t to = 0; to < half_.size(); ++to) {
      const std::uint32_t length = hops(port, to);
      if (length == StarHalf::no_leg || !open(legs, port, port, to)) continue;
      Legs planned = legs;
      planned[port].second = to;
      lengths[port] = length;
      traces_.push_back({trace, static_cast<std::uint32_t>(half_.size()) + port, to});
      begin(port + 1, std::move(planned), lengths, static_cast<std::uint32_t>(traces_.size()) - 1);
    }
  }

  void pass(std::uint32_t d) {
    States next;
    next_bytes_ = 0;
    for (const auto& [legs, all] : states_) {
      const auto ends =
          std::find_if(legs.begin(), legs.end(), [d](const auto& leg) { return leg.second == d; });
      if (ends == legs.end()) continue;  // no path visits d
      const auto path = static_cast<std::size_t>(ends - legs.begin());
      const auto from = static_cast<std::uint32_t>(ports_ + d);
      Legs planned = legs;
      planned[path] = {from, done};
      for (const Lengths& lengths : all) add(next, planned, lengths);
      for (std::uint32_t to = d + 1; to < half_.size(); ++to) {
        if (!open(legs, path, from, to)) continue;
        planned[path].second = to;
        for (Lengths lengths : all) {
          lengths.of_path[path] += hops(from, to);
          traces_.push_back({lengths.trace, d, to});
          lengths.trace = static_cast<std::uint32_t>(traces_.size()) - 1;
          add(next, planned, std::move(lengths));
        }
      }
    }
    states_ = std::move(next);
    state_bytes_ = next_bytes_;
  }

  void count_step() {
    const std::size_t bytes = state_bytes_ + next_bytes_ + route_bytes_ + traces_.size() * sizeof(Trace);
    left_ = bytes > most_bytes || left_ == 0 ? 0 : left_ - 1;
  }

  void add(States& states, const Legs& legs, Lengths lengths) {
    count_step();
    if (exhausted()) return;
    const auto [place, is_new] = states.try_emplace(legs);
    if (is_new) next_bytes_ += entry_bytes + ports_ * sizeof(Legs::value_type);
    std::vector<Lengths>& kept = place->second;
    const std::size_t bytes = entry_bytes + ports_ * sizeof(std::int64_t);
    const auto covers = [](const Lengths& a, const Lengths& b) {
      return std::equal(a.of_path.begin(), a.of_path.end(), b.of_path.begin(),
                        [](auto x, auto y) { return x <= y; });
    };
    if (std::any_of(kept.begin(), kept.end(), [&](const Lengths& other) { return covers(other, lengths); }))
      return;
    next_bytes_ -= bytes * std::erase_if(kept, [&](const Lengths& other) { return covers(lengths, other); });
    kept.push_back(std::move(lengths));
    next_bytes_ += bytes;
  }

  Star star(std::uint32_t trace) const {
    std::vector<std::uint32_t> after(half_.size(), done);
    std::vector<std::uint32_t> first(ports_, done);
    for (; trace != done; trace = traces_[trace].before) {
      const Trace& step = traces_[trace];
      (step.at < half_.size() ? after[step.at] : first[step.at - half_.size()]) = step.target;
    }
    Star star;
    for (std::size_t p = 0; p < ports_; ++p) {
      StarPath path{p, {}};
      for (std::uint32_t j = first[p]; j != done; j = after[j]) path.stops.push_back(j);
      if (!path.stops.empty()) star.push_back(std::move(path));
    }
    return star;
  }

  const StarHalf& half_;
  Goal goal_;
  std::uint64_t left_;
  std::size_t ports_;
  ChannelMarks marks_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Channels> routes_;
  States states_;
  std::vector<Trace> traces_;
  std::size_t state_bytes_ = 0;  ///< of states_
  std::size_t next_bytes_ = 0;   ///< of the states that are being made
  std::size_t route_bytes_ = 0;
};

/// Walks a leg by the half's routing function.
void walk(const RoutingFunction& routing, NodeId at, NodeId to, Channels& channels) {
  routing.each_hop(at, routing.first(at, to, 0), to,
                   [&](const RoutingStep& step) { channels.push_back(step.channel.value); });
}

}  // namespace

SearchResult disjoint_sweep(StarHalf& half, Goal goal, std::int64_t limit, const CostedStar& known,
                            const StarCost& bound, std::uint64_t state_limit) {
  half.tabulate();
  Sweep sweep(half, goal, state_limit);
  if (auto best = sweep.solve(limit)) return {*best, best->cost, true};
  return {known, bound, !sweep.exhausted()};
}

CostedStar single_path(const StarHalf& half) {
  Star star{{0, {}}};
  for (std::uint32_t j = 0; j < half.size(); ++j) star[0].stops.push_back(j);
  for (std::size_t p = 1; p < half.ports().size(); ++p)
    if (half.first(p, 0) < half.first(star[0].port, 0)) star[0].port = p;
  return costed(half, std::move(star));
}

Channels first_leg_channels(const StarHalf& half, std::size_t port, std::size_t j) {
  const StarPort& leaves_by = half.ports()[port];
  Channels channels{leaves_by.channel.value};
  walk(half.routing(), leaves_by.neighbour, half.node(j), channels);
  return channels;
}

Channels leg_channels(const StarHalf& half, std::size_t i, std::size_t j) {
  Channels channels;
  walk(half.routing(), half.node(i), half.node(j), channels);
  return channels;
}

}  // namespace wormcast
