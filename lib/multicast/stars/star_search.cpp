// Least longest path by dynamic programming in label order over the ends and lengths of all paths.
//
// After destination i one path ends there; a state is where the other ones end (or which ports are
// still unused) and how long each is. Of states with the same ends only those matter of which no
// other is at most as long in every path. A pass with limit T drops states with a path longer than T,
// or whose lengths and cheapest completion add up to more than ports · T; the completion is bounded
// by the duals of the least-traffic star: visiting j costs at least price[j] − rent of whatever
// precedes it, each of which precedes at most one. With two ports this is the report's table of
// (end, end, length, length), one length replaced by its minimum. Unused ports of one kind are not told
// apart. T starts at a lower bound and grows by doubling steps; the best star of the first pass that finds
// one is optimal. A local search (star_exchange) says how far T need go at most, and gives the star where the
// passes stop at their limit.
// Cost: O(k^P · N^(P−1)) in the worst case for P ports; limits on the states made and on the words held at
// one time make it safe to call.
// cite: Bouchitté, Cohen, Fleury 1997, sections 4 and 5.
// SPDX-License-Identifier: MIT
#include "multicast/stars/star_search.hpp"

#include <limits>
#include <numeric>
#include <optional>

namespace wormcast {
namespace {

/// One decision: destination `at` was appended to the path that ended at `end`.
struct StarMove {
  std::uint32_t before;  ///< index of the move before, none for the first
  std::uint32_t end;     ///< predecessor: ports first, then destinations
};
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// Most 32-bit words of states and moves at one time. A state takes two a path: with many paths a limit on
/// states alone would let them fill the memory.
constexpr std::size_t most_words = 32'000'000;
constexpr std::size_t words_of_move = sizeof(StarMove) / sizeof(std::uint32_t);

/// States of one level in one flat array: the ends of the waiting paths, ascending; their lengths;
/// the length of the path that ends at the level's destination; the move that led here.
class Level {
 public:
  explicit Level(std::size_t ports) : waiting_(ports - 1), width_(2 * waiting_ + 2) {}

  std::size_t size() const { return data_.size() / width_; }
  std::size_t words() const { return data_.size(); }
  void clear() { data_.clear(); }
  std::uint32_t* append() {
    data_.resize(data_.size() + width_);
    return data_.data() + data_.size() - width_;
  }
  void drop_last() { data_.resize(data_.size() - width_); }
  const std::uint32_t* ends(std::size_t s) const { return data_.data() + s * width_; }
  void set_move(std::size_t s, std::uint32_t move) { data_[s * width_ + width_ - 1] = move; }
  const std::uint32_t* lengths(std::size_t s) const { return ends(s) + waiting_; }
  std::uint32_t active_length(std::size_t s) const { return lengths(s)[waiting_]; }
  std::uint32_t move(std::size_t s) const { return lengths(s)[waiting_ + 1]; }
  std::size_t waiting() const { return waiting_; }

  /// Keeps, of the states with the same ends, those that no other one covers.
  void keep_undominated() {
    std::vector<std::size_t> order(size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::lexicographical_compare(ends(a), ends(a) + width_, ends(b), ends(b) + width_);
    });
    std::vector<std::uint32_t> kept;
    std::size_t group = 0;  // first kept state with the same ends
    for (const std::size_t s : order) {
      const std::size_t count = kept.size() / width_;
      if (count > group && !std::equal(ends(s), ends(s) + waiting_, kept.data() + group * width_))
        group = count;
      bool covered = false;
      for (std::size_t other = group; other < count && !covered; ++other) {
        const std::uint32_t* lengths_of_other = kept.data() + other * width_ + waiting_;
        covered = std::equal(lengths(s), lengths(s) + waiting_ + 1, lengths_of_other,
                             [](std::uint32_t mine, std::uint32_t its) { return its <= mine; });
      }
      if (!covered) kept.insert(kept.end(), ends(s), ends(s) + width_);
    }
    data_ = std::move(kept);
  }

