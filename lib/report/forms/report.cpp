// A whole report.
// SPDX-License-Identifier: MIT
#include "report/forms/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

using Form = ReportRequest::Form;

constexpr unsigned csv_digits = 6;
/// The parameters that the report groups by: those named, and those that plots and columns need.
std::vector<std::string> grouping(const ReportRequest& request) {
  std::vector<std::string> by = request.by;
  const bool plot = request.form == Form::plot;
  if (by.empty() && !plot) by = {"planner", "topology", "destinations", "outcome", "answer"};
  if (plot)
    for (const std::string& name : request.plot.parameters()) add_missing(by, name);
  if (!request.across.empty()) add_missing(by, request.across);
  return by;
}

/// What the groups are told apart by besides: how their runs ended, the routing functions of each planner,
/// the title of a plot, expectations.
std::vector<std::string> further_grouping(const ReportRequest& request) {
  std::vector<std::string> names = {std::string(outcome_parameter)};
  if (!request.by.empty() || request.form == Form::plot)
    for (const std::string_view name : {planner_parameter, routing_parameter}) names.emplace_back(name);
  if (request.form == Form::plot) names.emplace_back("topology");
  for (const Expectation& expectation : request.expectations)
    for (const auto& [name, value] : expectation.conditions) add_missing(names, name);
  return names;
}

/// Of a comparison. How a run ended is no parameter of it: the comparison says where it differs.
std::vector<std::string> paired_grouping(const ReportRequest& request) {
  return request.by.empty() ? std::vector<std::string>{"planner", "topology", "destinations"} : request.by;
}

std::vector<std::string> filter_names(const ReportRequest& request) {
  std::vector<std::string> names;
  for (const auto& [name, value] : request.where) names.push_back(name);
  return names;
}

/// The metrics of which a percentile is asked for.
std::set<std::string, std::less<>> with_percentiles(const ReportRequest& request) {
  std::set<std::string, std::less<>> names;
  const auto wanted = [](Statistic statistic) { return percent_of(statistic).has_value(); };
  if (std::any_of(request.statistics.begin(), request.statistics.end(), wanted)) {
    const std::vector<std::string> shown = request.metrics.empty() ? default_metrics() : request.metrics;
    names.insert(shown.begin(), shown.end());
  }
  for (const Expectation& expectation : request.expectations)
    if (wanted(expectation.statistic)) names.insert(expectation.metric);
  return names;
}

}  // namespace

Report::Report(ReportRequest request, std::function<void(const Subject&)> picture)
    : request_(std::move(request)),
      collector_(grouping(request_), further_grouping(request_), request_.where,
                 request_.by.empty() && request_.form != Form::plot, request_.runs_by),
      filter_(filter_names(request_)),
      picture_(std::move(picture)) {
  collector_.keep_percentiles(with_percentiles(request_));
  if (!request_.paired.empty())
    pairing_.emplace(request_.paired, paired_grouping(request_), request_.metrics);
}

void Report::add(const Subject& subject) {
  collector_.add(subject);
  look_for_meetings(subject);
  if (!pairing_ && !picture_) return;
  if (subject.segment != segment_) end_segment();
  segment_ = subject.segment;
  const std::vector<std::string>& values = filter_.read(subject);
  std::vector<std::size_t> waits;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // The outcome, or what the routers are like, stands in the segment's last record.
    if (values[i].empty())
      waits.push_back(i);
    else if (!fits(values[i], request_.where[i]))
      return;
  }
  // What follows a record that waits waits with it: the order stays.
  if (!waits.empty() || !held_.empty())
    held_.emplace_back(subject, std::move(waits));
  else
    take(subject);
}

/// A window of a run stands in its last record.
void Report::look_for_meetings(const Subject& subject) {
  if (subject.segment != meetings_.segment()) met_ = met_ || met_in_segment_;
  meetings_.add(subject);
  if (subject.kind == "delivery") met_in_segment_ = meetings_.met();
  const auto of_window = [](const Metric& metric) { return metric.name == "window_multicasts"; };
  if (subject.kind != "summary" || std::none_of(subject.metrics.begin(), subject.metrics.end(), of_window))
    return;
  windows_ = true;
  met_in_segment_ = false;
}

