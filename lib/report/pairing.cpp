// Paired comparison of planners on the same multicasts.
//
// Differences on the same multicast remove the spread between multicasts, so the interval of the mean
// difference is far narrower than the intervals of the two means suggest.
// SPDX-License-Identifier: MIT
#include "report/pairing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "multicast/planner_choice.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// Enough to notice that two streams are not of the same multicasts.
std::uint64_t fingerprint(const Request& request) {
  Digest digest;
  digest.add(request.source.value);
  digest.add(request.length_flits);
  digest.add(request.start_cycle);
  for (const HostId host : request.destinations) digest.add(host.value);
  return digest.value();
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
  add_missing(planners_, label);
  return position_of(planners_, label);
}

Pairing::OfKind& Pairing::of_kind(const Subject& subject) {
  const auto found = kinds_.find(subject.kind);
  if (found != kinds_.end()) return found->second;
  OfKind& fresh = kinds_[std::string(subject.kind)];
  fresh.metrics = metrics_.empty() ? default_names(subject) : metrics_;
  fresh.digits.resize(fresh.metrics.size());
  return fresh;
}

void Pairing::add(const Subject& subject) {
  const std::vector<std::string>& key = keys_.read(subject);
  learn_run(subject.attributes, run_);
  run_.try_emplace("network", subject.network);
  if (subject.plan == nullptr || subject.plan->planner.empty()) return;
  OfKind& kind = of_kind(subject);
  std::vector<std::optional<std::int64_t>> values(kind.metrics.size());
  for (const Metric& metric : subject.metrics)
    for (std::size_t m = 0; m < values.size(); ++m) {
      if (kind.metrics[m] != metric.name) continue;
      values[m] = metric.value;
      kind.digits[m] = metric.digits;
    }
  const Request& request = subject.plan->request;
  Waiting record{&kind,
                 key,
                 {std::string(value_of(request.workload.values(), "seed")), request.id},
                 fingerprint(request),
                 planner_index(planner_label(*subject.plan)),
                 std::move(values)};
  if (std::any_of(key.begin(), key.end(), [](const std::string& value) { return value.empty(); }))
    waiting_.push_back(std::move(record));
  else
    settle(record);
}

/// In what the runs of a planner differ is mixed.
void Pairing::add_run(std::optional<RunValues>& runs) const {
  if (!runs) {
    runs = run_;
    return;
  }
  for (auto& [name, value] : *runs) {
    const auto own = run_.find(name);
    if (own == run_.end() || own->second != value) value = mixed_value;
  }
  for (const auto& [name, value] : run_) runs->try_emplace(name, mixed_value);
}

void Pairing::end_segment() {
  for (Waiting& waiting : waiting_) settle(waiting);
  for (const auto& [cell, planner] : of_segment_) add_run(cell->runs[planner]);
  waiting_.clear();
  of_segment_.clear();
  run_.clear();
}

void Pairing::settle(Waiting& waiting) {
  OfKind& of_kind = *waiting.of_kind;
  std::vector<std::string>& key = waiting.key;
  for (std::size_t i = 0; i < key.size(); ++i)
    if (key[i].empty()) key[i] = keys_.of_segment()[i];
  const auto [cell, fresh_cell] = of_kind.cells.try_emplace(key);
  if (fresh_cell) of_kind.order.push_back(key);
  of_segment_.emplace(&cell->second, waiting.planner);
  const auto [place, fresh] = cell->second.multicasts.try_emplace(waiting.id);
  Entry& entry = place->second;
  if (fresh) entry.fingerprint = waiting.fingerprint;
  if (entry.fingerprint != waiting.fingerprint)
    throw InputError("id", "multicast " + std::to_string(waiting.id.second) +
                               " is another one here than before: only the same multicasts can be paired "
                               "(tell them apart with --by, such as --by rate or --by length_flits)");
  if (entry.came.size() <= waiting.planner) entry.came.resize(waiting.planner + 1);
  if (entry.came[waiting.planner])
    refuse("id", "multicast {} comes twice for {} (tell them apart with --by, such as --by buffer_flits)",
           waiting.id.second, planners_[waiting.planner]);
  entry.came[waiting.planner] = true;
  const std::size_t count = of_kind.metrics.size();
  entry.values.resize(entry.came.size() * count);
  std::copy(waiting.values.begin(), waiting.values.end(),
            entry.values.begin() + static_cast<std::ptrdiff_t>(waiting.planner * count));
}