 private:
  std::size_t waiting_;
  std::size_t width_;
  std::vector<std::uint32_t> data_;
};

class StarSearch {
 public:
  StarSearch(const StarLegs& legs, const AssignmentDuals& duals, Goal goal, std::uint64_t state_limit)
      : legs_(legs),
        duals_(duals),
        goal_(goal),
        left_(state_limit),
        ports_(legs.port_count()),
        rest_(legs.size()) {
    // What visiting the destinations after i costs at least, before the rents of the paths' ends.
    std::int64_t rest = 0;
    for (std::size_t i = legs.size(); i-- > 0;) {
      rest_[i] = rest;
      rest += duals.price[i] - duals.rent[ports_ + i];
    }
  }

  bool exhausted() const { return exhausted_; }

  /// The best star with longest path <= limit and traffic <= sum; nothing if there is none, or if the
  /// state limit was reached.
  std::optional<CostedStar> run(std::int64_t limit, std::int64_t sum) {
    limit_ = limit;
    sum_ = sum;
    moves_.clear();
    Level level(ports_);
    Level next(ports_);
    begin(level);
    for (std::size_t i = 0; i + 1 < legs_.size() && level.size() > 0; ++i) {
      next.clear();
      for (std::size_t s = 0; s < level.size(); ++s) extend(level, s, i, next);
      if (exhausted_) return std::nullopt;
      next.keep_undominated();
      record_moves(next);
      std::swap(level, next);
    }
    return finish(level);
  }

 private:
  /// Destination 0 as the first of each port that allows it; of unused ports of one kind the first will do.
  void begin(Level& level) {
    for (std::size_t p = 0; p < ports_; ++p) {
      if (p > 0 && legs_.kind(p) == legs_.kind(p - 1)) continue;
      const std::uint32_t hops = legs_.first(p, 0);
      if (hops == StarLegs::no_leg) continue;
      std::uint32_t* state = level.append();
      for (std::size_t other = 0, w = 0; other < ports_; ++other)
        if (other != p) state[w++] = static_cast<std::uint32_t>(other);
      std::fill(state + level.waiting(), state + 2 * level.waiting(), 0u);
      state[2 * level.waiting()] = hops;
      state[2 * level.waiting() + 1] = static_cast<std::uint32_t>(moves_.size());
      moves_.push_back({none, static_cast<std::uint32_t>(p)});
      if (!fits(level, level.size() - 1, 0)) level.drop_last();
    }
  }

  /// All states after destination i + 1 that follow state s after destination i. The last entry of a
  /// new state is its predecessor state's move, to be replaced by its own if it is kept.
  void extend(const Level& level, std::size_t s, std::size_t i, Level& next) {
    const std::size_t waiting = level.waiting();
    const auto here = static_cast<std::uint32_t>(ports_ + i);
    if (const std::uint32_t onwards = legs_.leg(i, i + 1); onwards != StarLegs::no_leg)
      append(level, s, i, next, waiting, here, onwards, level.active_length(s));
    for (std::size_t w = 0; w < waiting; ++w) {
      const std::uint32_t end = level.ends(s)[w];
      if (w > 0 && end < ports_ && legs_.kind(end) == legs_.kind(level.ends(s)[w - 1])) continue;
      const std::uint32_t hops = end < ports_ ? legs_.first(end, i + 1) : legs_.leg(end - ports_, i + 1);
      if (hops != StarLegs::no_leg) append(level, s, i, next, w, here, hops, level.lengths(s)[w]);
    }
  }

  /// The path in slot w (waiting() = the active one) goes on to destination i + 1.
  void append(const Level& level, std::size_t s, std::size_t i, Level& next, std::size_t w,
              std::uint32_t here, std::uint32_t hops, std::uint32_t length) {
    const std::size_t moves = (moves_.size() + pending_.size()) * words_of_move;
    if (left_ == 0 || level.words() + next.words() + moves > most_words) exhausted_ = true;
    if (exhausted_) return;
    --left_;
    const std::size_t waiting = level.waiting();
    const std::uint32_t* ends = level.ends(s);
    const std::uint32_t* lengths = level.lengths(s);
    std::uint32_t* state = next.append();
    // Ends stay ascending: the destination just left is larger than all others.
    std::size_t to = 0;
    for (std::size_t from = 0; from < waiting; ++from) {
      if (from == w) continue;
      state[to] = ends[from];
      state[waiting + to] = lengths[from];
      ++to;
    }
    if (w < waiting) {
      state[to] = here;
      state[waiting + to] = level.active_length(s);
    }
    state[2 * waiting] = length + hops;
    state[2 * waiting + 1] = static_cast<std::uint32_t>(pending_.size());
    if (!fits(next, next.size() - 1, i + 1)) {
      next.drop_last();
      return;
    }
    pending_.push_back({level.move(s), w < waiting ? ends[w] : here});
  }

