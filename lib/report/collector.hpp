// Groups records by chosen parameters and adds up their metrics; nothing of a single record stays.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/statistics.hpp"
#include "report/subject.hpp"

namespace wormcast {

/// Parameter and value, or values with commas between them of which one is enough; all must hold.
using Conditions = std::vector<std::pair<std::string, std::string>>;

/// Of texts PARAMETER=VALUE; throws InputError on field "--where".
Conditions parse_conditions(const std::vector<std::string>& texts);
/// True if a record's value is what a condition asks for; a planner's name alone stands for it with whatever
/// options, and with a colon behind it for it without any.
bool fits(std::string_view value, const std::pair<std::string, std::string>& condition);
/// The condition in words, with the nearest of the values that `came` where none of these fits.
std::string condition_text(const std::pair<std::string, std::string>& condition,
                           const std::set<std::string>& came);

// Names of parameters and their places.

inline void add_missing(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}
/// As many as there are for a name that is not among them.
inline std::size_t position_of(const std::vector<std::string>& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// The samples of one group of records of one kind.
struct Group {
  std::vector<std::string> key;      ///< value of each grouping parameter, "" = none
  std::vector<Accumulator> samples;  ///< by metric; may be shorter than the kind's metrics
  std::uint64_t records = 0;
  std::set<std::string> runs;  ///< of deliveries of one segment: what names their run
};

/// A group's values of the parameters `names`; its key is by the parameters `by`.
inline std::vector<std::string> key_by(const std::vector<std::string>& names,
                                       const std::vector<std::string>& by, const Group& group) {
  std::vector<std::string> key;
  for (const std::string& name : names) key.push_back(group.key.at(position_of(by, name)));
  return key;
}

/// All groups of one kind.
struct GroupedKind {
  std::vector<std::string> metrics;  ///< in the order in which they first came
  std::vector<unsigned> digits;      ///< of each metric
  std::size_t next_metric = 0;       ///< the one behind the last that metric_with() was asked for
  std::vector<Group> groups;         ///< sorted by Collector::finish
  std::map<std::vector<std::string>, std::size_t> index;

  /// The group with that key, made if need be.
  Group& group(const std::vector<std::string>& key);
  /// Index of the metric, made if need be; throws InputError where its decimals differ from before.
  std::size_t metric_with(std::string_view name, unsigned metric_digits);
  /// Position of a metric, or nothing.
  std::optional<std::size_t> metric(std::string_view name) const;
  /// The sample of a group; empty where nothing came.
  const Accumulator& sample(const Group& group, std::size_t metric) const;
};

/// Value of a parameter in a record that belongs to a whole segment whose multicasts differ in it.
inline constexpr std::string_view mixed_value = "mixed";

/// The values of the grouping parameters for one record. A record without a multicast of its own (a
/// summary, a channel load) takes what all multicasts of its segment so far have in common.
class KeyReader {
 public:
  explicit KeyReader(std::vector<std::string> parameters)
      : parameters_(std::move(parameters)),
        known_(known_of(parameters_)),
        common_(parameters_.size()),
        of_segment_(parameters_.size()),
        seen_(parameters_.size(), false) {}

  const std::vector<std::string>& parameters() const { return parameters_; }
  /// Valid until the next call.
  const std::vector<std::string>& read(const Subject& subject);
  /// What records about the whole segment say of each parameter, "" = nothing: the router's parameters
  /// and the outcome, which the multicasts before them do not carry.
  const std::vector<std::string>& of_segment() const { return of_segment_; }
  /// Throws InputError on `field` for a parameter that no record had, out of all `but` some.
  void check_all_seen(const std::string& field, std::span<const std::string_view> but) const;

 private:
  static std::vector<ParameterOf> known_of(const std::vector<std::string>& parameters);

  std::vector<std::string> parameters_;
  std::vector<ParameterOf> known_;                  ///< of each
  std::vector<std::optional<std::string>> common_;  ///< of the segment's multicasts
  std::vector<std::string> of_segment_;
  std::vector<bool> seen_;
  std::vector<std::string> key_;
  std::uint64_t segment_ = 0;
};

/// The parameters of a segment's run, its routers' among them, as its summary or verdict has them.
using RunValues = std::map<std::string, std::string, std::less<>>;
/// Adds what a record says of its run.
void learn_run(const std::vector<Attribute>& attributes, RunValues& run);

/// The parameter that tells runs apart where --runs-by does not; deliveries need not have it.
inline constexpr const char* runs_by_default = "seed";

/// A segment's groups are kept apart until it ends, because what is known of the whole segment may
/// stand in its last record.
class Collector {
 public:
  /// Groups by `by`, and within these groups by `further`, which are not shown. `apart`: records that differ
  /// in their network, routing function, length, offered load, model or routers are kept in groups of their
  /// own. `runs_by`: deliveries that have one value of this parameter are of one run (those that have none,
  /// if they are of one segment).
  explicit Collector(std::vector<std::string> by, const std::vector<std::string>& further = {},
                     Conditions where = {}, bool apart = false, std::string runs_by = runs_by_default);
  /// Percentiles of these metrics will be asked for, and how often each of their values came is kept; before
  /// the first record.
  void keep_percentiles(std::set<std::string, std::less<>> metrics) { percentiles_ = std::move(metrics); }

  /// The grouping parameters, those that are shown first. finish() adds to these what keeps groups apart
  /// that are the same otherwise.
  const std::vector<std::string>& by() const { return by_; }
  std::vector<std::string> shown() const {
    return {by_.begin(), by_.begin() + static_cast<std::ptrdiff_t>(shown_)};
  }
  void add(const Subject& subject);
  /// Sorts the groups: numbers by value, texts in the order in which they first came or, `sorted`, as
  /// natural_before has them, so that the order of the streams changes nothing; missing last.
  /// Throws InputError for a parameter that no record had, or to tell runs apart no delivery.
  /// `dependent`: latencies of one run depend on each other; `steady`: they come from windows.
  void finish(bool sorted = false, bool dependent = false, bool steady = false);
  /// The groups of a kind by some of the grouping parameters alone, in their order; after finish().
  GroupedKind grouped(const GroupedKind& kind, const std::vector<std::string>& names) const;
  /// The values of grouping parameter `parameter` in the groups of `kind`, in the order of the groups.
  std::vector<std::string> values(const GroupedKind& kind, std::size_t parameter) const;

  bool empty() const { return kinds_.empty(); }
  /// True if records of `kind` ("": of any) came and none met the conditions; after finish().
  bool all_refused(const std::string& kind) const;
  /// The conditions in words, with the nearest value that came in place of one that did not.
  std::string conditions_text() const;
  const GroupedKind* kind(std::string_view name) const;
  /// Names the schemes of runs that ended before there was any record of the kind; "" without.
  std::string without_records(std::string_view name) const;
  /// The kinds that came, the most telling first: delivery, steps, routes, plan, multicast, then others.
  std::vector<std::string> kinds() const;

 private:
  bool before(std::size_t parameter, const std::string& a, const std::string& b) const;
  void close_segment();
  void add_runs_without_records();
  void name_what_differs();
  void insert_parameters(const std::vector<std::string>& names, const std::vector<std::size_t>& wanted,
                         const std::function<std::string(const Group&, std::size_t)>& value);
  void sort(GroupedKind& grouped, const std::vector<std::string>& names) const;
  bool meets_conditions(const std::vector<std::string>& key);
  void take(const std::string& kind, const GroupedKind& grouped, Group& group,
            std::map<std::string, GroupedKind, std::less<>>& into);
  std::uint64_t run_of(const Group& group);

  std::vector<std::string> by_;
  std::size_t shown_;  ///< of by_, the first so many
  Conditions where_;
  std::set<std::string, std::less<>> refused_kinds_;
  std::vector<std::set<std::string>> values_of_where_;  ///< some of those that came, by condition
  std::set<std::string, std::less<>> percentiles_;      ///< metrics of which they are wanted
  bool apart_;
  RunValues run_;                                 ///< of the segment
  std::map<RunValues, std::size_t> run_numbers_;  ///< as they came
  std::string runs_by_;
  bool runs_are_named_ = false;  ///< a delivery has this parameter
  ParameterOf runs_by_known_;
  std::map<std::set<std::string>, std::uint64_t> numbers_of_runs_;  ///< by what names them
  KeyReader keys_;  ///< of by_, where apart_ of what keeps apart, then of where_
  std::map<std::string, GroupedKind, std::less<>> open_;  ///< of the segment
  std::map<std::string, GroupedKind, std::less<>> kinds_;
  std::optional<Group>
      ended_;  ///< of the segment: its summary, where nothing was delivered before the run ended
  /// Such runs, by the kinds of which they have no records; groups of none.
  std::map<std::string, GroupedKind, std::less<>> without_records_;
  std::vector<std::map<std::string, std::size_t>> first_seen_;  ///< by parameter: rank of each value
  std::uint64_t segment_ = 0;
  bool sorted_ = false;
};

/// True for a metric that records of some kind have where they have something to measure: the defaults, and
/// what a window measures.
bool is_known_metric(std::string_view name);
/// Whether a delivery's metric depends on what else is under way; others are known when it is planned.
bool depends_on_others(std::string_view name);
/// The metrics that can be shown where the user names none.
std::vector<std::string> default_metrics();
/// The metrics shown for a kind where the user names none, of those that came.
std::vector<std::string> default_metrics(std::string_view kind, const GroupedKind& grouped);

}  // namespace wormcast
