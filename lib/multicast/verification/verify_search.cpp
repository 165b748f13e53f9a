// The report's recurrence for any number of paths, as a check of longest paths and fronts.
//
// After destination i one path ends there; a state is where all others end (or that they are unused) and
// the lengths of all. Of states with the same ends those are dropped of which another has no path longer.
// So are those that cannot stay within the limits: what is still to be visited costs at least its prices
// less the rents of all that may precede it, which valid duals prove. Written apart from the planners'
// search (star_search), and without the way back to the star.
// Cost: O(k^P · N^(P−1)) states in the worst case for P paths, up to a limit of states and one of memory.
// cite: Bouchitté, Cohen, Fleury 1997, sections 4 and 5.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "multicast/verification/verify_parts.hpp"

namespace wormcast {
namespace {

using Hops = StarProblem::Hops;
constexpr std::size_t most_states_a_level = std::size_t{1} << 20;
constexpr std::size_t most_states = std::size_t{1} << 25;
constexpr std::size_t most_numbers = std::size_t{1} << 25;  ///< in the rows of a level: 256 MiB

/// States in rows: the ends of the waiting paths, ascending (paths themselves, then destinations); their
/// lengths; the length of the path at the present destination.
class Recurrence {
 public:
  Recurrence(const StarProblem& problem, const StarDuals& duals, Hops limit, Hops most)
      : problem_(problem),
        duals_(duals),
        limit_(limit),
        paths_(problem.paths()),
        most_(std::min(most, static_cast<Hops>(paths_) * limit)),
        width_(2 * paths_ - 1),
        rest_(problem.size() + 1, 0) {
    for (std::size_t j = problem.size(); j-- > 0;) rest_[j] = rest_[j + 1] + duals.prices[j] - duals.rents[j];
  }

  std::optional<Hops> least_traffic() {
    std::vector<Hops> row(width_, 0);
    for (std::size_t p = 0; p < paths_; ++p) {
      if (p > 0 && problem_.kind(p) == problem_.kind(p - 1)) continue;
      for (std::size_t other = 0, w = 0; other < paths_; ++other)
        if (other != p) row[w++] = static_cast<Hops>(other);
      row.back() = problem_.first(p, 0);
      offer(row, 0);
    }
    for (std::size_t j = 1; j < problem_.size() && !rows_.empty(); ++j) {
      before_.swap(rows_);
      rows_.clear();
      for (const Hops* state = before_.data(); state != before_.data() + before_.size(); state += width_)
        go_on(state, j, row);
      drop_covered();
    }
    std::optional<Hops> least;
    for (const Hops* state = rows_.data(); state != rows_.data() + rows_.size(); state += width_) {
      const Hops traffic = std::accumulate(state + paths_ - 1, state + width_, Hops{0});
      if (traffic <= most_) least = std::min(least.value_or(traffic), traffic);
    }
    return least;
  }

 private:
  /// Every way to visit destination j next.
  void go_on(const Hops* state, std::size_t j, std::vector<Hops>& row) {
    const std::size_t waiting = paths_ - 1;
    std::copy(state, state + width_, row.begin());
    row.back() = state[2 * waiting] + problem_.leg(j - 1, j);
    offer(row, j);
    for (std::size_t w = 0; w < waiting; ++w) {
      const auto end = static_cast<std::size_t>(state[w]);
      // Of unused paths of one kind the first will do.
      if (end < paths_ && w > 0 && static_cast<std::size_t>(state[w - 1]) < paths_ &&
          problem_.kind(static_cast<std::size_t>(state[w - 1])) == problem_.kind(end))
        continue;
      const Hops hops = end < paths_ ? problem_.first(end, j) : problem_.leg(end - paths_, j);
      for (std::size_t from = 0, to = 0; from < waiting; ++from) {
        if (from == w) continue;
        row[to] = state[from];
        row[waiting + to++] = state[waiting + from];
      }
      row[waiting - 1] = static_cast<Hops>(paths_ + j - 1);
      row[2 * waiting - 1] = state[2 * waiting];
      row[2 * waiting] = state[waiting + w] + hops;
      offer(row, j);
    }
  }

  /// Keeps a state at destination j that can stay within the limits.
  void offer(const std::vector<Hops>& row, std::size_t j) {
    if (row.back() > limit_) return;
    Hops total = rest_[j + 1] - duals_.rents[j] + row.back();
    for (std::size_t w = 0; w + 1 < paths_; ++w) {
      const auto end = static_cast<std::size_t>(row[w]);
      if (row[paths_ - 1 + w] > limit_) return;
      total += row[paths_ - 1 + w] - (end < paths_ ? duals_.path_rents[end] : duals_.rents[end - paths_]);
    }
    if (total > most_) return;
    if (++states_ > most_states || rows_.size() > most_numbers) throw SearchTooLarge{};
    rows_.insert(rows_.end(), row.begin(), row.end());
  }

