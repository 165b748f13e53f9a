// Groups records by parameters and accumulates their metrics.
// SPDX-License-Identifier: MIT
#include "report/collector.hpp"

#include <array>

#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// What keeps records apart where no --by groups them; parameters of the whole run, those
/// of its routers among them, come on top.
constexpr std::array<std::string_view, 10> apart_names = {
    "routing",  "length_flits", "pattern",          "rate",   "load", "reading",
    "priority", "scope",        "virtual_channels", "network"};
constexpr std::size_t apart_rate = 3, apart_load = 4;

/// Kinds in the order in which they are preferred; each carries what those after it say.
constexpr std::array<std::string_view, 10> kind_order = {
    "delivery", "steps",         "routes",  "plan",         "multicast",
    "summary",  "traffic-class", "verdict", "channel-load", "tables"};

/// Of a summary: the run was ended, by a deadlock or its backlog, and has no delivery of what is measured.
bool ended_undelivered(const Subject& subject) {
  const auto ended = [](const Attribute& one) { return one.name == "outcome" && one.value != "complete"; };
  const auto none = [&](const Metric& one) {
    return (one.name == "delivered_multicasts" || one.name == "window_delivered_multicasts") &&
           one.value == 0;
  };
  return subject.kind == "summary" &&
         std::any_of(subject.attributes.begin(), subject.attributes.end(), ended) &&
         std::any_of(subject.metrics.begin(), subject.metrics.end(), none);
}

}  // namespace

std::optional<std::size_t> GroupedKind::metric(std::string_view name) const {
  const std::size_t at = position_of(metrics, name);
  return at == metrics.size() ? std::nullopt : std::optional(at);
}

const Accumulator& GroupedKind::sample(const Group& group, std::size_t metric) const {
  static const Accumulator none;
  return metric < group.samples.size() ? group.samples[metric] : none;
}

Group& GroupedKind::group(const std::vector<std::string>& key) {
  const auto [place, fresh] = index.try_emplace(key, groups.size());
  if (fresh) groups.push_back({key, {}, 0, {}});
  return groups[place->second];
}

std::size_t GroupedKind::metric_with(std::string_view name, unsigned metric_digits) {
  // They mostly come in the order of the record before.
  const bool next = next_metric < metrics.size() && metrics[next_metric] == name;
  const std::size_t m = next ? next_metric : metric(name).value_or(metrics.size());
  next_metric = m + 1;
  if (m == metrics.size()) {
    metrics.emplace_back(name);
    digits.push_back(metric_digits);
  }
  if (digits[m] != metric_digits)
    refuse(std::string(name), "its number of decimals differs from earlier records");
  return m;
}

Collector::Collector(std::vector<std::string> by, const std::vector<std::string>& further, Conditions where,
                     bool apart, std::string runs_by)
    : by_(std::move(by)),
      shown_(by_.size()),
      where_(std::move(where)),
      apart_(apart),
      runs_by_(std::move(runs_by)),
      runs_by_known_(known_parameter(runs_by_)),
      keys_([&] {
        for (const std::string& name : further) add_missing(by_, name);
        std::vector<std::string> names = by_;
        if (apart_) names.insert(names.end(), apart_names.begin(), apart_names.end());
        for (const auto& [name, value] : where_) names.push_back(name);
        return names;
      }()) {
  first_seen_.resize(by_.size() + (apart_ ? apart_names.size() : 0));
  values_of_where_.resize(where_.size());
}

void Collector::add(const Subject& subject) {
  if (subject.segment != segment_) {
    close_segment();
    segment_ = subject.segment;
  }
  if (apart_) learn_run(subject.attributes, run_);
  const std::vector<std::string>& key = keys_.read(subject);
  auto of_kind = open_.find(subject.kind);
  if (of_kind == open_.end()) of_kind = open_.emplace(subject.kind, GroupedKind{}).first;
  GroupedKind& grouped = of_kind->second;
  Group& group = grouped.group(key);
  ++group.records;
  if (subject.kind == "delivery") {
    const std::string run(parameter(subject, runs_by_, runs_by_known_));
    runs_are_named_ = runs_are_named_ || !run.empty();
    group.runs.insert(run);
  }
  if (ended_undelivered(subject)) ended_ = {key, {}, 0, {}};
  grouped.next_metric = 0;
  for (const Metric& metric : subject.metrics) {
    const std::size_t m = grouped.metric_with(metric.name, metric.digits);
    if (metric.missing) continue;
    while (group.samples.size() <= m)
      group.samples.emplace_back(percentiles_.contains(grouped.metrics[group.samples.size()]));
    group.samples[m].add(metric.value);
  }
}

