// Paired comparison of planners on the same multicasts.
//
// Differences on the same multicast remove the spread between multicasts, so the interval of the mean
// difference is far narrower than the intervals of the two means suggest.
// SPDX-License-Identifier: MIT
#include "report/pairing.hpp"

#include <algorithm>

#include "topology/error.hpp"

namespace wormcast {
namespace {

/// FNV-1a over the request: enough to notice that two streams are not of the same multicasts.
std::uint64_t fingerprint(const Request& request) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) {
      hash ^= number >> (8 * byte) & 0xff;
      hash *= 0x100000001b3;
    }
  };
  mix(request.source.value);
  mix(request.length_flits);
  mix(request.start_cycle);
  for (const HostId host : request.destinations) mix(host.value);
  return hash;
}

std::vector<std::string> without_planner(const std::vector<std::string>& by) {
  std::vector<std::string> rest;
  std::copy_if(by.begin(), by.end(), std::back_inserter(rest),
               [](const std::string& name) { return name != "planner"; });
  return rest;
}

std::vector<std::string> default_names(const Subject& subject) {
  GroupedKind all;
  for (const Metric& metric : subject.metrics) all.metrics.emplace_back(metric.name);
  return default_metrics(subject.kind, all);
}

}  // namespace

Pairing::Pairing(std::string base, const std::vector<std::string>& by, std::vector<std::string> metrics)
    : base_(std::move(base)), keys_(without_planner(by)), metrics_(std::move(metrics)) {}

std::size_t Pairing::planner_index(const std::string& label) {
  const auto found = std::find(planners_.begin(), planners_.end(), label);
  if (found != planners_.end()) return static_cast<std::size_t>(found - planners_.begin());
  planners_.push_back(label);
  return planners_.size() - 1;
}

void Pairing::add(const Subject& subject) {
  if (subject.plan == nullptr || subject.plan->planner.empty()) return;
  auto found = kinds_.find(subject.kind);
  if (found == kinds_.end()) {
    found = kinds_.emplace(subject.kind, OfKind{}).first;
    found->second.metrics = metrics_.empty() ? default_names(subject) : metrics_;
    found->second.digits.resize(found->second.metrics.size());
  }
  OfKind& of_kind = found->second;
  const std::vector<std::string>& key = keys_.read(subject);
  const auto [cell, fresh_cell] = of_kind.cells.try_emplace(key);
  if (fresh_cell) of_kind.order.push_back(key);
  const Request& request = subject.plan->request;
  const auto [place, fresh] = cell->second.multicasts.try_emplace(request.id);
  Entry& entry = place->second;
  const std::uint64_t print = fingerprint(request);
  if (fresh) entry.fingerprint = print;
  if (entry.fingerprint != print)
    throw InputError("id", "multicast " + std::to_string(request.id) +
                               " is another one here than before: only the same multicasts can be paired "
                               "(group by what tells them apart)");
  const std::size_t planner = planner_index(planner_label(*subject.plan));
  const std::size_t count = of_kind.metrics.size();
  if (entry.came.size() <= planner) entry.came.resize(planner + 1);
  if (entry.came[planner])
    throw InputError("id", "multicast " + std::to_string(request.id) + " comes twice for " +
                               planners_[planner] + " (group by what tells them apart)");
  entry.came[planner] = true;
  entry.values.resize(entry.came.size() * count);
  for (const Metric& metric : subject.metrics)
    for (std::size_t m = 0; m < count; ++m) {
      if (of_kind.metrics[m] != metric.name) continue;
      entry.values[planner * count + m] = metric.value;
      of_kind.digits[m] = metric.digits;
    }
}

std::size_t Pairing::base_index() const {
  std::vector<std::size_t> matches;
  for (std::size_t p = 0; p < planners_.size(); ++p) {
    if (planners_[p] == base_) return p;
    if (planners_[p].starts_with(base_ + ":")) matches.push_back(p);
  }
  if (matches.size() == 1) return matches.front();
  std::string known;
  for (const std::string& planner : planners_) known += (known.empty() ? "" : ", ") + planner;
  const std::string what = matches.empty() ? "no record is planned by '" : "more than one variant of '";
  throw InputError("--paired", what + base_ + "' (planners: " + known + ")");
}

