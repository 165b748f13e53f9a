// Two paths that take turns, the longer one as short as possible: passes under a rising limit.
//
// State after u_i: the active path has length a, the other one waits at u_j with length b. While the
// active path goes on, s = C_i − a stays (C_i = length of the single path to u_i) and is even, by
// parity of the mesh; and of the waiting path only its column x and b − y_j matter for its next jump,
// which takes it to length (b − y_j) + |x_j − x_{i+1}| + y_{i+1}. So a table by column and s with the
// least b − y is enough, and it changes only by events E_i "the waiting path jumps to u_{i+1}":
//     q[s] = min over columns of table[x][s] + |x − x_{i+1}|,
// after which u_i is where the other one waits, with length C_i − s. A star is complete when no more
// events follow, so each event yields a candidate.
// A pass with limit T keeps lengths <= T and sums that with the cheapest completion stay <= 2T. It is
// exact: if it finds a star, the best it finds is optimal. T starts at a lower bound and grows by
// doubling steps; small limits leave few states, so passes without result are cheap.
// Cost: O(k · columns · T) a pass in the worst case, on average a few columns and most events skipped
// by the bound. cite: Bouchitté, Cohen, Fleury 1997, section 4 (the problem and the states); the
// pass: this project.
// SPDX-License-Identifier: MIT
#include "multicast/stars/snake/snake_stars.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace wormcast {
namespace {

constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max() / 4;
constexpr std::uint32_t no_event = std::numeric_limits<std::uint32_t>::max();

/// An event on the way to a state. The first nodes stand for the starts.
struct PassEvent {
  std::uint32_t at;      ///< i of E_i; for a start, its index
  std::uint32_t before;  ///< node of the event before, no_event for a start
};

/// The states that wait in one column, by half of s from `lowest` on.
struct Column {
  std::int32_t lowest = 0;
  std::vector<std::int32_t> value;  ///< least b − y, or never
  std::vector<std::uint32_t> node;
  std::int32_t best = never;  ///< least value − s, or less

  /// Makes room for [from, to], forgetting everything below `floor`.
  void cover(std::int32_t from, std::int32_t to, std::int32_t floor) {
    if (value.empty()) {
      lowest = from;
      best = never;
    }
    if (floor > lowest) {
      const auto drop = std::min<std::size_t>(value.size(), static_cast<std::size_t>(floor - lowest));
      value.erase(value.begin(), value.begin() + static_cast<std::ptrdiff_t>(drop));
      node.erase(node.begin(), node.begin() + static_cast<std::ptrdiff_t>(drop));
      lowest += static_cast<std::int32_t>(drop);
      if (value.empty()) lowest = from;
    }
    if (from < lowest) {
      const auto more = static_cast<std::size_t>(lowest - from);
      value.insert(value.begin(), more, never);
      node.insert(node.begin(), more, no_event);
      lowest = from;
    }
    const auto size = static_cast<std::size_t>(to - lowest) + 1;
    if (value.size() < size) {
      value.resize(size, never);
      node.resize(size, no_event);
    }
  }
};

class Pass {
 public:
  Pass(const PlaneHalf& half, const CompletionBound& bound, const std::vector<std::int32_t>& chain, Goal goal,
       std::size_t keep)
      : half_(half), bound_(bound), chain_(chain), goal_(goal), keep_(keep) {}

  /// The best star with longest path <= limit and traffic <= sum, among those with an event.
  std::optional<CostedStar> run(std::int32_t limit, std::int32_t sum) {
    limit_ = limit;
    sum_ = sum;
    begin();
    std::size_t collect_at = keep_;
    for (std::size_t i = half_.first_jump - 1; i + 1 < half_.x.size(); ++i) {
      if (i % bound_.interval() == 0 || i + 1 == half_.first_jump) drop_columns(i);
      if (alive_.empty()) break;
      if (!gather(i)) continue;
      insert(i);
      if (events_.size() < collect_at) continue;
      collect_garbage();
      collect_at = std::max(collect_at, 2 * events_.size());
    }
    if (!best_) return std::nullopt;
    std::vector<std::uint32_t> switches{best_event_.at};
    std::uint32_t node = best_event_.before;
    for (; events_[node].before != no_event; node = events_[node].before)
      switches.push_back(events_[node].at);
    std::reverse(switches.begin(), switches.end());
    return CostedStar{alternating_star(half_.starts[events_[node].at], switches, half_.x.size()), *best_};
  }

