// The values that records are grouped by, conditions on them, and the metrics of each kind of record.
// SPDX-License-Identifier: MIT
#include "report/collector.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

std::vector<ParameterOf> KeyReader::known_of(const std::vector<std::string>& parameters) {
  std::vector<ParameterOf> known;
  for (const std::string& name : parameters) known.push_back(known_parameter(name));
  return known;
}

const std::vector<std::string>& KeyReader::read(const Subject& subject) {
  if (subject.segment != segment_) {
    segment_ = subject.segment;
    std::fill(common_.begin(), common_.end(), std::nullopt);
    std::fill(of_segment_.begin(), of_segment_.end(), std::string());
  }
  key_.resize(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    key_[i] = parameter(subject, parameters_[i], known_[i]);
    if (subject.plan != nullptr) {
      if (!common_[i])
        common_[i] = key_[i];
      else if (*common_[i] != key_[i])
        common_[i] = mixed_value;
    } else if (key_[i].empty()) {
      if (common_[i]) key_[i] = *common_[i];
    } else if (of_segment_[i].empty() || of_segment_[i] == key_[i]) {
      of_segment_[i] = key_[i];
    } else {
      of_segment_[i] = mixed_value;
    }
    if (!key_[i].empty()) seen_[i] = true;
  }
  return key_;
}

void learn_run(const std::vector<Attribute>& attributes, RunValues& run) {
  for (const Attribute& attribute : attributes) {
    if (attribute.of == Attribute::Of::record) continue;
    std::string& value = run.try_emplace(std::string(attribute.name), attribute.value).first->second;
    if (value != attribute.value) value = mixed_value;
  }
}

void KeyReader::check_all_seen(const std::string& field, std::span<const std::string_view> but) const {
  if (segment_ == 0) return;  // no record came
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (seen_[i] || std::find(but.begin(), but.end(), parameters_[i]) != but.end()) continue;
    std::vector<std::string_view> known;
    for (const KnownParameter& text : known_parameters()) known.push_back(text.name);
    if (std::find(known.begin(), known.end(), parameters_[i]) != known.end()) continue;
    refuse(field, "no record has it: {}", unknown_name_message("parameter", parameters_[i], known));
  }
}

Conditions parse_conditions(const std::vector<std::string>& texts) {
  Conditions conditions;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      refuse("--where", "'{}' is not of the form PARAMETER=VALUE", text);
    conditions.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return conditions;
}

bool fits(std::string_view value, const std::pair<std::string, std::string>& condition) {
  const auto& [name, wanted] = condition;
  if (value == wanted) return true;
  if (value.empty()) return false;
  const std::vector<std::string_view> values = parts_of(wanted, ',');
  return std::any_of(values.begin(), values.end(), [&, planner = name == "planner"](std::string_view one) {
    if (!planner) return value == one;
    return value == one || value.substr(0, value.find(':')) == one ||
           (one.ends_with(':') && value == one.substr(0, one.size() - 1));
  });
}

std::string condition_text(const std::pair<std::string, std::string>& condition,
                           const std::set<std::string>& came) {
  const auto& [name, value] = condition;
  std::string text = name + "=" + value;
  if (std::any_of(came.begin(), came.end(), [&](const auto& one) { return fits(one, condition); }))
    return text;
  for (const std::string_view one : parts_of(value, ','))
    if (const std::string question = did_you_mean(one, {came.begin(), came.end()}); !question.empty())
      return text + " (" + question + ")";
  return text;
}

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
