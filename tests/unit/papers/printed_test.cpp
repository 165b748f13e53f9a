// Statements of the papers taken literally, executed from their printed text and nothing else: which
// labelings of a mesh are minimal, the report's Algorithm 2, the routing function of BTL.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "unit/multicast/random_requests.hpp"

namespace wormcast::printed_test {

using namespace testing;

namespace {

/// A mesh as the report defines it, by its own words alone.
struct PrintedMesh {
  int n;  ///< columns
  int m;  ///< rows

  int nodes() const { return n * m; }
  std::vector<int> neighbours(int u) const {
    std::vector<int> result;
    if (u % n > 0) result.push_back(u - 1);
    if (u % n < n - 1) result.push_back(u + 1);
    if (u / n > 0) result.push_back(u - n);
    if (u / n < m - 1) result.push_back(u + n);
    return result;
  }
  int distance(int u, int v) const { return std::abs(u % n - v % n) + std::abs(u / n - v / n); }
  /// Hops of the routing function R under these labels.
  int hops(int u, int v, const std::vector<int>& label) const {
    int count = 0;
    for (; u != v; ++count) {
      const bool up = label[std::size_t(u)] < label[std::size_t(v)];
      int best = -1;
      for (const int w : neighbours(u)) {
        const int l = label[std::size_t(w)];
        const bool fits = up ? l <= label[std::size_t(v)] : l >= label[std::size_t(v)];
        if (fits && (best < 0 || (l > label[std::size_t(best)]) == up)) best = w;
      }
      u = best;
    }
    return count;
  }
  bool minimal(const std::vector<int>& label) const {
    for (int u = 0; u < nodes(); ++u)
      for (int v = 0; v < nodes(); ++v)
        if (hops(u, v, label) != distance(u, v)) return false;
    return true;
  }
  std::vector<int> snake() const {
    std::vector<int> label;
    for (int y = 0; y < m; ++y)
      for (int x = 0; x < n; ++x) label.push_back(y % 2 == 0 ? y * n + x : y * n + n - x - 1);
    return label;
  }
};

/// Counts the Hamiltonian paths of the mesh, and those of them on which R is minimal.
struct PathCount {
  const PrintedMesh& mesh;
  std::vector<int> label = std::vector<int>(std::size_t(mesh.nodes()), -1);
  int all = 0;
  std::set<std::vector<int>> minimal = {};