void Collector::close_segment() {
  for (auto& [kind, grouped] : open_)
    for (Group& group : grouped.groups) take(kind, grouped, group, kinds_);
  for (const char* const kind : {"delivery", "channel-load"})
    if (ended_ && !open_.contains(kind)) take(kind, {}, *ended_, without_records_);
  ended_.reset();
  open_.clear();
  run_.clear();
}

std::string Collector::without_records(std::string_view name) const {
  const auto value = [&](const Group& group, std::string_view parameter) {
    const std::size_t at = position_of(by_, parameter);
    return at == by_.size() ? "" : group.key[at];
  };
  std::set<std::string> schemes;
  for (const Group& group : kind(name)->groups)
    if (group.records == 0) schemes.insert(value(group, "planner") + " (" + value(group, "outcome") + ")");
  std::string text;
  for (const std::string& scheme : schemes)
    text += (text.empty() ? "nothing was delivered by " : ", ") + scheme;
  return text;
}

/// Where other runs have records of a kind, those that ended too early for any do not vanish.
void Collector::add_runs_without_records() {
  for (const auto& [kind, grouped] : without_records_)
    if (const auto found = kinds_.find(kind); found != kinds_.end())
      for (const Group& group : grouped.groups) found->second.group(group.key);
}

/// The values that came are kept, as many as a message may need.
bool Collector::meets_conditions(const std::vector<std::string>& key) {
  constexpr std::size_t most_values = 64;
  const std::size_t own = first_seen_.size();
  bool met = true;
  for (std::size_t i = 0; i < where_.size(); ++i) {
    const std::string& value = key[own + i];
    const bool fitting = fits(value, where_[i]);
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

/// The number of the run that a group of the segment is of.
std::uint64_t Collector::run_of(const Group& group) {
  std::set<std::string> name = group.runs;
  name.erase("");
  if (name.empty()) name = {"", std::to_string(segment_)};  // no value is empty
  return numbers_of_runs_.try_emplace(std::move(name), numbers_of_runs_.size()).first->second;
}

/// Moves a group of the segment to the others, if it meets the conditions.
void Collector::take(const std::string& kind, const GroupedKind& grouped, Group& group,
                     std::map<std::string, GroupedKind, std::less<>>& into) {
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
    // Until the end, when it is known in what they differ, runs stand in the key by their number.
    key.push_back(std::to_string(run_numbers_.try_emplace(run_, run_numbers_.size()).first->second));
  }
  GroupedKind& all = into[kind];
  Group& whole = all.group(key);
  whole.records += group.records;
  for (std::size_t m = 0; m < grouped.metrics.size(); ++m) {
    const std::size_t target = all.metric_with(grouped.metrics[m], grouped.digits[m]);
    if (m >= group.samples.size()) continue;
    if (target >= whole.samples.size()) whole.samples.resize(target + 1);
    if (!group.runs.empty()) group.samples[m].end_run(run_of(group));
    whole.samples[target].merge(group.samples[m]);
  }
}

/// Replaces what keeps groups apart, and the run's number, in all keys by those of these parameters whose
/// values differ between groups of a kind that are the same otherwise. So no two groups become one.
void Collector::name_what_differs() {
  const std::size_t first_apart = by_.size();
  const std::size_t run_number = first_apart + apart_names.size();
  std::vector<const RunValues*> runs(run_numbers_.size());
  std::set<std::string, std::less<>> names;  // in order: whichever run came first
  for (const auto& [values, number] : run_numbers_) {
    runs[number] = &values;
    for (const auto& [name, value] : values) names.insert(name);
  }
  std::vector<std::string> further(apart_names.begin(), apart_names.end());
  further.insert(further.end(), names.begin(), names.end());
  const auto value = [&](const Group& group, std::size_t f) -> std::string {
    if (f < apart_names.size()) return group.key[first_apart + f];
    const RunValues& run = *runs[std::stoul(group.key[run_number])];
    const auto found = run.find(further[f]);
    return found == run.end() ? "" : found->second;
  };
  std::vector<bool> differs(further.size(), false);
  for (const auto& [kind, grouped] : kinds_) {
    std::map<std::vector<std::string>, const Group*> first;
    for (const Group& group : grouped.groups) {
      const auto shown_end = group.key.begin() + static_cast<std::ptrdiff_t>(shown_);
      const Group& same = *first.try_emplace({group.key.begin(), shown_end}, &group).first->second;
      for (std::size_t f = 0; f < further.size(); ++f)
        differs[f] = differs[f] || value(same, f) != value(group, f);
    }
  }
  // Of one class of traffic the load is its rate.
  bool loads = false;
  for (const auto& [kind, grouped] : kinds_)
    for (const Group& group : grouped.groups)
      loads = loads ||
              (!value(group, apart_load).empty() && value(group, apart_load) != value(group, apart_rate));
  differs[apart_load] = differs[apart_load] && loads;
  std::vector<std::size_t> named;
  for (std::size_t f = 0; f < further.size(); ++f)
    if (differs[f] && position_of(by_, further[f]) >= shown_) named.push_back(f);
  insert_parameters(further, named, value);
}

/// Makes further parameters grouping ones, after those that are shown, with what `value` says of each group.
void Collector::insert_parameters(const std::vector<std::string>& names,
                                  const std::vector<std::size_t>& wanted,
                                  const std::function<std::string(const Group&, std::size_t)>& value) {
  const auto at = static_cast<std::ptrdiff_t>(shown_);
  std::vector<std::map<std::string, std::size_t>> seen(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] < apart_names.size()) seen[i] = first_seen_[by_.size() + wanted[i]];
  for (auto& [kind, grouped] : kinds_) {
    grouped.index.clear();
    for (Group& group : grouped.groups) {
      std::vector<std::string> values;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        values.push_back(value(group, wanted[i]));
        seen[i].try_emplace(values.back(), seen[i].size());
      }
      group.key.resize(by_.size());
      group.key.insert(group.key.begin() + at, values.begin(), values.end());
    }
  }
  first_seen_.resize(by_.size());
  first_seen_.insert(first_seen_.begin() + at, seen.begin(), seen.end());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    by_.insert(by_.begin() + at + static_cast<std::ptrdiff_t>(i), names[wanted[i]]);
  shown_ += wanted.size();
}

