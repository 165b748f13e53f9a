// Searches of graphs whose nodes are numbers, and lists of what lies at each.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <vector>

namespace wormcast {

/// Items by the node that they lie at, in the order in which they came.
template <class Item>
class Lists {
 public:
  Lists() = default;
  /// each(visit) calls visit(node, item) for every one, twice the same.
  template <class Each>
  Lists(std::size_t nodes, const Each& each) : first_(nodes + 1) {
    each([&](std::size_t node, const Item&) { ++first_[node + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    items_.resize(first_.back());
    std::vector<std::uint32_t> free(first_.begin(), first_.end() - 1);
    each([&](std::size_t node, const Item& item) { items_[free[node]++] = item; });
  }

  std::size_t nodes() const { return first_.size() - 1; }
  const std::vector<Item>& all() const { return items_; }
  std::span<const Item> operator[](std::size_t node) const {
    return {items_.data() + first_[node], items_.data() + first_[node + 1]};
  }
  template <class Before>
  void sort_each(const Before& before) {
    for (std::size_t node = 0; node < nodes(); ++node)
      std::sort(items_.begin() + first_[node], items_.begin() + first_[node + 1], before);
  }

 private:
  std::vector<std::uint32_t> first_;  ///< of each node among the items
  std::vector<Item> items_;
};

/// What `open` leads to, itself too: each_next(one, visit) calls visit(next) for each that follows one.
template <class One, class EachNext>
std::set<One> all_reached(std::vector<One> open, const EachNext& each_next) {
  std::set<One> reached(open.begin(), open.end());
  while (!open.empty()) {
    const One at = open.back();
    open.pop_back();
    each_next(at, [&](const One& next) {
      if (reached.insert(next).second) open.push_back(next);
    });
  }
  return reached;
}

/// The same of numbers below `nodes`, as marks.
template <class EachNext>
std::vector<bool> marks_reached(std::size_t nodes, std::vector<std::uint32_t> open,
                                const EachNext& each_next) {
  std::vector<bool> reached(nodes);
  for (const std::uint32_t one : open) reached[one] = true;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    each_next(at, [&](std::uint32_t next) {
      if (!reached[next]) open.push_back(next);
      reached[next] = true;
    });
  }
  return reached;
}

/// Calls take(members) for every set of nodes that lead to each other, after those that they lead to.
/// `next(node, i)`: where its i-th edge leads, `nodes` behind the last. Linear. cite: Tarjan 1972.
template <class Next, class Take>
void each_component(std::uint32_t nodes, const Next& next, const Take& take) {
  std::vector<std::uint32_t> number(nodes), low(nodes), edge(nodes), path, open;
  std::uint32_t count = 0;
  const auto enter = [&](std::uint32_t node) {
    number[node] = low[node] = ++count;
    path.push_back(node);
    open.push_back(node);
  };
  for (std::uint32_t root = 0; root < nodes; ++root) {
    if (number[root] == 0) enter(root);
    while (!path.empty()) {
      const std::uint32_t at = path.back(), to = next(at, edge[at]);
      if (to < nodes && number[to] == 0) {
        enter(to);
      } else if (to < nodes) {
        low[at] = std::min(low[at], low[to]);
        ++edge[at];
      } else {
        path.pop_back();
        if (low[at] != number[at]) continue;
        const auto first = std::find(open.rbegin(), open.rend(), at).base() - 1;
        take(std::span<const std::uint32_t>(first, open.end()));
        for (auto member = first; member != open.end(); ++member) low[*member] = UINT32_MAX;  // leads no more
        open.erase(first, open.end());
      }
    }
  }
}

}  // namespace wormcast