  void extend(int u, int next) {
    label[std::size_t(u)] = next;
    if (next + 1 == mesh.nodes()) {
      ++all;
      if (mesh.minimal(label)) minimal.insert(label);
    } else {
      for (const int w : mesh.neighbours(u))
        if (label[std::size_t(w)] < 0) extend(w, next + 1);
    }
    label[std::size_t(u)] = -1;
  }
};

/// The labelings that a mesh's symmetries and the reversal of the order make of the snake.
std::set<std::vector<int>> images_of_the_snake(const PrintedMesh& mesh) {
  std::set<std::vector<int>> images;
  const PrintedMesh turned{mesh.m, mesh.n};
  for (int variant = 0; variant < 16; ++variant) {
    std::vector<int> label(std::size_t(mesh.nodes()));
    for (int u = 0; u < mesh.nodes(); ++u) {
      int x = u % mesh.n;
      int y = u / mesh.n;
      if (variant & 1) x = mesh.n - 1 - x;
      if (variant & 2) y = mesh.m - 1 - y;
      const int l = variant & 4 ? turned.snake()[std::size_t(x * mesh.m + y)]
                                : mesh.snake()[std::size_t(y * mesh.n + x)];
      label[std::size_t(u)] = variant & 8 ? mesh.nodes() - 1 - l : l;
    }
    images.insert(label);
  }
  return images;
}

/// How the report's Algorithm 2 is read: as printed, or with its indices mended.
struct Bounds {
  int first_i1;
  int first_i2;
  int i2_below_i1;  ///< 0: i2 runs to i1, 1: to i1 − 1
};

/// Algorithm 2, Fill(T, u, K), on the half above the source; least maximum over the entries
/// (k + 1, j, l1, l2) that became true, or −1 where there are none.
int algorithm_2(const PrintedMesh& mesh, int source, std::vector<int> destinations, const Bounds& bounds,
                int first_length, int last_length) {
  const std::vector<int> label = mesh.snake();
  const auto l = [&](int u) { return label[std::size_t(u)]; };
  std::sort(destinations.begin(), destinations.end(), [&](int a, int b) { return l(a) < l(b); });
  std::vector<int> ports;
  for (const int w : mesh.neighbours(source))
    if (l(w) > l(source)) ports.push_back(w);
  REQUIRE(ports.size() == 2);
  const int k = int(destinations.size());
  constexpr int infinite = 1 << 20;
  const auto next_hop = [&](int u, int v) {
    int best = -1;
    for (const int w : mesh.neighbours(u))
      if (l(w) <= l(v) && (best < 0 || l(w) > l(best))) best = w;
    return best;
  };
  const auto cost = [&](int from, int to) {  // c'(q_from, q_to); q_0 and q_1 are the source's ports
    const int v = destinations[std::size_t(to - 2)];
    if (from > 1) return mesh.hops(destinations[std::size_t(from - 2)], v, label);
    return next_hop(source, v) == ports[std::size_t(from)] ? mesh.hops(source, v, label) : infinite;
  };
  std::set<std::array<int, 4>> filled{{1, 0, 0, 0}};
  for (int i1 = bounds.first_i1; i1 <= k; ++i1)
    for (int i2 = bounds.first_i2; i2 <= i1 - bounds.i2_below_i1; ++i2)
      for (int k1 = first_length; k1 <= last_length; ++k1)
        for (int k2 = first_length; k2 <= last_length; ++k2) {
          if (filled.count({i1, i2, k1, k2}) == 0) continue;
          const int big = k1 + cost(i1, i1 + 1);
          const int small = k2 + cost(i2, i1 + 1);
          if (big < infinite) filled.insert({i1 + 1, i2, big, k2});
          if (small < infinite) filled.insert({i1 + 1, i1, small, k1});
        }
  int best = -1;
  for (const auto& [end, j, l1, l2] : filled)
    if (end == k + 1 && (best < 0 || std::max(l1, l2) < best)) best = std::max(l1, l2);
  return best;
}

int printed_longest_star(const PrintedMesh& mesh, int source, const std::vector<int>& destinations) {
  const auto network = make("mesh", {std::uint64_t(mesh.n), std::uint64_t(mesh.m)});
  std::vector<std::uint32_t> hosts(destinations.begin(), destinations.end());
  std::sort(hosts.begin(), hosts.end());
  const BoundPlanner otms(*find_planner("otms"), *network, {});
  return int(*expand(otms.plan(request_of(std::uint32_t(source), hosts)), otms.context().routing)
                  .plan.longest_path_hops);
}

}  // namespace

TEST_CASE("the report: only snakes and their images are labelings on which R is minimal") {
  // "any other Hamiltonian labeling of the mesh would have lead to a non-minimal path routing function"
  for (const PrintedMesh mesh : {PrintedMesh{2, 2}, {2, 3}, {2, 4}, {3, 3}, {4, 3}, {4, 4}}) {
    CAPTURE(mesh.n);
    CAPTURE(mesh.m);
    PathCount count{mesh};
    for (int u = 0; u < mesh.nodes(); ++u) count.extend(u, 0);
    CHECK(count.all >= 8);
    const std::set<std::vector<int>> images = images_of_the_snake(mesh);
    CHECK(count.minimal.count(mesh.snake()) == 1);
    for (const std::vector<int>& label : count.minimal) CHECK(images.count(label) == 1);
    if (mesh.n > 2 && mesh.m > 2) CHECK(count.minimal.size() == 8);
  }
}

TEST_CASE("the report: Algorithm 2 fills nothing as printed, and is right with four indices mended") {
  const PrintedMesh mesh{5, 4};
  const Bounds printed{2, 2, 0};
  const Bounds mended{1, 0, 1};
  Dice dice(17);
  int two_ports = 0;
  int short_bound_misses = 0;
  while (two_ports < 60) {
    // Sources whose two links upward exist: not in the highest row, not at the end of their row.
    const int source = int(dice.below(15));
    const std::vector<int> label = mesh.snake();
    std::vector<int> above;
    int ports = 0;
    for (const int w : mesh.neighbours(source)) ports += label[std::size_t(w)] > label[std::size_t(source)];
    for (int u = 0; u < mesh.nodes(); ++u)
      if (label[std::size_t(u)] > label[std::size_t(source)]) above.push_back(u);
    const std::size_t k = 2 + dice.below(4);
    if (ports < 2 || above.size() < k) continue;
    for (std::size_t i = 0; i < k; ++i)
      std::swap(above[i], above[i + dice.below(std::uint32_t(above.size() - i))]);
    above.resize(k);
    ++two_ports;
    CHECK(algorithm_2(mesh, source, above, printed, 2, mesh.n) == -1);
    CHECK(algorithm_2(mesh, source, above, mended, 0, mesh.nodes() - 1) ==
          printed_longest_star(mesh, source, above));
    // Lengths up to n, the number of columns, are not enough either.
    if (algorithm_2(mesh, source, above, mended, 0, mesh.n) == -1) ++short_bound_misses;
  }
  CHECK(short_bound_misses > 0);
}

TEST_CASE("BTL: equation (2) with n-1 read as m-1 still sends vertical lists the wrong way") {
  // hv_node for equal columns; `m` rows, source row `ys`.
  const auto next_row = [](int yu, int yv, int ys, int m) {
    if (yu == 0 && yv > ys + m / 2) return m - 1;
    if (yu == m - 1 && yv < ys - m / 2) return 0;
    return yu > yv ? yu - 1 : yu + 1;
  };
  const auto hops = [&](int yu, int yv, int ys, int m) {
    int count = 0;
    for (; yu != yv; ++count) yu = next_row(yu, yv, ys, m);
    return count;
  };
  // From the main path's row 2 of 8 to row 7, which Algorithm 2 puts below it: rows 1, 0, 7.
  CHECK(hops(2, 7, 2, 8) == 5);
  CHECK(next_row(2, 7, 2, 8) == 3);
  // The list {1, 7} starts downward and turns back.
  CHECK(next_row(2, 1, 2, 8) == 1);
  CHECK(next_row(1, 7, 2, 8) == 2);
  // Of the lists that stay on one side of the row, those that a node hands on in the wrong direction.
  int wrong = 0;
  int lists = 0;
  for (int ys = 0; ys < 4; ++ys)
    for (int mask = 1; mask < 8; ++mask) {
      int row = ys;
      bool turned = false;
      for (int step = 1; step <= 3; ++step) {  // the rows of M2, in the order of the list
        const int yv = (ys - step + 8) % 8;
        if ((mask >> (step - 1) & 1) == 0) continue;
        for (; row != yv; row = next_row(row, yv, ys, 8))
          if (next_row(row, yv, ys, 8) != (row + 7) % 8) {
            turned = true;
            break;
          }
        if (turned) break;
      }
      wrong += turned;
      ++lists;
    }
  CHECK(lists == 28);
  CHECK(wrong > 0);
}

}  // namespace wormcast::printed_test