 private:
  struct Jump {
    std::int32_t half_s;  ///< of the state it leaves
    std::int32_t value;   ///< q
  };

  void begin() {
    std::int32_t last = *std::max_element(half_.x.begin(), half_.x.end());
    for (const PlaneStart& start : half_.starts) last = std::max(last, start.idle_x);
    columns_.assign(static_cast<std::size_t>(last) + 1, {});
    alive_.clear();
    events_.clear();
    best_.reset();
    for (std::size_t i = 0; i < half_.starts.size(); ++i) {
      const PlaneStart& start = half_.starts[i];
      const std::int32_t half_s = (chain_[0] - start.first_leg) / 2;
      Column& column = columns_[static_cast<std::size_t>(start.idle_x)];
      column.cover(half_s, half_s, half_s);
      column.value[0] = start.idle_length - half_.source_y;
      column.node[0] = static_cast<std::uint32_t>(events_.size());
      column.best = column.value[0] - 2 * half_s;
      alive_.push_back(static_cast<std::uint32_t>(start.idle_x));
      events_.push_back({static_cast<std::uint32_t>(i), no_event});
    }
  }

  /// Forgets columns from which no star within the limits can be completed.
  void drop_columns(std::size_t i) {
    std::erase_if(alive_, [&](std::uint32_t x) {
      const std::int32_t completion = bound_.of_waiting(i, x);
      if (completion < never && chain_.back() + columns_[x].best + completion <= sum_) return false;
      columns_[x] = {};
      return true;
    });
  }

  /// Fills jumps_ with the states for which E_i stays within the limits.
  bool gather(std::size_t i) {
    const std::int32_t x = half_.x[i + 1];
    const std::int32_t y = half_.y[i + 1];
    // New sum = q + y_{i+1} + C_i − s, then the rest of the single path and its best improvement.
    const std::int32_t most_less_s =
        sum_ - y - chain_[i] - (chain_.back() - chain_[i + 1]) - bound_.after_event(i);
    const std::int32_t floor = floor_at(i);
    std::int32_t from = never;
    std::int32_t to = -never;
    for (const std::uint32_t c : alive_) {
      const Column& column = columns_[c];
      if (column.best + distance(c, x) > most_less_s) continue;
      from = std::min(from, std::max(floor, column.lowest));
      to = std::max(to, column.lowest + static_cast<std::int32_t>(column.value.size()) - 1);
    }
    if (from > to) return false;
    least_.assign(static_cast<std::size_t>(to - from) + 1, never);
    for (const std::uint32_t c : alive_) {
      const Column& column = columns_[c];
      const std::int32_t away = distance(c, x);
      if (column.best + away > most_less_s) continue;
      const std::int32_t begin = std::max(from, column.lowest);
      const std::int32_t end = column.lowest + static_cast<std::int32_t>(column.value.size());
      if (begin >= end) continue;
      const std::int32_t* values = column.value.data() + (begin - column.lowest);
      std::int32_t* least = least_.data() + (begin - from);
      const std::int32_t count = end - begin;
      for (std::int32_t t = 0; t < count; ++t) least[t] = std::min(least[t], values[t] + away);
    }
    jumps_.clear();
    const std::int32_t most = limit_ - y;
    for (std::int32_t t = from; t <= to; ++t) {
      const std::int32_t q = least_[static_cast<std::size_t>(t - from)];
      if (q <= most && q - 2 * t <= most_less_s) jumps_.push_back({t, q});
    }
    return !jumps_.empty();
  }

