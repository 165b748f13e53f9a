// Edge-disjoint stars of two paths: dynamic programming over pairs of consecutive role changes.
//
// With the events E_i "the waiting path jumps to u_{i+1}, the other waits at u_i" a star is a sequence
// of events. Between E_m and the next event E_i one path walks u_{m+1} … u_i and the other waits at
// u_m, from where it then jumps to u_{i+1}. Channels are intervals of labels, so that jump can share a
// channel only with what lies beyond u_m: the walk u_{m+1} → … → u_i and the jump that led to u_{m+1},
// which began at u_{m'} where E_{m'} is the event before E_m. The pair (m, i) is therefore all that
// must be remembered, with the lengths of both paths (for least traffic only their least sum). The
// single path is a star, so there always is one.
// A pass keeps only what can still be completed within a limit, by the cheapest completion without
// disjointness; limits grow from the optimum without disjointness by doubling steps, so the pass that
// first finds a star finds the best one.
// Cost: O(k³) disjointness tests at worst for one pass, near k² when the first candidate fits.
// cite: Bouchitté, Cohen, Fleury 1997, section 6 (asked for); the method: this project.
// SPDX-License-Identifier: MIT
#include "multicast/stars/star_search.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr std::uint32_t no_trace = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t most_pair_destinations = 4096;

/// After an event E_i: the path that jumped, at u_{i+1}; the one that waits at u_i.
struct PairLengths {
  std::int64_t active;
  std::int64_t waiting;
  std::uint32_t trace;
  std::int64_t sum() const { return active + waiting; }
};

/// All ways to E_i whose event before is E_m (or start `from` − k).
struct Arrival {
  std::size_t from;
  std::vector<PairLengths> lengths;
  std::int64_t least_sum = 0;
};

struct PairTrace {
  std::uint32_t event;  ///< or the active port, for the first
  std::uint32_t before;
};

class PairSearch {
 public:
  PairSearch(const StarHalf& half, Goal goal)
      : half_(half),
        goal_(goal),
        size_(half.size()),
        along_(size_, 0),
        completion_(size_, 0),
        chain_leg_(half.routing().topology().channel_bound(), no_trace),
        marks_(half.routing().topology()) {
    for (std::size_t i = 1; i < size_; ++i) {
      along_[i] = along_[i - 1] + half.leg(i - 1, i);
      for (const std::uint32_t channel : leg_channels(half, i - 1, i))
        chain_leg_[channel] = static_cast<std::uint32_t>(i - 1);
    }
    for (std::size_t m = size_; m-- > 0;)
      for (std::size_t i = m + 1; i + 1 < size_; ++i)
        completion_[m] =
            std::min(completion_[m], std::int64_t{half.leg(m, i + 1)} - half.leg(i, i + 1) + completion_[i]);
  }

  std::optional<CostedStar> run(std::int64_t limit, std::int64_t sum) {
    limit_ = limit;
    sum_ = sum;
    arrivals_.assign(size_, {});
    traces_.clear();
    best_.reset();
    for (std::size_t active = 0; active < 2; ++active) start(active);
    for (std::size_t m = 0; m + 2 < size_; ++m) leave(m);
    if (!best_) return std::nullopt;
    return CostedStar{star(), *best_};
  }

 private:
  /// Stars whose first event follows the start at which `active` takes destination 0.
  void start(std::size_t active) {
    const std::uint32_t first = half_.first(active, 0);
    if (first == StarHalf::no_leg) return;
    const Channels first_leg = first_leg_channels(half_, active, 0);
    const auto trace = static_cast<std::uint32_t>(traces_.size());
    traces_.push_back({static_cast<std::uint32_t>(active), no_trace});
    for (std::size_t i = 0; i + 1 < size_; ++i) {
      const std::uint32_t hops = half_.first(1 - active, i + 1);
      if (hops == StarHalf::no_leg) continue;
      const PairLengths lengths{hops, first + along_[i], trace};
      if (!fits(lengths, i)) continue;
      const Channels jump = first_leg_channels(half_, 1 - active, i + 1);
      marks_.clear();
      marks_.add(first_leg);
      if (marks_.meets(jump) || meets_chain(jump, 0, i)) continue;
      Arrival arrival{size_ + active, {}, 0};
      keep(arrival, lengths, i);
      arrivals_[i].push_back(std::move(arrival));
    }
  }

  /// All events that follow E_m.
  void leave(std::size_t m) {
    std::vector<Arrival>& before = arrivals_[m];
    if (before.empty()) return;
    std::stable_sort(before.begin(), before.end(),
                     [](const Arrival& a, const Arrival& b) { return a.least_sum < b.least_sum; });
    std::vector<Channels> led_here(before.size());
    for (std::size_t i = m + 1; i + 1 < size_; ++i) {
      const std::int64_t walk = along_[i] - along_[m + 1];
      const std::int64_t hops = half_.leg(m, i + 1);
      const std::int64_t rest = along_[size_ - 1] - along_[i + 1] + completion_[i];
      if (before.front().least_sum + walk + hops + rest > sum_) continue;
      const Channels jump = leg_channels(half_, m, i + 1);
      if (meets_chain(jump, m + 1, i)) continue;
      marks_.clear();
      marks_.add(jump);
      Arrival arrival{m, {}, 0};
      for (std::size_t b = 0; b < before.size(); ++b) {
        if (before[b].least_sum + walk + hops + rest > sum_) break;
        if (led_here[b].empty()) led_here[b] = jump_channels(before[b].from, m);
        if (marks_.meets(led_here[b])) continue;
        for (const PairLengths& lengths : before[b].lengths) {
          const PairLengths next{lengths.waiting + hops, lengths.active + walk, lengths.trace};
          if (fits(next, i)) keep(arrival, next, i);
        }
      }
      if (!arrival.lengths.empty()) arrivals_[i].push_back(std::move(arrival));
    }
    before = {};
  }

