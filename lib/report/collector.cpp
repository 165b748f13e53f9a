// Grouping.
// SPDX-License-Identifier: MIT
#include "report/collector.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast {
namespace {

/// Kinds in the order in which they are preferred; each carries what those after it say.
constexpr std::array<std::string_view, 8> kind_order = {"delivery", "routes",  "plan",         "multicast",
                                                        "summary",  "verdict", "channel-load", "tables"};

struct KindMetrics {
  std::string_view kind;
  std::vector<std::string_view> metrics;
};

const std::vector<KindMetrics>& metrics_by_kind() {
  static const std::vector<KindMetrics> list = {
      {"delivery", {"traffic_channels", "longest_path_hops", "latency_cycles", "blocked_cycles"}},
      {"routes", {"traffic_channels", "longest_path_hops"}},
      {"plan", {"traffic_channels", "longest_path_hops"}},
      {"multicast", {"destination_count", "length_flits"}},
      {"summary", {"multicasts", "delivered_multicasts", "last_cycle"}},
      {"channel-load", {"flits", "held_cycles"}},
  };
  return list;
}

}  // namespace

std::optional<double> as_number(std::string_view text) {
  if (text.empty() || text.size() > 15) return std::nullopt;
  double whole = 0;
  double scale = 1;
  bool point = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      whole = whole * 10 + (c - '0');
      if (point) scale *= 10;
    } else {
      return std::nullopt;
    }
  }
  if (text == ".") return std::nullopt;
  return whole / scale;
}

std::optional<std::size_t> GroupedKind::metric(std::string_view name) const {
  const auto found = std::find(metrics.begin(), metrics.end(), name);
  if (found == metrics.end()) return std::nullopt;
  return static_cast<std::size_t>(found - metrics.begin());
}

const Accumulator& GroupedKind::sample(const Group& group, std::size_t metric) const {
  static const Accumulator none;
  return metric < group.samples.size() ? group.samples[metric] : none;
}

const std::vector<std::string>& KeyReader::read(const Subject& subject) {
  if (subject.segment != segment_) {
    segment_ = subject.segment;
    std::fill(common_.begin(), common_.end(), std::nullopt);
  }
  key_.resize(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    key_[i] = parameter(subject, parameters_[i]);
    if (subject.plan != nullptr) {
      if (!common_[i])
        common_[i] = key_[i];
      else if (*common_[i] != key_[i])
        common_[i] = mixed_value;
    } else if (key_[i].empty() && common_[i]) {
      key_[i] = *common_[i];
    }
    if (!key_[i].empty()) seen_[i] = true;
  }
  return key_;
}

void KeyReader::check_all_seen(const std::string& field) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (seen_[i]) continue;
    std::vector<std::string_view> known;
    for (const ParameterText& text : known_parameters()) known.push_back(text.name);
    if (std::find(known.begin(), known.end(), parameters_[i]) != known.end()) continue;
    throw InputError(field, "no record has it: " + unknown_name_message("parameter", parameters_[i], known));
  }
}

void Collector::add(const Subject& subject) {
  const std::vector<std::string>& key = keys_.read(subject);
  first_seen_.resize(key.size());
  for (std::size_t i = 0; i < key.size(); ++i) first_seen_[i].try_emplace(key[i], first_seen_[i].size());
  auto of_kind = kinds_.find(subject.kind);
  if (of_kind == kinds_.end()) of_kind = kinds_.emplace(subject.kind, GroupedKind{}).first;
  GroupedKind& grouped = of_kind->second;
  const auto [place, fresh] = grouped.index.try_emplace(key, grouped.groups.size());
  if (fresh) grouped.groups.push_back({key, {}, 0});
  Group& group = grouped.groups[place->second];
  ++group.records;
  for (const Metric& metric : subject.metrics) {
    std::size_t m = grouped.metric(metric.name).value_or(grouped.metrics.size());
    if (m == grouped.metrics.size()) {
      grouped.metrics.emplace_back(metric.name);
      grouped.digits.push_back(metric.digits);
    }
    if (grouped.digits[m] != metric.digits)
      throw InputError(std::string(metric.name), "its number of decimals differs from earlier records");
    if (m >= group.samples.size()) group.samples.resize(m + 1);
    group.samples[m].add(metric.value);
  }
}

bool Collector::before(std::size_t parameter, const std::string& a, const std::string& b) const {
  const auto rank = [&](const std::string& value) -> std::tuple<int, double, std::size_t> {
    if (value.empty()) return {2, 0, 0};
    const std::size_t seen = first_seen_[parameter].at(value);
    if (const std::optional<double> number = as_number(value)) return {0, *number, seen};
    return {1, 0, seen};
  };
  return rank(a) < rank(b);
}

void Collector::finish() {
  if (!empty()) keys_.check_all_seen("--by");
  for (auto& [name, grouped] : kinds_) {
    std::sort(grouped.groups.begin(), grouped.groups.end(), [&](const Group& a, const Group& b) {
      for (std::size_t i = 0; i < a.key.size(); ++i)
        if (a.key[i] != b.key[i]) return before(i, a.key[i], b.key[i]);
      return false;
    });
    for (std::size_t g = 0; g < grouped.groups.size(); ++g) grouped.index[grouped.groups[g].key] = g;
  }
}

std::vector<std::string> Collector::values(const GroupedKind& kind, std::size_t parameter) const {
  std::vector<std::string> all;
  for (const Group& group : kind.groups) all.push_back(group.key[parameter]);
  std::sort(all.begin(), all.end(),
            [&](const std::string& a, const std::string& b) { return a != b && before(parameter, a, b); });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

const GroupedKind* Collector::kind(std::string_view name) const {
  const auto found = kinds_.find(name);
  return found == kinds_.end() ? nullptr : &found->second;
}

std::vector<std::string> Collector::kinds() const {
  std::vector<std::string> names;
  for (const std::string_view name : kind_order)
    if (kind(name) != nullptr) names.emplace_back(name);
  return names;
}

std::vector<std::string> default_metrics(std::string_view kind, const GroupedKind& grouped) {
  std::vector<std::string> names;
  for (const KindMetrics& entry : metrics_by_kind())
    if (entry.kind == kind)
      for (const std::string_view name : entry.metrics)
        if (grouped.metric(name)) names.emplace_back(name);
  return names;
}

}  // namespace wormcast
