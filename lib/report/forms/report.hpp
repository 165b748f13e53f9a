// A whole report: what is asked for, and the records that answer it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/collector.hpp"
#include "report/expectation.hpp"
#include "report/pairing.hpp"
#include "report/statistics.hpp"
#include "report/subject.hpp"
#include "report/table.hpp"

namespace wormcast {

/// Digits of means and intervals in scripts.
inline constexpr unsigned plot_digits = 6;

/// What is drawn against what: "x=destinations,y=latency_cycles,by=planner+length_flits,log=x".
struct PlotRequest {
  std::string x;                ///< a parameter; with `at`, a metric
  std::string y;                ///< a metric, its mean is drawn
  std::vector<std::string> by;  ///< parameters, one line for each combination
  std::string at;            ///< parameter that tells the points of a line apart where x is a metric; the run
                             ///< where none is given
  std::string log;           ///< the axes that are logarithmic: "", x, y or xy
  std::string y_most = "*";  ///< where a linear y axis ends; "*" = above every point
  std::string title;
  std::string as = "svg";          ///< svg, pdf or tikz, which pgf is another word for
  std::string intervals = "bars";  ///< or bands

  /// The grouping parameters that the plot needs.
  std::vector<std::string> parameters() const;
  /// What is on the x axis; empty where the group has none.
  std::string x_of(const GroupedKind& kind, const Group& group) const;
  /// Values of `by`.
  std::vector<std::string> line_of(const Group& group) const;
};

/// Throws InputError on field "--plot".
PlotRequest parse_plot(std::string_view text);

/// A run that did not complete, whose point was left out.
struct PlotEnd {
  std::vector<std::string> key;  ///< values of `by`
  std::string x;                 ///< a number
  std::string outcome;
};

/// A mean with half its 95 % interval, "0" where there is none; `x` as it is grouped by, or a mean, too.
struct PlotPoint {
  std::vector<std::string> key;
  std::string x, y, half;
};

struct PlotTable {
  std::string title;
  std::vector<PlotPoint> points;
  std::vector<PlotEnd> ends;
};

/// What to tell the user of numbers on the x axis that stand beside sums (of the rates of several classes of
/// traffic): they may be sums of equal numbers, which records state once. "" where there is nothing to tell.
std::string note_on_sums(const PlotRequest& request, const GroupedKind& kind);

inline constexpr std::string_view outcome_parameter = "outcome";
inline constexpr std::string_view planner_parameter = "planner";
inline constexpr std::string_view routing_parameter = "routing";

/// Of a run that was ended, only what got through until then was measured.
inline bool is_unfinished(const std::string& outcome) { return !outcome.empty() && outcome != "complete"; }

struct ReportRequest {
  enum class Form : std::uint8_t { table, csv, markdown, latex, plot, loads, worms, cards };

  Form form = Form::table;
  std::vector<std::string> by;        ///< empty: what the form needs, the usual ones else
  std::vector<std::string> metrics;   ///< empty: the kind's own
  std::vector<Statistic> statistics;  ///< empty: the kind's own
  Conditions where;
  std::string kind;                       ///< empty: every kind, or the first that fits
  std::string across;                     ///< parameter whose values become columns; empty: none
  std::string runs_by = runs_by_default;  ///< parameter that tells runs apart; see Collector
  std::string paired;                     ///< base of a paired comparison; empty: none
  PlotRequest plot;
  std::uint64_t drawn = 0;  ///< id of the multicast whose worms are drawn
  std::vector<Expectation> expectations;
  std::optional<unsigned> digits;  ///< of means and intervals in tables; else readable_digits()
  std::uint64_t top = 0;           ///< of a table: so many groups, the greatest first; 0 = all
  bool sorted = false;             ///< texts in natural order, not in the order in which they came
};

class Report {
 public:
  /// `picture` is given each record that is drawn, where the form is a picture.
  explicit Report(ReportRequest request, std::function<void(const Subject&)> picture = nullptr);

  void add(const Subject& subject);
  /// After the last record of a segment, before its topology goes. add() does it where a new segment begins,
  /// and finish(), for topologies that stay.
  void end_segment();
  /// The report's text, after the last record; of pictures and plots none. Throws InputError for names that
  /// no record had.
  std::string finish();
  /// What a plot shows, after finish(), and what is asked of it then.
  const PlotTable& plot() const { return plot_; }
  const PlotRequest& plot_request() const { return request_.plot; }
  /// One message for each expectation missed; after finish().
  std::vector<std::string> missed() const;
  /// What the user should know beside the text: points that a plot leaves out; after finish().
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  /// A record of the segment, and the conditions of which it is not yet known whether it meets them.
  struct Held {
    Held(const Subject& subject, std::vector<std::size_t> conditions)
        : record(subject), waits(std::move(conditions)) {}
    HeldSubject record;
    std::vector<std::size_t> waits;
  };

  void look_for_meetings(const Subject& subject);
  void take(const Subject& subject);
  std::vector<std::string> kinds() const;
  std::string kinds_that_came() const;
  std::vector<std::string> metrics_of(const std::string& kind) const;
  std::vector<Statistic> statistics_of(const std::string& kind) const;
  std::string tables();
  TextTable table(const std::string& kind, std::optional<unsigned> digits) const;
  std::string one_table(const std::string& kind);
  std::string laid_out(TextTable table) const;
  TextTable across_metrics(const std::string& kind) const;
  std::string across_tables(const std::string& kind, const std::vector<std::string>& metrics);
  /// Whether intervals are by runs, since deliveries of one run that met depend on each other.
  bool by_runs(const std::string& kind) const { return (windows_ || met_) && kind == "delivery"; }
  /// Notes why a metric of `points` has no interval, where it has none.
  bool has_intervals(const std::string& kind, const GroupedKind& points, const std::string& metric,
                     const char* option);
  bool has_unfinished() const;
  bool pools_routings(const GroupedKind& kind, const std::vector<std::string>& names) const;
  std::vector<PlotEnd> leave_unfinished_out(const std::string& kind, GroupedKind& points);
  PlotTable plot_table();
  std::string kind_with(const std::string& metric, const std::string& field) const;
  std::string kind_of_one_table() const;

  ReportRequest request_;
  Collector collector_;
  std::vector<std::string> names_;            ///< the parameters that groups are shown by; after finish()
  std::map<std::string, GroupedKind> shown_;  ///< by kind, for tables; after finish()
  KeyReader filter_;  ///< of single records, for what does not wait for the end of a segment
  std::deque<Held> held_;
  std::uint64_t segment_ = 0;
  std::optional<Pairing> pairing_;
  std::function<void(const Subject&)> picture_;
  PlotTable plot_;
  Meetings meetings_;
  bool windows_ = false;  ///< a run came with a window
  bool met_ = false;      ///< one came without, whose multicasts met
  bool met_in_segment_ = false;
  std::vector<std::string> notes_;
};

}  // namespace wormcast