void Report::take(const Subject& subject) {
  if (pairing_) pairing_->add(subject);
  if (picture_) picture_(subject);
}

void Report::end_segment() {
  for (const Held& held : held_)
    if (std::all_of(held.waits.begin(), held.waits.end(),
                    [&](std::size_t i) { return fits(filter_.of_segment()[i], request_.where[i]); }))
      take(held.record.subject());
  held_.clear();
  if (pairing_) pairing_->end_segment();
}

std::vector<std::string> Report::kinds() const {
  std::vector<std::string> names = collector_.kinds();
  if (!request_.kind.empty())
    std::erase_if(names, [&](const std::string& name) { return name != request_.kind; });
  else if (!request_.metrics.empty())  // a summary's, which are of all classes
    std::erase(names, "traffic-class");
  return names;
}

/// For a message, behind what was asked for.
std::string Report::kinds_that_came() const {
  std::string text;
  for (const std::string& name : collector_.kinds()) text += (text.empty() ? ", but " : ", ") + name;
  return text;
}

std::string Report::finish() {
  end_segment();
  met_ = met_ || met_in_segment_;
  collector_.finish(request_.sorted, met_ || windows_, !met_);
  if (collector_.all_refused(request_.kind))
    refuse("--where", "no {}record fits {}", request_.kind.empty() ? "" : request_.kind + " ",
           collector_.conditions_text());
  if (!request_.kind.empty() && kinds().empty())
    refuse("--kind", "no record of kind '{}' came{}", request_.kind, kinds_that_came());
  names_ = collector_.shown();
  if (has_unfinished()) add_missing(names_, std::string(outcome_parameter));
  if (picture_) return "";
  if (request_.form == Form::plot) {
    plot_ = plot_table();
    return "";
  }
  const std::vector<std::string> tabled = kinds();
  if (std::any_of(tabled.begin(), tabled.end(),
                  [&](const std::string& kind) { return pools_routings(*collector_.kind(kind), names_); }))
    add_missing(names_, std::string(routing_parameter));
  for (const std::string& kind : collector_.kinds())
    shown_.emplace(kind, collector_.grouped(*collector_.kind(kind), names_));
  return tables();
}

/// True if a record that is shown is of a run that did not complete.
bool Report::has_unfinished() const {
  const std::size_t outcome = position_of(collector_.by(), outcome_parameter);
  for (const std::string& kind : kinds())
    for (const Group& group : collector_.kind(kind)->groups)
      if (is_unfinished(group.key[outcome])) return true;
  return false;
}

/// True if groups by `names` have records of one planner by several routing functions, which are two schemes.
bool Report::pools_routings(const GroupedKind& kind, const std::vector<std::string>& names) const {
  const std::vector<std::string>& by = collector_.by();
  const std::size_t routing = position_of(by, routing_parameter);
  const std::size_t planner = position_of(by, planner_parameter);
  if (routing == by.size() || planner == by.size()) return false;
  std::map<std::vector<std::string>, std::string_view> routings;
  for (const Group& group : kind.groups) {
    if (group.key[routing].empty()) continue;
    std::vector<std::string> key = key_by(names, by, group);
    key.push_back(group.key[planner]);
    if (routings.try_emplace(std::move(key), group.key[routing]).first->second != group.key[routing])
      return true;
  }
  return false;
}

std::vector<std::string> Report::metrics_of(const std::string& kind) const {
  const GroupedKind& grouped = shown_.at(kind);
  if (request_.metrics.empty()) return default_metrics(kind, grouped);
  std::vector<std::string> names;
  for (const std::string& name : request_.metrics)
    if (grouped.metric(name)) names.push_back(name);
  return names;
}

