// A whole report.
// SPDX-License-Identifier: MIT
#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast {
namespace {

constexpr unsigned csv_digits = 6;

void add_missing(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// The parameters that the report groups by: those named, and those that plot and expectations need.
std::vector<std::string> grouping(const ReportRequest& request) {
  std::vector<std::string> by = request.by;
  const bool plot = request.form == ReportRequest::Form::plot;
  if (by.empty() && !plot) by = {"planner", "topology", "destinations", "outcome", "answer"};
  if (plot)
    for (const std::string& name : request.plot.parameters()) add_missing(by, name);
  if (!request.across.empty()) add_missing(by, request.across);
  for (const Expectation& expectation : request.expectations)
    for (const auto& [name, value] : expectation.conditions) add_missing(by, name);
  return by;
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

Report::Report(ReportRequest request)
    : request_(std::move(request)),
      collector_(grouping(request_), request_.where,
                 request_.by.empty() && request_.form != ReportRequest::Form::plot),
      filter_(filter_names(request_)) {
  collector_.keep_percentiles(with_percentiles(request_));
  if (request_.form == ReportRequest::Form::loads)
    loads_.emplace(request_.metrics.empty() ? "" : request_.metrics.front());
  if (request_.form == ReportRequest::Form::worms) worms_.emplace(request_.drawn);
  if (request_.form == ReportRequest::Form::cards || request_.form == ReportRequest::Form::cards_html)
    cards_.emplace();
  cards_waits_.resize(request_.where.size(), false);
  if (!request_.paired.empty()) pairing_.emplace(request_.paired, collector_.by(), request_.metrics);
}

void Report::add(const Subject& subject) {
  collector_.add(subject);
  if (request_.form == ReportRequest::Form::plot) {
    add_missing(topologies_, subject.topology->name());
  }
  if (!pairing_ && !loads_ && !worms_ && !cards_) return;
  if (cards_ && subject.segment != cards_segment_) settle_cards();
  cards_segment_ = subject.segment;
  const std::vector<std::string>& values = filter_.read(subject);
  for (std::size_t i = 0; i < values.size(); ++i) {
    // What a card says of a segment can wait for its summary, where the routers stand.
    const bool waits = cards_ && values[i].empty();
    if (waits) cards_waits_[i] = true;
    if (!waits && !fits(values[i], request_.where[i].second)) return;
  }
  if (pairing_) pairing_->add(subject);
  if (loads_) loads_->add(subject);
  if (worms_) worms_->add(subject);
  if (cards_) cards_->add(subject);
}

/// Takes back what cards were given of a segment that turns out not to meet the conditions.
void Report::settle_cards() {
  for (std::size_t i = 0; i < cards_waits_.size(); ++i) {
    if (cards_waits_[i] && !fits(filter_.of_segment()[i], request_.where[i].second)) cards_->drop_segment();
    cards_waits_[i] = false;
  }
}

std::vector<std::string> Report::kinds() const {
  std::vector<std::string> names = collector_.kinds();
  if (!request_.kind.empty())
    std::erase_if(names, [&](const std::string& name) { return name != request_.kind; });
  return names;
}

std::string Report::finish() {
  collector_.finish(request_.sorted);
  if (request_.sorted) std::sort(topologies_.begin(), topologies_.end(), natural_before);
  if (collector_.all_refused(request_.kind))
    throw InputError("--where",
                     fmt::format("no {}record fits {}", request_.kind.empty() ? "" : request_.kind + " ",
                                 collector_.conditions_text()));
  if (!request_.kind.empty() && kinds().empty())
    throw InputError("--kind", fmt::format("no record of kind '{}' came", request_.kind));
  if (loads_) return loads_->draw();
  if (worms_) return worms_->draw();
  if (cards_) settle_cards();
  if (cards_) return request_.form == ReportRequest::Form::cards ? cards_->markdown() : cards_->html();
  return request_.form == ReportRequest::Form::plot ? plot() : tables();
}

std::vector<std::string> Report::metrics_of(const std::string& kind) const {
  const GroupedKind& grouped = *collector_.kind(kind);
  if (request_.metrics.empty()) return default_metrics(kind, grouped);
  std::vector<std::string> names;
  for (const std::string& name : request_.metrics)
    if (grouped.metric(name)) names.push_back(name);
  return names;
}

const GroupedKind& Report::kind_with(const std::string& metric, const std::string& field) const {
  std::vector<std::string_view> known;
  for (const std::string& kind : kinds()) {
    const GroupedKind& grouped = *collector_.kind(kind);
    if (grouped.metric(metric)) return grouped;
    for (const std::string& name : grouped.metrics)
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  if (is_known_metric(metric))
    throw InputError(
        field, fmt::format("no record that came has '{}' (they have: {})", metric, fmt::join(known, " ")));
  throw InputError(field, unknown_name_message("metric", metric, known));
}

std::vector<Statistic> Report::statistics_of(const std::string& kind) const {
  if (!request_.statistics.empty()) return request_.statistics;
  if (kind == "summary" || kind == "verdict") return {Statistic::mean};
  return {Statistic::mean, Statistic::interval95, Statistic::min, Statistic::max};
}

std::string Report::tables() const {
  if (collector_.empty()) return "";
  for (const std::string& metric : request_.metrics) kind_with(metric, "--metric");
  const bool as_csv = request_.form == ReportRequest::Form::csv;
  const bool as_markdown = request_.form == ReportRequest::Form::markdown;
  const std::optional<unsigned> digits = as_csv ? csv_digits : request_.digits;
  // A CSV file is one table, and so is a comparison: of the most telling kind that has the metrics.
  const bool one = as_csv || pairing_.has_value();
  std::string out;
  for (const std::string& kind : kinds()) {
    const std::vector<std::string> metrics = metrics_of(kind);
    if (metrics.empty() && !(request_.metrics.empty() && request_.across.empty())) continue;
    TextTable table;
    if (pairing_)
      table = paired_table(pairing_->compare(kind, request_.sorted), pairing_->cell_parameters(),
                           request_.paired, digits);
    else
      table = statistics_table(*collector_.kind(kind), collector_.by(),
                               {metrics, statistics_of(kind), digits, request_.top});
    if (request_.by.empty()) drop_empty_columns(table);
    if (as_csv) return csv(table);
    if (!out.empty()) out += '\n';
    if (!one && kinds().size() > 1) out += kind + (as_markdown ? " records\n\n" : " records\n");
    out += request_.across.empty() ? laid_out(table) : across(kind, metrics);
    if (one) break;
  }
  return out;
}

std::string Report::laid_out(const TextTable& table) const {
  if (request_.form == ReportRequest::Form::markdown) return markdown(table);
  return aligned_text(table, request_.by.empty());
}

std::string Report::across(const std::string& kind, const std::vector<std::string>& metrics) const {
  const GroupedKind& grouped = *collector_.kind(kind);
  const std::vector<std::string>& by = collector_.by();
  const auto at = static_cast<std::size_t>(std::find(by.begin(), by.end(), request_.across) - by.begin());
  const std::vector<std::string> values = collector_.values(grouped, at);
  std::string out;
  for (const std::string& metric : metrics) {
    if (!out.empty()) out += '\n';
    out += fmt::format("mean {}, \u00b1 95 % confidence\n", metric_title(metric));
    if (request_.form == ReportRequest::Form::markdown) out += '\n';
    TextTable table = across_table(grouped, by, request_.across, values, metric, request_.digits);
    if (request_.by.empty()) drop_empty_columns(table);
    out += laid_out(table);
  }
  return out;
}

std::string Report::plot() const {
  return gnuplot_script(request_.plot, kind_with(request_.plot.y, "--plot"), collector_.by(),
                        fmt::format("{}", fmt::join(topologies_, ", ")));
}

std::vector<std::string> Report::missed() const {
  std::vector<const GroupedKind*> grouped;
  for (const std::string& kind : kinds()) grouped.push_back(collector_.kind(kind));
  std::vector<std::string> messages;
  for (const Expectation& expectation : request_.expectations)
    if (std::optional<std::string> message = missed_expectation(expectation, grouped, collector_.by()))
      messages.push_back(std::move(*message));
  return messages;
}

}  // namespace wormcast
