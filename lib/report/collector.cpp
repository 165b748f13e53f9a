// Grouping.
// SPDX-License-Identifier: MIT
#include "report/collector.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast {
namespace {

/// Kinds in the order in which they are preferred; each carries what those after it say.
constexpr std::array<std::string_view, 9> kind_order = {
    "delivery", "steps", "routes", "plan", "multicast", "summary", "verdict", "channel-load", "tables"};

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
       {"multicasts", "delivered_multicasts", "latency_cycles_max", "last_cycle",
        "offered_delivery_flits_per_node_cycle", "accepted_flits_per_node_cycle", "latency_cycles_mean",
        "network_latency_cycles_mean"}},
      {"verdict", {"worms", "dependencies"}},
      {"channel-load", {"flits", "held_cycles", "flits_per_cycle"}},
  };
  return list;
}

}  // namespace

bool is_known_metric(std::string_view name) {
  static const std::vector<std::string_view> of_windows = {"window_multicasts",
                                                           "window_delivered_multicasts",
                                                           "arrived_flits",
                                                           "offered_flits_per_node_cycle",
                                                           "offered_delivery_flits_per_node_cycle",
                                                           "accepted_flits_per_node_cycle",
                                                           "latency_cycles_mean",
                                                           "latency_cycles_interval95",
                                                           "latency_cycles_p50",
                                                           "latency_cycles_p95",
                                                           "latency_cycles_p99",
                                                           "window_latency_cycles_max",
                                                           "network_latency_cycles_mean"};
  const auto has = [&](const auto& names) { return std::ranges::find(names, name) != names.end(); };
  const std::vector<KindMetrics>& list = metrics_by_kind();
  return has(of_windows) ||
         std::any_of(list.begin(), list.end(), [&](const KindMetrics& entry) { return has(entry.metrics); });
}

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

bool natural_before(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  // The number that begins here without its leading zeros: the longer one is the greater one.
  const auto number = [&](std::string_view text) {
    std::size_t zeros = 0;
    while (zeros < text.size() && text[zeros] == '0') ++zeros;
    std::size_t end = zeros;
    while (end < text.size() && digit(text[end])) ++end;
    return std::pair(text.substr(zeros, end - zeros), end);
  };
  std::string_view x = a;
  std::string_view y = b;
  while (!x.empty() && !y.empty()) {
    if (digit(x.front()) && digit(y.front())) {
      const auto [m, m_end] = number(x);
      const auto [n, n_end] = number(y);
      if (m != n) return m.size() != n.size() ? m.size() < n.size() : m < n;
      x.remove_prefix(m_end);
      y.remove_prefix(n_end);
    } else {
      if (x.front() != y.front()) return x.front() < y.front();
      x.remove_prefix(1);
      y.remove_prefix(1);
    }
  }
  if (x.empty() != y.empty()) return x.empty();
  return a < b;
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
    std::fill(of_segment_.begin(), of_segment_.end(), std::string());
  }
  key_.resize(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    key_[i] = parameter(subject, parameters_[i]);
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

void KeyReader::check_all_seen(const std::string& field) const {
  if (segment_ == 0) return;  // no record came
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (seen_[i]) continue;
    std::vector<std::string_view> known;
    for (const ParameterText& text : known_parameters()) known.push_back(text.name);
    if (std::find(known.begin(), known.end(), parameters_[i]) != known.end()) continue;
    throw InputError(field, "no record has it: " + unknown_name_message("parameter", parameters_[i], known));
  }
}

Group& GroupedKind::group(const std::vector<std::string>& key) {
  const auto [place, fresh] = index.try_emplace(key, groups.size());
  if (fresh) groups.push_back({key, {}, 0});
  return groups[place->second];
}

