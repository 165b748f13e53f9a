// Which metrics are shown where none is named.
// SPDX-License-Identifier: MIT
#include "report/collector.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace wormcast::known_metrics_test {

namespace {

/// Summaries of closed runs and of runs with a window, by planner.
class Summaries {
 public:
  Summaries& closed(const std::string& planner) { return add(planner, {"multicasts", "latency_cycles_max"}); }
  Summaries& open(const std::string& planner) {
    return add(planner, {"multicasts", "latency_cycles_max", "window_multicasts", "window_latency_cycles_max",
                         "latency_cycles_interval95"});
  }
  std::vector<std::string> metrics() const { return default_metrics("summary", kind_); }

 private:
  Summaries& add(const std::string& planner, const std::vector<std::string>& own) {
    Group& group = kind_.group({planner});
    ++group.records;
    for (const std::string& name : own) {
      const std::size_t m = kind_.metric_with(name, 0);
      group.samples.resize(std::max(group.samples.size(), m + 1));
      group.samples[m].add(1);
    }
    const std::size_t mean = kind_.metric_with("latency_cycles_mean", 3);
    group.samples.resize(std::max(group.samples.size(), mean + 1));
    group.samples[mean].add(1);
    return *this;
  }

  GroupedKind kind_;
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("default metrics of summaries are of one population: the run, or its window") {
  CHECK(Summaries().closed("a").closed("b").metrics() ==
        Names{"multicasts", "latency_cycles_max", "latency_cycles_mean"});
  CHECK(Summaries().open("a").open("b").metrics() == Names{"window_multicasts", "latency_cycles_mean",
                                                           "latency_cycles_interval95",
                                                           "window_latency_cycles_max"});
  // The mean of intervals of several runs is not the interval of their mean.
  CHECK(Summaries().open("a").open("a").metrics() ==
        Names{"window_multicasts", "latency_cycles_mean", "window_latency_cycles_max"});
  // Each has its own columns where both came.
  CHECK(Summaries().closed("a").open("b").metrics() ==
        Names{"multicasts", "latency_cycles_max", "latency_cycles_mean", "window_multicasts",
              "latency_cycles_interval95", "window_latency_cycles_max"});
}

}  // namespace wormcast::known_metrics_test