bool Collector::before(std::size_t parameter, const std::string& a, const std::string& b) const {
  const std::optional<NumberText> m = number_text(a);
  const std::optional<NumberText> n = number_text(b);
  const auto rank = [](const std::string& text, bool number) { return text.empty() ? 2 : number ? 0 : 1; };
  const int of_a = rank(a, m.has_value());
  const int of_b = rank(b, n.has_value());
  if (of_a != of_b) return of_a < of_b;
  if (m && n && (*m < *n || *n < *m)) return *m < *n;
  return sorted_ ? natural_before(a, b) : first_seen_[parameter].at(a) < first_seen_[parameter].at(b);
}

void Collector::sort(GroupedKind& grouped, const std::vector<std::string>& names) const {
  std::vector<std::size_t> parameters;
  for (const std::string& name : names) parameters.push_back(position_of(by_, name));
  std::sort(grouped.groups.begin(), grouped.groups.end(), [&](const Group& a, const Group& b) {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (a.key[i] != b.key[i]) return before(parameters[i], a.key[i], b.key[i]);
    return false;
  });
  for (std::size_t g = 0; g < grouped.groups.size(); ++g) grouped.index[grouped.groups[g].key] = g;
}

void Collector::finish(bool sorted, bool dependent, bool steady) {
  sorted_ = sorted;
  close_segment();
  if (kinds_.contains("delivery") && !runs_are_named_ && runs_by_ != runs_by_default)
    refuse("--runs-by", "no delivery has the parameter '{}'", runs_by_);
  if (const auto found = kinds_.find("delivery"); dependent && found != kinds_.end())
    for (Group& group : found->second.groups)
      for (std::size_t m = 0; m < group.samples.size(); ++m)
        if (depends_on_others(found->second.metrics[m])) group.samples[m].set_dependent(steady);
  add_runs_without_records();
  keys_.check_all_seen("--by, --where",
                       apart_ ? std::span(apart_names) : std::span<const std::string_view>());
  if (apart_) name_what_differs();
  for (auto& [name, grouped] : kinds_) sort(grouped, by_);
}

GroupedKind Collector::grouped(const GroupedKind& kind, const std::vector<std::string>& names) const {
  GroupedKind result;
  result.metrics = kind.metrics;
  result.digits = kind.digits;
  for (const Group& group : kind.groups) {
    Group& whole = result.group(key_by(names, by_, group));
    whole.records += group.records;
    if (whole.samples.size() < group.samples.size()) whole.samples.resize(group.samples.size());
    for (std::size_t m = 0; m < group.samples.size(); ++m) whole.samples[m].merge(group.samples[m]);
  }
  sort(result, names);
  return result;
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

}  // namespace wormcast
