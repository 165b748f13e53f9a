// Local search over stars: two paths at a time.
//
// A change takes two paths and either exchanges what they visit from one place of the order on, or moves
// one destination from one to the other; an unused port is a path without stops. Both keep the order of
// visits, so every star made is one of the class. The search first saves channels without making any path
// longer than the longest is; then it shortens the paths that are longest, at any price, saves channels
// again, and goes on like this as long as (longest path, traffic) falls.
// Cost: O(paths · k) changes a round; their number is limited.
// cite: Lin 1965 and Or 1976 (exchange of tails and moves of single stops for tours).
// SPDX-License-Identifier: MIT
#include "multicast/stars/star_search.hpp"

#include <limits>
#include <utility>

namespace wormcast {
namespace {

using Hops = std::int64_t;
constexpr Hops no_path = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t most_changes = 4'000'000;

struct ExchangedPath {
  std::vector<std::uint32_t> stops;
  std::vector<Hops> hops{0};  ///< up to each stop, after a 0

  Hops length() const { return hops.back(); }
};

/// What can be done to two paths, and their lengths then.
struct Change {
  bool one_stop = false;  ///< stop `n` of path `from` goes to place `m` of path `to`; else the tails change
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t n = 0;
  std::size_t m = 0;
  Hops longer = no_path;
  Hops together = no_path;
};

class Exchange {
 public:
  Exchange(const StarLegs& legs, const Star& star) : legs_(&legs), paths_(legs.port_count()) {
    for (const StarPath& path : star) {
      paths_[path.port].stops = path.stops;
      measure(path.port);
    }
  }

  CostedStar star() const {
    CostedStar result;
    for (std::size_t p = 0; p < paths_.size(); ++p)
      if (!paths_[p].stops.empty()) result.star.push_back({p, paths_[p].stops});
    result.cost = cost();
    return result;
  }

  StarCost cost() const {
    StarCost cost;
    for (const ExchangedPath& path : paths_) {
      cost.longest = std::max(cost.longest, path.length());
      cost.traffic += path.length();
    }
    return cost;
  }