std::size_t GroupedKind::metric_with(std::string_view name, unsigned metric_digits) {
  const std::size_t m = metric(name).value_or(metrics.size());
  if (m == metrics.size()) {
    metrics.emplace_back(name);
    digits.push_back(metric_digits);
  }
  if (digits[m] != metric_digits)
    throw InputError(std::string(name), "its number of decimals differs from earlier records");
  return m;
}

Collector::Collector(std::vector<std::string> by, Conditions where, bool apart)
    : by_(std::move(by)), where_(std::move(where)), apart_(apart), keys_([this] {
        std::vector<std::string> names = by_;
        if (apart_) names.emplace_back("routing");
        for (const auto& [name, value] : where_) names.push_back(name);
        return names;
      }()) {
  first_seen_.resize(by_.size() + (apart_ ? 1 : 0));
  values_of_where_.resize(where_.size());
}

void Collector::add(const Subject& subject) {
  if (subject.segment != segment_) {
    close_segment();
    segment_ = subject.segment;
  }
  if (apart_) learn_routers(subject);
  const std::vector<std::string>& key = keys_.read(subject);
  auto of_kind = open_.find(subject.kind);
  if (of_kind == open_.end()) of_kind = open_.emplace(subject.kind, GroupedKind{}).first;
  GroupedKind& grouped = of_kind->second;
  Group& group = grouped.group(key);
  ++group.records;
  for (const Metric& metric : subject.metrics) {
    const std::size_t m = grouped.metric_with(metric.name, metric.digits);
    while (group.samples.size() <= m)
      group.samples.emplace_back(percentiles_.contains(grouped.metrics[group.samples.size()]));
    group.samples[m].add(metric.value);
  }
}

void Collector::close_segment() {
  for (const auto& [kind, grouped] : open_)
    for (const Group& group : grouped.groups) take(kind, grouped, group);
  open_.clear();
  routers_.clear();
}

void Collector::learn_routers(const Subject& subject) {
  for (const Attribute& attribute : subject.attributes) {
    if (!attribute.router) continue;
    std::string& value = routers_.try_emplace(std::string(attribute.name), attribute.value).first->second;
    if (value != attribute.value) value = mixed_value;
  }
}

/// The values that came are kept, as many as a message may need.
bool Collector::meets_conditions(const std::vector<std::string>& key) {
  constexpr std::size_t most_values = 64;
  const std::size_t own = first_seen_.size();
  bool met = true;
  for (std::size_t i = 0; i < where_.size(); ++i) {
    const std::string& value = key[own + i];
    const bool fitting = fits(value, where_[i].second);
    met = met && fitting;
    std::set<std::string>& came = values_of_where_[i];
    if (fitting || came.size() < most_values) came.insert(value);
  }
  return met;
}

bool Collector::all_refused(const std::string& kind) const {
  if (kind.empty()) return kinds_.empty() && !refused_kinds_.empty();
  return !kinds_.contains(kind) && refused_kinds_.contains(kind);
}

std::string Collector::conditions_text() const {
  std::string text;
  for (std::size_t i = 0; i < where_.size(); ++i)
    text += (i > 0 ? " " : "") + condition_text(where_[i], values_of_where_[i]);
  return text;
}

/// Moves a group of the segment to the others, if it meets the conditions.
void Collector::take(const std::string& kind, const GroupedKind& grouped, const Group& group) {
  std::vector<std::string> key = group.key;
  for (std::size_t i = 0; i < key.size(); ++i)
    if (key[i].empty()) key[i] = keys_.of_segment()[i];
  const std::size_t own = first_seen_.size();
  if (!meets_conditions(key)) {
    refused_kinds_.insert(kind);
    return;
  }
  key.resize(own);
  for (std::size_t i = 0; i < key.size(); ++i) first_seen_[i].try_emplace(key[i], first_seen_[i].size());
  if (apart_) {
    // Until the end, when it is known in what they differ, routers stand in the key by their number.
    const auto known = std::find(known_routers_.begin(), known_routers_.end(), routers_);
    key.push_back(std::to_string(known - known_routers_.begin()));
    if (known == known_routers_.end()) known_routers_.push_back(routers_);
  }
  GroupedKind& all = kinds_[kind];
  Group& whole = all.group(key);
  whole.records += group.records;
  for (std::size_t m = 0; m < group.samples.size(); ++m) {
    const std::size_t target = all.metric_with(grouped.metrics[m], grouped.digits[m]);
    if (target >= whole.samples.size()) whole.samples.resize(target + 1);
    whole.samples[target].merge(group.samples[m]);
  }
}