PairedComparison Pairing::compare(const OfKind& of_kind, const Cell& cell, std::size_t base,
                                  std::size_t planner, std::size_t metric) const {
  PairedComparison result;
  result.planner = planners_[planner];
  result.metric = of_kind.metrics[metric];
  result.digits = of_kind.digits[metric];
  const bool less = less_is_better(result.metric);
  const auto value = [&](const Entry& entry, std::size_t p) -> std::optional<std::int64_t> {
    const std::size_t at = p * of_kind.metrics.size() + metric;
    return at < entry.values.size() ? entry.values[at] : std::nullopt;
  };
  for (const auto& [id, entry] : cell.multicasts) {
    const std::optional<std::int64_t> mine = value(entry, planner);
    const std::optional<std::int64_t> theirs = value(entry, base);
    if (!mine && !theirs) continue;
    if (!mine || !theirs) {
      ++result.unpaired;
      continue;
    }
    result.differences.add(*mine - *theirs);
    if (*mine == *theirs)
      ++result.ties;
    else if ((*mine < *theirs) == less)
      ++result.wins;
    else
      ++result.losses;
  }
  return result;
}

std::vector<PairedComparison> Pairing::compare(std::string_view kind, bool sorted) const {
  const std::size_t base = base_index();
  std::vector<PairedComparison> all;
  const auto found = kinds_.find(kind);
  if (found == kinds_.end()) return all;
  const OfKind& of_kind = found->second;
  for (const std::vector<std::string>& key : of_kind.order)
    for (std::size_t planner = 0; planner < planners_.size(); ++planner) {
      if (planner == base) continue;
      for (std::size_t metric = 0; metric < of_kind.metrics.size(); ++metric) {
        PairedComparison one = compare(of_kind, of_kind.cells.at(key), base, planner, metric);
        if (one.differences.count() + one.unpaired == 0) continue;
        one.cell = key;
        all.push_back(std::move(one));
      }
    }
  if (sorted)  // stable: metrics stay in their order
    std::stable_sort(all.begin(), all.end(), [](const PairedComparison& a, const PairedComparison& b) {
      if (a.cell != b.cell)
        return std::lexicographical_compare(a.cell.begin(), a.cell.end(), b.cell.begin(), b.cell.end(),
                                            natural_before);
      return natural_before(a.planner, b.planner);
    });
  return all;
}

TextTable paired_table(const std::vector<PairedComparison>& comparisons,
                       const std::vector<std::string>& cell_parameters, const std::string& base,
                       std::optional<unsigned> digits) {
  TextTable table;
  for (std::size_t i = 0; i < cell_parameters.size(); ++i) {
    const bool numbers = std::all_of(comparisons.begin(), comparisons.end(), [&](const PairedComparison& c) {
      return c.cell[i].empty() || as_number(c.cell[i]);
    });
    table.columns.push_back({cell_parameters[i], "", numbers});
  }
  table.columns.push_back({"planner", "", false});
  table.columns.push_back({"base", "", false});
  table.columns.push_back({"metric", "", false});
  table.columns.push_back({"pairs", "", true});
  table.columns.push_back({"difference", "mean", true});
  table.columns.push_back({"difference", "interval95", true});
  for (const char* name : {"wins", "ties", "losses", "unpaired"}) table.columns.push_back({name, "", true});
  for (const PairedComparison& c : comparisons) {
    std::vector<std::string> row = c.cell;
    const unsigned shown = digits.value_or(readable_digits(c.differences, c.digits));
    row.insert(row.end(),
               {c.planner, base, c.metric, std::to_string(c.differences.count()),
                statistic_text(c.differences, Statistic::mean, c.digits, shown),
                statistic_text(c.differences, Statistic::interval95, c.digits, shown), std::to_string(c.wins),
                std::to_string(c.ties), std::to_string(c.losses), std::to_string(c.unpaired)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace wormcast