  /// The jump of event E_m, which began where the event before had left the waiting path.
  Channels jump_channels(std::size_t from, std::size_t m) const {
    return from < size_ ? leg_channels(half_, from, m + 1)
                        : first_leg_channels(half_, 1 - (from - size_), m + 1);
  }

  /// Whether a jump takes a channel of the legs u_first → … → u_last of the single path.
  bool meets_chain(const Channels& jump, std::size_t first, std::size_t last) const {
    return std::any_of(jump.begin(), jump.end(), [&](std::uint32_t channel) {
      const std::uint32_t leg = chain_leg_[channel];
      return leg != no_trace && leg >= first && leg < last;
    });
  }

  bool fits(const PairLengths& lengths, std::size_t i) const {
    const std::int64_t rest = along_[size_ - 1] - along_[i + 1];
    return lengths.active <= limit_ && lengths.waiting <= limit_ &&
           lengths.sum() + rest + completion_[i] <= sum_;
  }

  /// Adds lengths that no others undercut, and offers the star that has no more events.
  void keep(Arrival& arrival, PairLengths lengths, std::size_t i) {
    std::vector<PairLengths>& kept = arrival.lengths;
    const auto covers = [](const PairLengths& a, const PairLengths& b) {
      return a.active <= b.active && a.waiting <= b.waiting;
    };
    if (std::any_of(kept.begin(), kept.end(),
                    [&](const PairLengths& other) { return covers(other, lengths); }))
      return;
    std::erase_if(kept, [&](const PairLengths& other) { return covers(lengths, other); });
    traces_.push_back({static_cast<std::uint32_t>(i), lengths.trace});
    lengths.trace = static_cast<std::uint32_t>(traces_.size()) - 1;
    arrival.least_sum = kept.empty() ? lengths.sum() : std::min(arrival.least_sum, lengths.sum());
    kept.push_back(lengths);
    const std::int64_t ends = lengths.active + along_[size_ - 1] - along_[i + 1];
    const StarCost cost{std::max(ends, lengths.waiting), ends + lengths.waiting};
    if (cost.longest > limit_ || cost.traffic > sum_ || (best_ && !better(cost, *best_, goal_))) return;
    best_ = cost;
    best_trace_ = lengths.trace;
  }

  Star star() const {
    std::vector<std::uint32_t> events;
    std::uint32_t trace = best_trace_;
    for (; traces_[trace].before != no_trace; trace = traces_[trace].before)
      events.push_back(traces_[trace].event);
    std::reverse(events.begin(), events.end());
    const std::size_t active = traces_[trace].event;
    Star star{{active, {}}, {1 - active, {}}};
    std::size_t path = 0;
    std::size_t next_event = 0;
    for (std::uint32_t j = 0; j < size_; ++j) {
      star[path].stops.push_back(j);
      if (next_event < events.size() && events[next_event] == j) {
        path = 1 - path;
        ++next_event;
      }
    }
    return star;
  }

  const StarHalf& half_;
  Goal goal_;
  std::size_t size_;
  std::vector<std::int64_t> along_;  ///< length of the single path from destination 0
  std::vector<std::int64_t>
      completion_;  ///< least cost after E_m beyond the single path's, without disjointness
  std::vector<std::uint32_t> chain_leg_;  ///< which leg of the single path takes a channel
  ChannelMarks marks_;
  std::int64_t limit_ = 0;
  std::int64_t sum_ = 0;
  std::vector<std::vector<Arrival>> arrivals_;  ///< by event
  std::vector<PairTrace> traces_;
  std::optional<StarCost> best_;
  std::uint32_t best_trace_ = no_trace;
};

}  // namespace

CostedStar disjoint_pair(StarHalf& half, Goal goal, std::int64_t limit, const CostedStar& known,
                         std::int64_t bound) {
  CostedStar best = known;
  if (half.ports().size() < 2 || half.size() < 2) return best;
  CostedStar single = single_path(half);
  if (single.cost.longest <= limit && better(single.cost, best.cost, goal)) best = std::move(single);
  if (half.size() > most_pair_destinations)
    refuse("--edge-disjoint", "{} destinations on one side of the source; it takes at most {}", half.size(),
           most_pair_destinations);
  half.tabulate();
  PairSearch search(half, goal);
  const bool traffic = goal == Goal::traffic_first;
  const auto first = [&] { return traffic ? best.cost.traffic : best.cost.longest; };
  std::int64_t most = std::min(bound, first());
  for (std::int64_t step = 1;; step *= 2) {
    auto found = search.run(std::min(limit, most), traffic ? most : 2 * most);
    if (found && better(found->cost, best.cost, goal)) best = std::move(*found);
    if (found || most == first()) return best;
    most = std::min(most + step, first());
  }
}

bool is_disjoint(const StarHalf& half, const Star& star) {
  std::vector<std::uint32_t> all;
  for (const StarPath& path : star)
    for (std::size_t i = 0; i < path.stops.size(); ++i) {
      const Channels leg = i == 0 ? first_leg_channels(half, path.port, path.stops[0])
                                  : leg_channels(half, path.stops[i - 1], path.stops[i]);
      all.insert(all.end(), leg.begin(), leg.end());
    }
  return twice_in(all) == nullptr;
}

}  // namespace wormcast