  /// Within the limits, the cheapest completion included.
  bool fits(const Level& level, std::size_t s, std::size_t i) const {
    const std::uint32_t* lengths = level.lengths(s);
    std::int64_t total = rest_[i] - duals_.rent[ports_ + i];
    for (std::size_t w = 0; w < level.waiting(); ++w) {
      if (lengths[w] > limit_) return false;
      total += std::int64_t{lengths[w]} - duals_.rent[level.ends(s)[w]];
    }
    return level.active_length(s) <= limit_ && total + level.active_length(s) <= sum_;
  }

  /// Gives every kept state a move of its own.
  void record_moves(Level& level) {
    for (std::size_t s = 0; s < level.size(); ++s) {
      moves_.push_back(pending_[level.move(s)]);
      level.set_move(s, static_cast<std::uint32_t>(moves_.size()) - 1);
    }
    pending_.clear();
  }

  std::optional<CostedStar> finish(const Level& level) const {
    std::optional<StarCost> best;
    std::uint32_t best_move = none;
    for (std::size_t s = 0; s < level.size(); ++s) {
      StarCost cost{level.active_length(s), level.active_length(s)};
      for (std::size_t w = 0; w < level.waiting(); ++w) {
        cost.longest = std::max(cost.longest, std::int64_t{level.lengths(s)[w]});
        cost.traffic += level.lengths(s)[w];
      }
      if (cost.traffic > sum_ || (best && !better(cost, *best, goal_))) continue;
      best = cost;
      best_move = level.move(s);
    }
    if (!best) return std::nullopt;
    return CostedStar{star_of(best_move), *best};
  }

  Star star_of(std::uint32_t move) const {
    std::vector<std::size_t> path_of(legs_.size());
    std::vector<std::uint32_t> ends(legs_.size());
    for (std::size_t i = legs_.size(); i-- > 0; move = moves_[move].before) ends[i] = moves_[move].end;
    Star star;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i] < ports_) {
        path_of[i] = star.size();
        star.push_back({ends[i], {}});
      } else {
        path_of[i] = path_of[ends[i] - ports_];
      }
      star[path_of[i]].stops.push_back(static_cast<std::uint32_t>(i));
    }
    return star;
  }

  const StarLegs& legs_;
  const AssignmentDuals& duals_;
  Goal goal_;
  std::uint64_t left_;
  std::size_t ports_;
  std::vector<std::int64_t> rest_;
  std::int64_t limit_ = 0;
  std::int64_t sum_ = 0;
  bool exhausted_ = false;
  std::vector<StarMove> moves_;
  std::vector<StarMove> pending_;
};

/// Each destination by the path that `choose` (lengths so far, destination, hops) says; nothing where it may
/// not.
template <class Choose>
std::optional<CostedStar> assigned(const StarLegs& legs, Choose choose) {
  Star star(legs.port_count());
  std::vector<std::int64_t> lengths(star.size(), 0);
  for (std::size_t p = 0; p < star.size(); ++p) star[p].port = p;
  for (std::uint32_t j = 0; j < legs.size(); ++j) {
    const auto hops = [&](std::size_t p) {
      return star[p].stops.empty() ? legs.first(p, j) : legs.leg(star[p].stops.back(), j);
    };
    const std::size_t chosen = choose(lengths, j, hops);
    if (chosen == none || hops(chosen) == StarLegs::no_leg) return std::nullopt;
    lengths[chosen] += hops(chosen);
    star[chosen].stops.push_back(j);
  }
  std::erase_if(star, [](const StarPath& path) { return path.stops.empty(); });
  return costed(legs, std::move(star));
}

/// Each to the path that it makes least long.
std::optional<CostedStar> greedy(const StarLegs& legs) {
  return assigned(legs, [](const std::vector<std::int64_t>& lengths, std::uint32_t, const auto& hops) {
    std::size_t best = none;
    for (std::size_t p = 0; p < lengths.size(); ++p)
      if (hops(p) != StarLegs::no_leg && (best == none || lengths[p] + hops(p) < lengths[best] + hops(best)))
        best = p;
    return best;
  });
}