  /// Less traffic, no path above the limit, until no pair of paths allows it.
  void cheapen(Hops limit) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t a = 0; a < paths_.size(); ++a)
        for (std::size_t b = a + 1; b < paths_.size(); ++b) {
          const Hops together = paths_[a].length() + paths_[b].length();
          changed |= take(a, b, [&](const Change& now, const Change& best) {
            return now.longer <= limit && now.together < std::min(together, best.together);
          });
        }
    }
  }

  /// Fewer paths as long as the longest, then a shorter longest, until no change of one of them helps;
  /// without `at_any_price` no change may cost traffic.
  void shorten(bool at_any_price) {
    for (bool changed = true; changed;) {
      changed = false;
      const Hops longest = cost().longest;
      for (std::size_t a = 0; a < paths_.size(); ++a)
        for (std::size_t b = 0; b < paths_.size() && paths_[a].length() == longest; ++b) {
          const Hops most = at_any_price ? no_path : paths_[a].length() + paths_[b].length();
          changed |= a != b && take(a, b, [&](const Change& now, const Change& best) {
                       return now.longer < std::min(longest, best.longer) && now.together <= most;
                     });
        }
    }
  }

 private:
  /// Hops to destination j from the nth stop of path p, or from its port.
  Hops onwards(std::size_t p, std::size_t n, std::uint32_t j) const {
    const std::uint32_t hops = n == 0 ? legs_->first(p, j) : legs_->leg(paths_[p].stops[n - 1], j);
    return hops == StarLegs::no_leg ? no_path : Hops{hops};
  }
  /// Hops of path p after its stop of index n.
  Hops after(std::size_t p, std::size_t n) const { return paths_[p].length() - paths_[p].hops[n + 1]; }

  void measure(std::size_t p) {
    ExchangedPath& path = paths_[p];
    path.hops.assign(1, 0);
    for (std::size_t n = 0; n < path.stops.size(); ++n)
      path.hops.push_back(path.hops[n] + onwards(p, n, path.stops[n]));
  }

  /// Of unused ports of one kind the first will do.
  bool spare(std::size_t p) const {
    return p > 0 && paths_[p].stops.empty() && paths_[p - 1].stops.empty() &&
           legs_->kind(p) == legs_->kind(p - 1);
  }

  /// Does the change of two paths that `wanted` prefers over all others; false if it wants none.
  template <class Wanted>
  bool take(std::size_t a, std::size_t b, const Wanted& wanted) {
    if ((paths_[a].stops.empty() && paths_[b].stops.empty()) || spare(a) || spare(b)) return false;
    Change best;
    const auto offer = [&](const Change& now) {
      ++changes_;
      if (now.longer < no_path && wanted(now, best)) best = now;
    };
    if (changes_ < most_changes) {
      offer_tails(a, b, offer);
      offer_stops(a, b, offer);
      offer_stops(b, a, offer);
    }
    if (best.longer == no_path) return false;
    apply(best);
    return true;
  }

  template <class Offer>
  void offer_tails(std::size_t a, std::size_t b, const Offer& offer) const {
    const ExchangedPath& one = paths_[a];
    const ExchangedPath& other = paths_[b];
    std::size_t i = 0;
    std::size_t j = 0;
    const auto joined = [&](std::size_t p, std::size_t n, std::size_t q, std::size_t m) {
      const ExchangedPath& tail = paths_[q];
      return paths_[p].hops[n] + (m < tail.stops.size() ? onwards(p, n, tail.stops[m]) + after(q, m) : 0);
    };
    while (i < one.stops.size() || j < other.stops.size()) {
      const Hops mine = joined(a, i, b, j);
      const Hops its = joined(b, j, a, i);
      offer({false, a, b, i, j, std::max(mine, its), mine + its});
      if (j == other.stops.size() || (i < one.stops.size() && one.stops[i] < other.stops[j]))
        ++i;
      else
        ++j;
    }
  }

  /// Each stop of path a to path b.
  template <class Offer>
  void offer_stops(std::size_t a, std::size_t b, const Offer& offer) const {
    const ExchangedPath& from = paths_[a];
    const ExchangedPath& to = paths_[b];
    std::size_t m = 0;
    for (std::size_t n = 0; n < from.stops.size(); ++n) {
      const std::uint32_t stop = from.stops[n];
      while (m < to.stops.size() && to.stops[m] < stop) ++m;
      const Hops without = n + 1 < from.stops.size() ? onwards(a, n, from.stops[n + 1]) + after(a, n + 1) : 0;
      Hops with = onwards(b, m, stop);
      if (m < to.stops.size()) {
        const std::uint32_t leg = legs_->leg(stop, to.stops[m]);
        with += leg == StarLegs::no_leg ? no_path : leg + after(b, m);
      }
      const Hops mine = from.hops[n] + without;
      const Hops its = to.hops[m] + with;
      offer({true, a, b, n, m, std::max(mine, its), mine + its});
    }
  }

  void apply(const Change& change) {
    std::vector<std::uint32_t>& one = paths_[change.from].stops;
    std::vector<std::uint32_t>& other = paths_[change.to].stops;
    const auto at = one.begin() + static_cast<std::ptrdiff_t>(change.n);
    const auto there = other.begin() + static_cast<std::ptrdiff_t>(change.m);
    if (change.one_stop) {
      other.insert(there, *at);
      one.erase(at);
    } else {
      const std::vector<std::uint32_t> tail(at, one.end());
      one.erase(at, one.end());
      one.insert(one.end(), there, other.end());
      other.erase(there, other.end());
      other.insert(other.end(), tail.begin(), tail.end());
    }
    measure(change.from);
    measure(change.to);
  }

  const StarLegs* legs_;
  std::vector<ExchangedPath> paths_;  ///< by port
  std::uint64_t changes_ = 0;
};

}  // namespace

CostedStar exchanged(const StarLegs& legs, const Star& star) {
  Exchange best(legs, star);
  best.cheapen(best.cost().longest);
  for (;;) {
    Exchange next = best;
    next.shorten(true);
    next.cheapen(next.cost().longest);
    if (!(next.cost() < best.cost())) return best.star();
    best = std::move(next);
  }
}

CostedStar shortened(const StarLegs& legs, const Star& star) {
  Exchange exchange(legs, star);
  exchange.shorten(false);
  return exchange.star();
}

}  // namespace wormcast