  /// The states after E_i: the path that was active waits at u_i.
  void insert(std::size_t i) {
    const std::int32_t y = half_.y[i + 1];
    const auto new_half_s = [&](const Jump& jump) { return (chain_[i + 1] - jump.value - y) / 2; };
    const auto event = static_cast<std::uint32_t>(i);
    // Parents first: the column of u_i may be the one they wait in.
    std::vector<std::uint32_t> nodes;
    nodes.reserve(jumps_.size());
    std::int32_t from = never;
    std::int32_t to = -never;
    for (const Jump& jump : jumps_) {
      const std::uint32_t before = node_of(jump.half_s, jump.value, half_.x[i + 1]);
      nodes.push_back(static_cast<std::uint32_t>(events_.size()));
      events_.push_back({event, before});
      const std::int64_t waits = chain_[i] - 2 * jump.half_s;
      const std::int64_t goes_on = std::int64_t{jump.value} + y + chain_.back() - chain_[i + 1];
      offer({std::max(waits, goes_on), waits + goes_on}, event, before);
      from = std::min(from, new_half_s(jump));
      to = std::max(to, new_half_s(jump));
    }
    const auto x = static_cast<std::uint32_t>(half_.x[i]);
    Column& column = columns_[x];
    if (std::find(alive_.begin(), alive_.end(), x) == alive_.end()) alive_.push_back(x);
    column.cover(from, to, floor_at(i + 1));
    for (std::size_t n = 0; n < jumps_.size(); ++n) {
      const std::int32_t half_s = new_half_s(jumps_[n]);
      if (half_s < column.lowest) continue;
      const auto t = static_cast<std::size_t>(half_s - column.lowest);
      const std::int32_t value = chain_[i] - 2 * jumps_[n].half_s - half_.y[i];
      if (value >= column.value[t]) continue;
      column.value[t] = value;
      column.node[t] = nodes[n];
      column.best = std::min(column.best, value - 2 * half_s);
    }
  }

  std::uint32_t node_of(std::int32_t half_s, std::int32_t value, std::int32_t x) const {
    for (const std::uint32_t c : alive_) {
      const Column& column = columns_[c];
      const std::int32_t t = half_s - column.lowest;
      if (t < 0 || t >= static_cast<std::int32_t>(column.value.size())) continue;
      if (column.value[static_cast<std::size_t>(t)] + distance(c, x) == value)
        return column.node[static_cast<std::size_t>(t)];
    }
    std::abort();  // `value` is the least over these columns
  }

  /// Keeps the events that lead to a live state or to the best star. Events come after the ones they
  /// follow, so one backward sweep marks them and one forward sweep moves them.
  void collect_garbage() {
    std::vector<std::uint32_t> moved(events_.size(), 0);
    for (const std::uint32_t c : alive_)
      for (const std::uint32_t node : columns_[c].node)
        if (node != no_event) moved[node] = 1;
    if (best_ && best_event_.before != no_event) moved[best_event_.before] = 1;
    for (std::size_t n = events_.size(); n-- > 0;)
      if (moved[n] != 0 && events_[n].before != no_event) moved[events_[n].before] = 1;
    std::uint32_t kept = 0;
    for (std::size_t n = 0; n < events_.size(); ++n) {
      if (moved[n] == 0) continue;
      moved[n] = kept;
      events_[kept] = events_[n];
      if (events_[kept].before != no_event) events_[kept].before = moved[events_[kept].before];
      ++kept;
    }
    events_.resize(kept);
    for (const std::uint32_t c : alive_)
      for (std::uint32_t& node : columns_[c].node)
        if (node != no_event) node = moved[node];
    if (best_ && best_event_.before != no_event) best_event_.before = moved[best_event_.before];
  }

  void offer(const StarCost& cost, std::uint32_t event, std::uint32_t before) {
    if (cost.longest > limit_ || cost.traffic > sum_ || (best_ && !better(cost, *best_, goal_))) return;
    best_ = cost;
    best_event_ = {event, before};
    if (goal_ == Goal::longest_first) {
      limit_ = static_cast<std::int32_t>(cost.longest);
      sum_ = std::min(sum_, 2 * limit_);
    } else {
      sum_ = static_cast<std::int32_t>(cost.traffic);
    }
  }