/// Each by the outermost port that leads to it, as multi-path sends them.
std::optional<CostedStar> by_ports(const StarLegs& legs) {
  return assigned(legs, [&](const std::vector<std::int64_t>& lengths, std::uint32_t j, const auto&) {
    std::size_t chosen = none;
    for (std::size_t p = 0; p < lengths.size(); ++p) {
      const bool like_the_last = p > 0 && legs.kind(p) == legs.kind(p - 1);
      if (!like_the_last && legs.first(p, j) != StarLegs::no_leg) chosen = p;
    }
    return chosen;
  });
}

}  // namespace

Star freed(const StarHalf& free, const StarHalf& strict, Star star) {
  for (StarPath& path : star)
    path.port = static_cast<std::size_t>(
        std::find_if(free.ports().begin(), free.ports().end(),
                     [&](const StarPort& port) { return port.port == strict.ports()[path.port].port; }) -
        free.ports().begin());
  return star;
}

SearchResult least_longest_search(const StarLegs& legs, const AssignmentDuals& duals, const Star& cheapest,
                                  std::int64_t longest_bound, std::uint64_t state_limit) {
  const auto ports = static_cast<std::int64_t>(legs.port_count());
  SearchResult result;
  result.best = costed(legs, cheapest);
  result.bound.traffic = result.best.cost.traffic;
  result.bound.longest = std::max(longest_bound, (result.bound.traffic + ports - 1) / ports);
  const std::optional<CostedStar> others[] = {greedy(legs), by_ports(legs)};
  for (const std::optional<CostedStar>& other : others)
    if (other && other->cost < result.best.cost) result.best = *other;
  if (result.best.cost == result.bound) return result;
  // How good a star there is at least: the search goes no further. Where it stops, that star is the answer.
  CostedStar known = exchanged(legs, cheapest);
  for (const std::optional<CostedStar>& other : others)
    if (CostedStar second; other && (second = exchanged(legs, other->star)).cost < known.cost)
      known = std::move(second);
  StarSearch search(legs, duals, Goal::longest_first, state_limit);
  std::int64_t limit = result.bound.longest;
  for (std::int64_t step = 1;; step *= 2) {
    limit = std::min(limit, known.cost.longest);
    // Where nothing shorter can exist, only less traffic is looked for.
    const bool shortest = known.cost.longest == result.bound.longest;
    auto found = search.run(limit, shortest ? known.cost.traffic : ports * limit);
    if (search.exhausted()) {
      if (known.cost < result.best.cost) result.best = std::move(known);
      result.exact = result.best.cost == result.bound;
      return result;
    }
    if (found && found->cost < result.best.cost) result.best = std::move(*found);
    if (found || limit == known.cost.longest) break;
    result.bound.longest = limit + 1;
    limit += step;
  }
  result.bound = result.best.cost;
  return result;
}

SearchResult least_longest_search(StarHalf& half, std::uint64_t state_limit) {
  const Star cheapest = least_traffic_flow(half);
  const AssignmentDuals duals = duals_of(half, cheapest);
  SearchResult result = least_longest_search(half, duals, cheapest, 0, state_limit);
  if (result.exact || half.rule() == FirstHop::strict) return result;
  // Stars of the strict rule are stars of this one, too, and where it leaves fewer the search gets further.
  StarHalf strict = half.strict();
  CostedStar other =
      exchanged(half, freed(half, strict, least_longest_search(strict, state_limit).best.star));
  if (other.cost < result.best.cost) result.best = std::move(other);
  result.exact = result.best.cost == result.bound;
  return result;
}

SearchResult least_traffic_search(StarHalf& half, std::int64_t limit, const CostedStar& fallback,
                                  std::uint64_t state_limit) {
  const AssignmentDuals duals = duals_of(half, least_traffic_flow(half));
  StarSearch search(half, duals, Goal::traffic_first, state_limit);
  SearchResult result{fallback, {0, duals.bound()}, true};
  auto found = search.run(limit, fallback.cost.traffic);
  result.exact = !search.exhausted();
  if (found && better(found->cost, result.best.cost, Goal::traffic_first)) result.best = std::move(*found);
  if (result.exact) result.bound = result.best.cost;
  return result;
}

}  // namespace wormcast