std::string Report::kind_with(const std::string& metric, const std::string& field) const {
  std::vector<std::string_view> known;
  for (const std::string& kind : kinds()) {
    const GroupedKind& grouped = *collector_.kind(kind);
    if (grouped.metric(metric)) return kind;
    for (const std::string& name : grouped.metrics)
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  if (known.empty()) refuse(field, "no record came that has a metric");
  if (is_known_metric(metric))
    refuse(field, "no record that came has '{}' (they have: {})", metric, fmt::join(known, " "));
  throw InputError(field, unknown_name_message("metric", metric, known));
}

/// Of one table, which shows all metrics: the most telling kind that has them.
std::string Report::kind_of_one_table() const {
  for (const std::string& kind : kinds()) {
    if (pairing_ && !pairing_->has(kind)) continue;
    if (metrics_of(kind).size() == request_.metrics.size() || request_.metrics.empty()) return kind;
  }
  if (pairing_ && request_.metrics.empty())
    refuse("--paired", "needs records of single multicasts (plan, routes, delivery), and none came");
  std::vector<std::string> texts;
  for (const std::string& metric : request_.metrics)
    texts.push_back(fmt::format("{} is of {} records", metric, kind_with(metric, "--metric")));
  refuse("--metric", "{}: no {} has all in one table", fmt::join(texts, ", "),
         pairing_ ? "kind of record of one multicast" : "kind of record");
}

std::vector<Statistic> Report::statistics_of(const std::string& kind) const {
  if (!request_.statistics.empty()) return request_.statistics;
  if (kind == "summary" || kind == "traffic-class" || kind == "verdict") return {Statistic::mean};
  const GroupedKind& grouped = shown_.at(kind);
  const std::vector<std::string> metrics = metrics_of(kind);
  const auto has_interval = [&](const Group& group) {
    return std::any_of(metrics.begin(), metrics.end(), [&](const std::string& metric) {
      return grouped.sample(group, grouped.metric(metric).value()).interval95().has_value();
    });
  };
  if (by_runs(kind) && std::none_of(grouped.groups.begin(), grouped.groups.end(), has_interval))
    return {Statistic::mean, Statistic::min, Statistic::max};
  return {Statistic::mean, Statistic::interval95, Statistic::min, Statistic::max};
}

std::string Report::tables() {
  if (collector_.empty()) return "";
  for (const std::string& metric : request_.metrics) kind_with(metric, "--metric");
  // A CSV file is one table, and so is a comparison.
  if (pairing_ || request_.form == Form::csv) return one_table(kind_of_one_table());
  std::string out;
  for (const std::string& kind : kinds()) {
    const std::vector<std::string> metrics = metrics_of(kind);
    if (metrics.empty() && !(request_.metrics.empty() && request_.across.empty())) continue;
    if (!out.empty()) out += '\n';
    if (kinds().size() > 1)
      out += (request_.form == Form::latex ? "% " : "") + kind +
             (request_.form == Form::markdown ? " records\n\n" : " records\n");
    out += request_.across.empty() ? laid_out(table(kind, request_.digits)) : across_tables(kind, metrics);
    const std::vector<Statistic> shown = statistics_of(kind);
    const auto measured = std::find_if(metrics.begin(), metrics.end(), depends_on_others);
    if (request_.across.empty() && measured != metrics.end() &&
        std::find(shown.begin(), shown.end(), Statistic::interval95) != shown.end())
      has_intervals(kind, shown_.at(kind), *measured, "interval95");
  }
  return out;
}

bool Report::has_intervals(const std::string& kind, const GroupedKind& points, const std::string& metric,
                           const char* option) {
  const std::size_t m = points.metric(metric).value();
  std::size_t several = 0, without = 0;
  for (const Group& group : points.groups) {
    if (points.sample(group, m).count() < 2) continue;
    ++several;
    without += points.sample(group, m).interval95() ? 0 : 1;
  }
  if (without > 0 && by_runs(kind) && depends_on_others(metric))
    notes_.push_back(fmt::format(
        "{}: no interval for {} of {} groups, of one run each {}; simulate several seeds", option, without,
        several, met_ ? "without a window" : "whose batches are too few or not independent"));
  return without < several || several == 0;
}

TextTable Report::table(const std::string& kind, std::optional<unsigned> digits) const {
  TextTable table = statistics_table(shown_.at(kind), names_,
                                     {metrics_of(kind), statistics_of(kind), digits, request_.top});
  if (request_.form != Form::csv)
    for (TableColumn& column : table.columns) column.heading += metric_note(column.heading);
  return table;
}

std::string Report::one_table(const std::string& kind) {
  const std::optional<unsigned> digits = request_.form == Form::csv ? csv_digits : request_.digits;
  if (!request_.across.empty()) return laid_out(across_metrics(kind));
  if (!pairing_) return laid_out(table(kind, digits));
  const std::string without = collector_.without_records(kind);
  if (!without.empty()) notes_.push_back("--paired: " + without);
  return laid_out(paired_table(pairing_->compare(kind, without, request_.sorted, by_runs(kind), !met_),
                               pairing_->cell_parameters(), request_.paired, digits));
}

std::string Report::laid_out(TextTable table) const {
  if (request_.by.empty()) drop_empty_columns(table);
  if (request_.form == Form::csv) return csv(table);
  if (request_.form == Form::markdown) return markdown(table);
  if (request_.form == Form::latex) return latex(table);
  return aligned_text(table, request_.by.empty());
}

/// One table for CSV: where there are several metrics, a first column says which.
TextTable Report::across_metrics(const std::string& kind) const {
  const GroupedKind& grouped = shown_.at(kind);
  const std::vector<std::string> values = collector_.values(grouped, position_of(names_, request_.across));
  const std::vector<std::string> metrics = metrics_of(kind);
  TextTable all;
  for (const std::string& metric : metrics) {
    TextTable one = across_table(grouped, names_, request_.across, values, metric, csv_digits, false);
    if (metrics.size() > 1) {
      one.columns.insert(one.columns.begin(), {"metric", "", false});
      for (std::vector<std::string>& row : one.rows) row.insert(row.begin(), metric);
    }
    all.columns = std::move(one.columns);
    std::move(one.rows.begin(), one.rows.end(), std::back_inserter(all.rows));
  }
  return all;
}

std::string Report::across_tables(const std::string& kind, const std::vector<std::string>& metrics) {
  const GroupedKind& grouped = shown_.at(kind);
  const std::vector<std::string> values = collector_.values(grouped, position_of(names_, request_.across));
  std::string out;
  for (const std::string& metric : metrics) {
    if (!out.empty()) out += '\n';
    const bool intervals = has_intervals(kind, grouped, metric, "--across");
    const std::string title = mean_title(metric) + (intervals ? ", \u00b1 95 % confidence" : "");
    out += request_.form == Form::latex ? "% " + title + "\n" : title + "\n";
    if (request_.form == Form::markdown) out += '\n';
    out += laid_out(across_table(grouped, names_, request_.across, values, metric, request_.digits));
  }
  return out;
}

/// An expectation is of the groups that are shown, told apart by its own conditions and by no others'.
std::vector<std::string> Report::missed() const {
  std::map<std::vector<std::string>, std::vector<GroupedKind>> groupings;
  std::vector<std::string> messages;
  for (const Expectation& expectation : request_.expectations) {
    std::vector<std::string> by = names_;
    for (const auto& [name, value] : expectation.conditions) add_missing(by, name);
    const auto [grouping, fresh] = groupings.try_emplace(by);
    if (fresh)
      for (const std::string& kind : kinds())
        grouping->second.push_back(collector_.grouped(*collector_.kind(kind), by));
    if (std::optional<std::string> message = missed_expectation(expectation, grouping->second, by))
      messages.push_back(std::move(*message));
  }
  return messages;
}

}  // namespace wormcast