  void drop_covered() {
    const std::size_t waiting = paths_ - 1;
    std::vector<const Hops*> order;
    for (std::size_t at = 0; at < rows_.size(); at += width_) order.push_back(rows_.data() + at);
    std::sort(order.begin(), order.end(), [&](const Hops* a, const Hops* b) {
      return std::lexicographical_compare(a, a + width_, b, b + width_);
    });
    std::vector<Hops> kept;
    std::size_t group = 0;  // where the states with the same ends begin
    for (const Hops* state : order) {
      if (group < kept.size() && !std::equal(state, state + waiting, kept.data() + group))
        group = kept.size();
      bool covered = false;
      for (std::size_t at = kept.size(); at > group && !covered; at -= width_) {
        const Hops* other = kept.data() + at - width_;
        covered = std::equal(other + waiting, other + width_, state + waiting, std::less_equal<>());
        if (paths_ == 2) break;  // lengths of the one fall as the other's grow: the last covers, or none
      }
      if (!covered) kept.insert(kept.end(), state, state + width_);
    }
    rows_ = std::move(kept);
    if (rows_.size() / width_ > most_states_a_level) throw SearchTooLarge{};
  }

  const StarProblem& problem_;
  const StarDuals& duals_;
  Hops limit_;
  std::size_t paths_;
  Hops most_;
  std::size_t width_;
  std::vector<Hops> rest_;  ///< of destinations from j on, their own rents taken off
  std::vector<Hops> rows_;
  std::vector<Hops> before_;
  std::size_t states_ = 0;
};

}  // namespace

std::optional<Hops> least_traffic_of_stars(const StarProblem& problem, const StarDuals& duals, Hops limit,
                                           Hops most) {
  return Recurrence(problem, duals, limit, most).least_traffic();
}

Hops furthest_way(const StarProblem& problem) {
  std::vector<Hops> way(problem.size(), StarProblem::far);
  for (std::size_t j = 0; j < problem.size(); ++j) {
    for (std::size_t p = 0; p < problem.paths(); ++p) way[j] = std::min(way[j], problem.first(p, j));
    for (std::size_t i = 0; i < j; ++i) way[j] = std::min(way[j], way[i] + problem.leg(i, j));
  }
  return *std::max_element(way.begin(), way.end());
}

// Checks that a front is one, and that it lacks nothing.
//
// Between two neighbouring points a better star would be shorter than the longer one and cheaper than the
// shorter one. The halves share no channel, so the least traffic under a limit on the longest path is the
// sum of theirs, and each is found by the recurrence (verify_search). Beyond the last point only cheaper
// stars are looked for, which the dual values mostly settle by themselves.
// Cost: a recurrence for each point and half, up to a limit of states.
// cite: this project.

namespace {

std::string shown(std::uint64_t longest, std::uint64_t traffic) {
  return "[" + std::to_string(longest) + "," + std::to_string(traffic) + "]";
}

/// Is there a star of paths of at most `limit` hops and `most` channels?
bool exists(const std::vector<ProvenStars>& halves, Hops limit, Hops most) {
  Hops least = 0;
  for (const ProvenStars& half : halves) least += half.traffic;
  for (const ProvenStars& half : halves) {
    if (least > most) return false;
    const auto found = least_traffic_of_stars(*half.stars, half.duals, limit, most - (least - half.traffic));
    if (!found) return false;
    least += *found - half.traffic;
  }
  return least <= most;
}

}  // namespace

void check_front_order(const Plan& plan) {
  const std::vector<FrontPoint>& front = plan.front;
  const auto has_front = [](const Planner& planner) { return planner.front != nullptr; };
  const Planner* const planner = find_planner(plan.planner);
  if (planner == nullptr || !has_front(*planner))
    fail("front", "only {} plans have a front", names_of_planners(has_front));
  if (!plan.longest_path_hops || !plan.traffic_channels)
    fail("front", "the plan states no traffic_channels and longest_path_hops to compare it with");
  bool covered = false;
  for (std::size_t i = 0; i < front.size(); ++i) {
    const FrontPoint& point = front[i];
    const std::string place = indexed("front", i);
    if (point.worms.empty()) fail(place, "it has no worms that could be checked");
    if (i > 0 && point.longest_path_hops <= front[i - 1].longest_path_hops)
      fail(place, "its longest path must be above that of the point before it");
    if (i > 0 && point.traffic_channels >= front[i - 1].traffic_channels)
      fail(place, "{} is beaten by the point before it",
           shown(point.longest_path_hops, point.traffic_channels));
    covered = covered || (point.longest_path_hops <= *plan.longest_path_hops &&
                          point.traffic_channels <= *plan.traffic_channels);
  }
  if (!covered)
    fail("front", "the plan itself, {}, is beaten by no point and is none",
         shown(*plan.longest_path_hops, *plan.traffic_channels));
}

bool front_is_complete(const Plan& plan, const RoutingFunction& routing) {
  if (plan.certificate.empty()) return false;
  const std::vector<ProvenStars> halves = proven_stars(plan, routing);
  try {
    for (std::size_t i = 0; i <= plan.front.size(); ++i) {
      const Hops most = i == 0 ? StarProblem::far : static_cast<Hops>(plan.front[i - 1].traffic_channels) - 1;
      // No path is longer than the whole star.
      const Hops limit =
          i == plan.front.size() ? most : static_cast<Hops>(plan.front[i].longest_path_hops) - 1;
      if (!exists(halves, limit, most)) continue;
      if (i == 0) fail("front", "a star whose longest path is below that of every point exists");
      fail("front", "a star of at most {} exists, which no point covers",
           shown(static_cast<std::uint64_t>(limit), static_cast<std::uint64_t>(most)));
    }
  } catch (const SearchTooLarge&) {
    return false;
  }
  return true;
}

}  // namespace wormcast