std::size_t Pairing::base_index(const std::string& without) const {
  std::vector<std::size_t> matches;
  for (std::size_t p = 0; p < planners_.size(); ++p) {
    if (planners_[p] == base_) return p;
    if (planners_[p].starts_with(base_ + ":")) matches.push_back(p);
  }
  if (matches.size() == 1) return matches.front();
  const std::string what = matches.empty() ? "no record is planned by '" : "more than one variant of '";
  refuse("--paired", "{}{}' (planners: {}){}{}", what, base_, fmt::join(planners_, ", "),
         without.empty() ? "" : "; ", without);
}

/// In what a run differs from the one of the base, or runs on one side from each other.
std::string Pairing::differences(const Cell& cell, std::size_t base, std::size_t planner) {
  const auto mine = cell.runs.find(planner);
  const auto theirs = cell.runs.find(base);
  if (mine == cell.runs.end() || theirs == cell.runs.end()) return "";
  const auto value = [](const RunValues& run, const std::string& name) -> std::string {
    const auto found = run.find(name);
    return found == run.end() ? "-" : found->second;
  };
  std::set<std::string, std::less<>> names;
  for (const RunValues* run : {&*mine->second, &*theirs->second})
    for (const auto& [name, known] : *run) names.insert(name);
  std::string text;
  for (const std::string& name : names) {
    const std::string own = value(*mine->second, name);
    const std::string other = value(*theirs->second, name);
    if (own == other && own != mixed_value) continue;
    text += fmt::format("{}{} {}, base {}", text.empty() ? "" : "; ", name, own, other);
  }
  return text;
}

PairedComparison Pairing::compare(const OfKind& of_kind, const Cell& cell, std::size_t base,
                                  std::size_t planner, std::size_t metric) const {
  PairedComparison result;
  result.planner = planners_[planner];
  result.metric = of_kind.metrics[metric];
  result.digits = of_kind.digits[metric];
  result.apart = differences(cell, base, planner);
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

std::vector<PairedComparison> Pairing::compare(std::string_view kind, const std::string& without, bool sorted,
                                               bool dependent, bool steady) const {
  const std::size_t base = base_index(without);
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
        if (dependent && depends_on_others(one.metric)) one.differences.set_dependent(steady);
        one.cell = key;
        all.push_back(std::move(one));
      }
    }
  if (all.empty())
    refuse("--paired", "there is nothing to compare with {}{}{}", planners_[base],
           without.empty() ? "" : "; ", without);
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
      return c.cell[i].empty() || number_text(c.cell[i]);
    });
    table.columns.push_back({cell_parameters[i], "", numbers});
  }
  const TableColumn columns[] = {{"planner", "", false},       {"base", "", false},
                                 {"metric", "", false},        {"pairs", "", true},
                                 {"difference", "mean", true}, {"difference", "interval95", true},
                                 {"wins", "", true},           {"ties", "", true},
                                 {"losses", "", true},         {"unpaired", "", true}};
  table.columns.insert(table.columns.end(), std::begin(columns), std::end(columns));
  const bool apart = std::any_of(comparisons.begin(), comparisons.end(),
                                 [](const PairedComparison& c) { return !c.apart.empty(); });
  if (apart) table.columns.push_back({"runs differ in", "", false});
  for (const PairedComparison& c : comparisons) {
    std::vector<std::string> row = c.cell;
    const unsigned shown = digits.value_or(readable_digits(c.differences, c.digits));
    row.insert(row.end(),
               {c.planner, base, c.metric, std::to_string(c.differences.count()),
                statistic_text(c.differences, Statistic::mean, c.digits, shown),
                statistic_text(c.differences, Statistic::interval95, c.digits, shown), std::to_string(c.wins),
                std::to_string(c.ties), std::to_string(c.losses), std::to_string(c.unpaired)});
    if (apart) row.push_back(c.apart);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace wormcast