  std::int32_t distance(std::uint32_t column, std::int32_t x) const {
    return std::abs(static_cast<std::int32_t>(column) - x);
  }
  /// Least half of s whose active path is within the limit at destination i.
  std::int32_t floor_at(std::size_t i) const {
    const std::int32_t s = chain_[i] - limit_;
    return s >= 0 ? (s + 1) / 2 : -((-s) / 2);
  }

  const PlaneHalf& half_;
  const CompletionBound& bound_;
  const std::vector<std::int32_t>& chain_;
  Goal goal_;
  std::size_t keep_;
  std::int32_t limit_ = 0;
  std::int32_t sum_ = 0;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> alive_;
  std::vector<std::int32_t> least_;  ///< q over the present window
  std::vector<Jump> jumps_;
  std::vector<PassEvent> events_;
  std::optional<StarCost> best_;
  PassEvent best_event_{};
};

CostedStar single_path(const PlaneHalf& half) {
  const PlaneStart start{half.single_port, 0, half.single_first_leg, 0, 0};
  CostedStar result{alternating_star(start, {}, half.x.size()), {}};
  result.cost.longest = result.cost.traffic = half.chain(half.single_first_leg);
  return result;
}

/// Lengths of the single path to every destination, from the first start's first leg.
std::vector<std::int32_t> chain_lengths(const PlaneHalf& half) {
  std::vector<std::int32_t> chain(half.x.size());
  chain[0] = half.starts.front().first_leg;
  for (std::size_t i = 1; i < chain.size(); ++i) chain[i] = chain[i - 1] + half.leg(i - 1, i);
  return chain;
}

std::int32_t least_traffic_bound(const PlaneHalf& half, const CompletionBound& bound,
                                 const std::vector<std::int32_t>& chain) {
  std::int32_t least = never;
  for (const PlaneStart& start : half.starts) {
    const std::int32_t gain =
        start.idle_length - half.source_y + bound.of_waiting(0, static_cast<std::size_t>(start.idle_x));
    least = std::min(least, chain.back() - chain[0] + start.first_leg + std::min(0, gain));
  }
  return least;
}

}  // namespace

CostedStar balanced_plane(const PlaneHalf& half, std::size_t keep) {
  CostedStar best = single_path(half);
  if (half.starts.empty()) return best;
  const CompletionBound bound(half);
  const std::vector<std::int32_t> chain = chain_lengths(half);
  const std::int32_t traffic = least_traffic_bound(half, bound, chain);
  std::int32_t limit = (traffic + 1) / 2;
  Pass pass(half, bound, chain, Goal::longest_first, keep);
  for (std::int32_t step = 1;; step *= 2) {
    limit = std::min(limit, static_cast<std::int32_t>(best.cost.longest));
    if (auto found = pass.run(limit, 2 * limit)) {
      if (found->cost < best.cost) best = std::move(*found);
      return best;
    }
    if (limit == best.cost.longest) return best;
    limit += step;
  }
}

std::optional<CostedStar> least_traffic_within(const PlaneHalf& half, std::int64_t limit, std::size_t keep) {
  std::optional<CostedStar> best = single_path(half);
  if (best->cost.longest > limit) best.reset();
  if (half.starts.empty()) return best;
  const CompletionBound bound(half);
  const std::vector<std::int32_t> chain = chain_lengths(half);
  const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(limit, chain.back() + 2));
  const std::int32_t sum = best ? static_cast<std::int32_t>(best->cost.traffic) : 2 * most;
  auto found = Pass(half, bound, chain, Goal::traffic_first, keep).run(most, sum);
  if (found && (!best || better(found->cost, best->cost, Goal::traffic_first))) best = std::move(found);
  return best;
}

}  // namespace wormcast
