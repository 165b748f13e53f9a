// The metrics of each kind of record.
// SPDX-License-Identifier: MIT
#include "report/collector.hpp"

#include <algorithm>

namespace wormcast {
namespace {

constexpr std::string_view window_count = "window_multicasts";
constexpr std::string_view latency_mean = "latency_cycles_mean";
constexpr std::string_view latency_interval = "latency_cycles_interval95";
constexpr std::string_view energy = "energy_picojoules";
constexpr std::string_view multicast_energy = "multicast_energy_picojoules";

struct KindMetrics {
  std::string_view kind;
  std::vector<std::string_view> metrics;
};

const std::vector<KindMetrics>& metrics_by_kind() {
  static const std::vector<KindMetrics> list = {
      {"delivery",
       {"traffic_channels", "traffic_gap_channels", "longest_path_hops", "chain_gap_hops", "latency_cycles",
        "blocked_cycles"}},
      {"steps", {"steps", "least_steps", "blocked"}},
      {"routes", {"traffic_channels", "traffic_gap_channels", "longest_path_hops", "chain_gap_hops"}},
      {"plan", {"traffic_channels", "traffic_gap_channels", "longest_path_hops", "chain_gap_hops"}},
      {"multicast", {"destination_count", "length_flits"}},
      {"summary",
       {"multicasts", "delivered_multicasts", "latency_cycles_max", "last_cycle", latency_mean, energy,
        multicast_energy}},
      // Of runs with a window, in place of the former: one population, its mean and how sure that is.
      {"summary",
       {window_count, "window_delivered_multicasts", "offered_delivery_flits_per_node_cycle",
        "accepted_flits_per_node_cycle", latency_mean, latency_interval, "window_latency_cycles_max",
        "network_latency_cycles_mean", energy, multicast_energy}},
      {"traffic-class",
       {"multicasts", "delivered_multicasts", "offered_delivery_flits_per_node_cycle",
        "accepted_flits_per_node_cycle", latency_mean, "latency_cycles_max", energy, multicast_energy}},
      {"verdict", {"worms", "dependencies", "unrouted_pairs"}},
      {"channel-load", {"flits", "held_cycles", "flits_per_cycle"}},
  };
  return list;
}

}  // namespace

bool is_known_metric(std::string_view name) {
  static const std::vector<std::string_view> others = {"arrived_flits", "offered_flits_per_node_cycle",
                                                       "latency_cycles_p50", "latency_cycles_p95",
                                                       "latency_cycles_p99"};
  const auto has = [&](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const std::vector<KindMetrics>& list = metrics_by_kind();
  return has(others) ||
         std::any_of(list.begin(), list.end(), [&](const KindMetrics& entry) { return has(entry.metrics); });
}

bool depends_on_others(std::string_view name) {
  return name == "latency_cycles" || name == "source_queueing_cycles" || name == "blocked_cycles" ||
         name == "contention";
}

std::vector<std::string> default_metrics() {
  std::vector<std::string> names;
  for (const KindMetrics& entry : metrics_by_kind())
    names.insert(names.end(), entry.metrics.begin(), entry.metrics.end());
  return names;
}

std::vector<std::string> default_metrics(std::string_view kind, const GroupedKind& grouped) {
  const std::optional<std::size_t> window = grouped.metric(window_count);
  const auto windows = [&](const Group& group) {
    return window ? grouped.sample(group, *window).count() : std::uint64_t{0};
  };
  const bool all_have_windows =
      window && std::all_of(grouped.groups.begin(), grouped.groups.end(),
                            [&](const Group& g) { return windows(g) == g.records; });
  const bool several_runs = std::any_of(grouped.groups.begin(), grouped.groups.end(),
                                        [&](const Group& g) { return windows(g) > 1; });
  std::vector<std::string> names;
  for (const KindMetrics& entry : metrics_by_kind()) {
    if (entry.kind != kind) continue;
    const bool of_windows = entry.metrics.front() == window_count;
    if (of_windows && !window) continue;
    for (const std::string_view name : entry.metrics) {
      const bool of_whole_runs = kind == "summary" && !of_windows;
      // The mean of several runs' intervals is not the interval of their mean.
      if ((of_whole_runs && all_have_windows) || (name == latency_interval && several_runs)) continue;
      if (grouped.metric(name) && std::find(names.begin(), names.end(), name) == names.end())
        names.emplace_back(name);
    }
  }
  return names;
}

}  // namespace wormcast
