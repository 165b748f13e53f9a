// OCMS as the report computes it: bipartite graph, minimum-weight perfect matching, extraction.
//
// Left nodes: the ports of the source and the destinations, as what a destination may follow. Right
// nodes: the destinations, and as many ends as there are ports, each reachable from everywhere at no
// cost. An edge has the hops of the leg. Perfect matchings are stars, and the lightest is the
// optimum. The matching grows by one left node at a time along a shortest augmenting path under dual
// values. Any acyclic relation of what may follow what will do.
// Cost: O((k + P)³) time, O(k + P) memory beside the table of legs.
// cite: Bouchitté, Cohen, Fleury 1997, section 3, algorithm 1; Kuhn 1955, Munkres 1957.
// SPDX-License-Identifier: MIT
#include "unit/multicast/star_matching.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace wormcast {
namespace {

using Weight = std::int64_t;
constexpr Weight forbidden = std::int64_t{1} << 40;
constexpr Weight unreached = std::numeric_limits<Weight>::max() / 4;

class Matching {
 public:
  explicit Matching(const StarLegs& legs)
      : legs_(legs),
        ports_(legs.port_count()),
        size_(legs.size() + ports_),
        left_dual_(size_ + 1, 0),
        right_dual_(size_ + 1, 0),
        left_of_(size_ + 1, 0) {}

  Star solve() {
    for (std::size_t left = 1; left <= size_; ++left) insert(left);
    std::vector<std::size_t> after(size_);
    for (std::size_t right = 1; right <= size_; ++right) after[left_of_[right] - 1] = right - 1;
    Star star;
    for (std::size_t p = 0; p < ports_; ++p) {
      StarPath path{p, {}};
      for (std::size_t j = after[p]; j < legs_.size(); j = after[ports_ + j])
        path.stops.push_back(static_cast<std::uint32_t>(j));
      if (!path.stops.empty()) star.push_back(std::move(path));
    }
    return star;
  }

  /// Whether every destination has found something it may follow.
  bool complete() const {
    for (std::size_t right = 1; right <= legs_.size(); ++right)
      if (weight(left_of_[right] - 1, right - 1) == forbidden) return false;
    return true;
  }

  /// left + right <= weight everywhere, and equal where matched; shifted so that ends cost nothing and
  /// rents are not negative. A price then is the least offer.
  AssignmentDuals duals() const {
    const Weight end = *std::max_element(right_dual_.begin() + static_cast<std::ptrdiff_t>(legs_.size()) + 1,
                                         right_dual_.end());
    AssignmentDuals result;
    for (std::size_t left = 1; left <= size_; ++left) result.rent.push_back(-left_dual_[left] - end);
    for (std::size_t right = 0; right < legs_.size(); ++right) {
      Weight price = forbidden;
      for (std::size_t left = 0; left < ports_ + right; ++left)
        if (const Weight hops = weight(left, right); hops != forbidden)
          price = std::min(price, result.rent[left] + hops);
      result.price.push_back(price);
    }
    return result;
  }

 private:
  /// Left nodes are ports, then destinations; right nodes are destinations, then ends.
  Weight weight(std::size_t left, std::size_t right) const {
    if (right >= legs_.size()) return 0;
    if (left >= ports_ && left - ports_ >= right) return forbidden;
    const std::uint32_t hops = left < ports_ ? legs_.first(left, right) : legs_.leg(left - ports_, right);
    return hops == StarLegs::no_leg ? forbidden : Weight{hops};
  }

  /// Nodes count from 1 here; 0 stands for "none" and for the root of the search.
  void insert(std::size_t new_left) {
    left_of_[0] = new_left;
    std::vector<Weight> slack(size_ + 1, unreached);
    std::vector<std::size_t> from(size_ + 1, 0);
    std::vector<bool> in_tree(size_ + 1, false);
    std::size_t right = 0;
    do {
      in_tree[right] = true;
      const std::size_t left = left_of_[right];
      std::size_t nearest = 0;
      Weight least = unreached;
      for (std::size_t r = 1; r <= size_; ++r) {
        if (in_tree[r]) continue;
        const Weight reduced = weight(left - 1, r - 1) - left_dual_[left] - right_dual_[r];
        if (reduced < slack[r]) {
          slack[r] = reduced;
          from[r] = right;
        }
        if (slack[r] < least) {
          least = slack[r];
          nearest = r;
        }
      }
      for (std::size_t r = 0; r <= size_; ++r) {
        if (in_tree[r]) {
          left_dual_[left_of_[r]] += least;
          right_dual_[r] -= least;
        } else {
          slack[r] -= least;
        }
      }
      right = nearest;
    } while (left_of_[right] != 0);
    while (right != 0) {
      left_of_[right] = left_of_[from[right]];
      right = from[right];
    }
  }

  const StarLegs& legs_;
  std::size_t ports_;
  std::size_t size_;
  std::vector<Weight> left_dual_;
  std::vector<Weight> right_dual_;
  std::vector<std::size_t> left_of_;  ///< matched left node of each right node
};

}  // namespace

std::optional<CertifiedStar> least_traffic_paths(const StarLegs& legs) {
  Matching matching(legs);
  Star star = matching.solve();
  if (!matching.complete()) return std::nullopt;
  return CertifiedStar{std::move(star), matching.duals()};
}

}  // namespace wormcast
