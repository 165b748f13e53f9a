// The mean of a tree over all sources and destination sets, worked out exactly, against a sample of plans.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>

#include "multicast/planner.hpp"
#include "multicast/workload/workload.hpp"

namespace wormcast::tree_means_test {

namespace {

constexpr std::uint32_t side = 16;
constexpr std::uint32_t others = side * side - 1;

/// Probability that none of `count` of the nodes beside the source is among k destinations.
double none_of(std::uint32_t count, std::uint32_t k) {
  double result = 1;
  for (std::uint32_t i = 0; i < k; ++i)
    result *= i + count < others ? static_cast<double>(others - count - i) / (others - i) : 0.0;
  return result;
}

/// Channels of the dimension-order tree, expected for k destinations: a channel of the source's row belongs
/// to it if a destination lies in the columns beyond, one of a column if one lies in the column beyond.
double expected_traffic(std::uint32_t k) {
  double sum = 0;
  for (std::uint32_t at = 0; at < side; ++at)  // the source's column, or row
    for (std::uint32_t cut = 0; cut + 1 < side; ++cut) {
      const std::uint32_t beyond = at <= cut ? side - 1 - cut : cut + 1;
      sum += side * (1 - none_of(beyond * side, k)) + side * side * (1 - none_of(beyond, k));
    }
  return sum / (side * side);
}

/// The distance of the furthest of k destinations, expected.
double expected_distance(std::uint32_t k) {
  double sum = 0;
  for (std::uint32_t source = 0; source < side * side; ++source) {
    for (std::uint32_t distance = 0; distance < 2 * side; ++distance) {
      std::uint32_t further = 0;
      for (std::uint32_t node = 0; node < side * side; ++node) {
        const auto apart = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
        if (apart(source % side, node % side) + apart(source / side, node / side) > distance) ++further;
      }
      sum += 1 - none_of(further, k);  // P(furthest > distance)
    }
  }
  return sum / (side * side);
}

struct Sample {
  double sum = 0, squares = 0, count = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
    ++count;
  }
  double mean() const { return sum / count; }
  double standard_error() const { return std::sqrt((squares / count - mean() * mean()) / (count - 1)); }
};

}  // namespace

TEST_CASE("xy-tree on 16x16: traffic and longest path have their expectations as means") {
  const auto mesh = build_topology({"mesh", {side, side}, 0, {}});
  const BoundPlanner planner(*find_planner("xy-tree"), *mesh, {});
  for (const std::uint32_t k : {4u, 16u, 128u}) {
    CAPTURE(k);
    WorkloadSpec spec;
    spec.options.destinations = std::to_string(k);
    spec.closed.count = 1500;
    Workload workload(spec, *mesh);
    Sample traffic, longest;
    while (auto request = workload.next()) {
      const Plan plan = planner.plan(std::move(*request));
      traffic.add(static_cast<double>(*plan.traffic_channels));
      longest.add(static_cast<double>(*plan.longest_path_hops));
    }
    CHECK(std::abs(traffic.mean() - expected_traffic(k)) < 4 * traffic.standard_error());
    CHECK(std::abs(longest.mean() - expected_distance(k)) < 4 * longest.standard_error());
  }
  // The figures of data/pages/results-chips.md: 84.1 and 19.5 for 16 destinations, 227.4 and 22.4 for 128.
  CHECK(expected_traffic(16) == doctest::Approx(84.0886).epsilon(1e-5));
  CHECK(expected_distance(16) == doctest::Approx(19.4889).epsilon(1e-5));
  CHECK(expected_traffic(128) == doctest::Approx(227.3735).epsilon(1e-5));
  CHECK(expected_distance(128) == doctest::Approx(22.3830).epsilon(1e-5));
}

}  // namespace wormcast::tree_means_test