/// Replaces routing and the routers' number in all keys by those parameters, out of routing and the routers',
/// whose values differ between groups of a kind that are the same otherwise. So no two groups become one.
void Collector::name_what_differs() {
  const std::size_t named = by_.size();
  std::vector<std::string> further = {"routing"};
  for (const RouterValues& routers : known_routers_)
    for (const auto& [name, value] : routers)
      if (std::find(further.begin(), further.end(), name) == further.end()) further.push_back(name);
  std::sort(further.begin() + 1, further.end());  // whichever routers came first
  const auto value = [&](const Group& group, std::size_t f) -> std::string {
    if (f == 0) return group.key[named];
    const RouterValues& routers = known_routers_[std::stoul(group.key[named + 1])];
    const auto found = routers.find(further[f]);
    return found == routers.end() ? "" : found->second;
  };
  std::vector<bool> differs(further.size(), false);
  for (const auto& [kind, grouped] : kinds_) {
    std::map<std::vector<std::string>, const Group*> first;
    for (const Group& group : grouped.groups) {
      const auto named_end = group.key.begin() + static_cast<std::ptrdiff_t>(named);
      const Group& same = *first.try_emplace({group.key.begin(), named_end}, &group).first->second;
      for (std::size_t f = 0; f < further.size(); ++f)
        differs[f] = differs[f] || value(same, f) != value(group, f);
    }
  }
  std::map<std::string, std::size_t> routings = std::move(first_seen_.back());
  first_seen_.pop_back();
  for (std::size_t f = 0; f < further.size(); ++f) {
    if (!differs[f]) continue;
    by_.push_back(further[f]);
    std::map<std::string, std::size_t>& seen = first_seen_.emplace_back();
    if (f == 0) seen.swap(routings);
    for (auto& [kind, grouped] : kinds_)
      for (Group& group : grouped.groups) {
        group.key.push_back(value(group, f));
        seen.try_emplace(group.key.back(), seen.size());
      }
  }
  for (auto& [kind, grouped] : kinds_) {
    grouped.index.clear();
    for (Group& group : grouped.groups) {
      const auto numbers = group.key.begin() + static_cast<std::ptrdiff_t>(named);
      group.key.erase(numbers, numbers + 2);
    }
  }
}

bool Collector::before(std::size_t parameter, const std::string& a, const std::string& b) const {
  const auto rank = [&](const std::string& value) -> std::tuple<int, double, std::size_t> {
    if (value.empty()) return {2, 0, 0};
    const std::size_t seen = first_seen_[parameter].at(value);
    if (const std::optional<double> number = as_number(value)) return {0, *number, seen};
    return {1, 0, seen};
  };
  const auto [a_class, a_number, a_seen] = rank(a);
  const auto [b_class, b_number, b_seen] = rank(b);
  if (sorted_ && a_class == b_class && a_number == b_number) return natural_before(a, b);
  return std::tie(a_class, a_number, a_seen) < std::tie(b_class, b_number, b_seen);
}

void Collector::finish(bool sorted) {
  sorted_ = sorted;
  close_segment();
  keys_.check_all_seen("--by, --where");
  if (apart_) name_what_differs();
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

std::vector<std::string> default_metrics() {
  std::vector<std::string> names;
  for (const KindMetrics& entry : metrics_by_kind())
    names.insert(names.end(), entry.metrics.begin(), entry.metrics.end());
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
