// report: tables, CSV, plots and comparisons from records of any kind.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/command_line/tool.hpp"
#include "io/runs/report_picture.hpp"
#include "io/runs/subject_reader.hpp"
#include "report/forms/report.hpp"
#include "topology/refuse.hpp"

using namespace wormcast;

namespace report {

constexpr io::ToolText text = {
    .name = "report",
    .summary = "Tables, CSV, plots and comparisons from records of any kind.",
    .details = R"(Reads: every kind, any number of streams and segments. Writes: text.
interval95 is half the width of the 95 % confidence interval of the mean (Student's t).
Deliveries under load are not independent: their interval is by runs (simulate several seeds), each
weighted by its size, or of one window by 10 to 40 batches of consecutive deliveries.
Tables group by outcome, since runs that did not complete have only the deliveries that got through,
and by routing where it differs. Percentiles are by nearest rank.
An expectation is a line  [PARAMETER=VALUE ...] METRIC STATISTIC = NUMBER [+- NUMBER]  or with
< <= > >= in place of =. It must hold in every group of records with these values, and some group
must have the metric. --kind says of which kind; else the first that has it is taken.
outcome=deadlock records count = 0  counts records of every kind.
Records are added up as they come; percentiles, --paired, cards and pictures keep more in memory.
Exit status: 0 done, 1 an expectation is missed, 2 usage, input or I/O error.
Examples: gen-topology mesh 8 8 | gen-multicast --count 99 --destinations 8 |
            plan-multicast dual-path,otms | report --paired dual-path
          report --plot x=destinations,y=traffic_channels,by=planner plans.jsonl |
            gnuplot > traffic.svg)",
};

using Form = ReportRequest::Form;

struct Options {
  ReportRequest request;  ///< as far as options say it in its own terms
  std::vector<std::string> statistics;
  std::vector<std::string> where;
  std::string plot;
  std::string expect;
  std::string energy;
  std::optional<std::uint64_t> draw;
  bool csv = false;
  bool markdown = false;
  bool latex = false;
  bool dot = false;
  std::string cards;
};

void list_parameters(io::Output& output) {
  for (const KnownParameter& parameter : known_parameters())
    output.write(fmt::format("{:<17} {}\n", parameter.name, parameter.summary));
  output.write(
      "Also: every option of a planner (first-hop), what a record says of its run (outcome), x_ keys.\n");
}

void declare(io::CommandLine& line, Options& options, io::CommonOptions& common) {
  ReportRequest& request = options.request;
  io::add_inputs(line, common);
  io::NameList parameters{"PARAMETERS", "", {}, true};
  for (const KnownParameter& parameter : known_parameters())
    parameters.entries.emplace_back(parameter.name, parameter.summary);
  common.lists.push_back(std::move(parameters));
  line.add_option("--by", request.by, "PARAMETERS",
                  "Parameters to group by (default: planner,topology,destinations,outcome,answer and what "
                  "else differs: network, routing, length_flits, pattern, rate, scope, a step's reading and "
                  "priority, the run's model, windows and routers)")
      .separated_by(',');
  const auto metric =
      line.add_option("--metric", request.metrics, "METRICS", "Metrics to show (default: the kind's own)")
          .separated_by(',');
  const auto statistics =
      line.add_option("--statistics", options.statistics, "mean|interval95|min|max|p50|p95|p99|count|sum",
                      "What to show of a metric. Default: mean,interval95,min,max, and mean for summaries "
                      "and verdicts")
          .separated_by(',');
  line.add_option("--where", options.where, "PARAMETER=VALUE",
                  "Only records with this value, or one of several: PARAMETER=VALUE[,VALUE...]; may be "
                  "repeated, and all must hold. planner=NAME is NAME with any options, planner=NAME: without")
      .one_value_each();
  line.add_option(
      "--kind", request.kind, "KIND",
      "Only records of this kind: multicast, plan, routes, delivery, steps, channel-load, summary, "
      "traffic-class (of the window of a summary), verdict, tables (default: a table for each)");
  const auto decimals =
      line.add_option(
              "--decimals", request.digits,
              "Decimals of means and intervals in tables (default 2, below 1 three significant digits)")
          .range(0, max_decimals);
  const auto across =
      line.add_option("--across", request.across, "PARAMETERS",
                      "A table for each metric, with a column for each value of this parameter");
  const auto csv = line.add_flag("--csv", options.csv, "Comma-separated values, 6 decimals");
  const auto markdown = line.add_flag("--markdown", options.markdown, "Tables in Markdown");
  const auto latex = line.add_flag("--latex", options.latex, "Tables in LaTeX, with booktabs");
  const auto runs_by =
      line.add_option("--runs-by", request.runs_by, "PARAMETER",
                      "Deliveries with one value of this parameter are of one run, for intervals under load "
                      "(default: seed; of those without any, the segment)");
  const auto plot = line.add_option(
      "--plot", options.plot,
      "A gnuplot script; x=PARAMETER,y=METRIC[,by=P+Q][,at=P][,log=x|y|xy][,ymax=N][,title=T], and "
      "as=svg|pdf|tikz|pgf, intervals=bars|bands. If x is a metric, there is a point for each value of at=P, "
      "or for each run. A value such as 0.1+0.02, the rates of two classes of traffic, stands at its sum");
  const auto paired = line.add_option("--paired", request.paired,
                                      "Compare every planner with this one on the same multicasts");
  const auto dot = line.add_flag("--dot", options.dot,
                                 "A Graphviz picture of the channels' loads, for dot -Tsvg (default: "
                                 "--metric flits, of a window flits_per_cycle)");
  const auto draw = line.add_option("--draw", options.draw,
                                    "A Graphviz picture of the worms of the multicast with this id");
  const auto cards = line.add_option("--cards", options.cards,
                                     "A card for each scheme: markdown; latencies and saturation come "
                                     "from delivery records, so not from runs with --summary-only")
                         .one_of({"markdown"});
  line.add_option("--energy", options.energy, "FILE",
                  "A file of what each event costs: summaries that count events (simulate-wormhole --events) "
                  "have energy_picojoules, of all and of a multicast");
  line.add_option(
      "--expect", options.expect, "FILE",
      "A file of expectations; each one missed is named on stderr. Without --by, --metric or another "
      "option of tables that is all that is printed");
  const auto top =
      line.add_option("--top", request.top,
                      "Only the N rows of a table with the greatest means of its first metric, in that order")
          .range(1, io::max_integer);
  line.add_flag("--sorted", request.sorted,
                "Sort rows by their texts, so that the order of the input does not matter");
  io::add_list(line, common, "List the parameters that every record can be grouped by, and stop",
               list_parameters);
  markdown.excludes(csv).excludes(latex);
  latex.excludes(csv);
  plot.excludes(csv).excludes(markdown).excludes(latex).excludes(paired).excludes(across);
  for (const io::Option picture : {dot, draw, cards})
    for (const io::Option other : {csv, markdown, latex, plot, paired, across}) picture.excludes(other);
  dot.excludes(draw);
  for (const io::Option other : {dot, draw}) cards.excludes(other);
  across.excludes(paired);
  for (const io::Option other : {plot, paired, across, dot, draw, cards}) top.excludes(other);
  for (const io::Option other : {plot, paired, across, dot, draw, cards}) statistics.excludes(other);
  for (const io::Option other : {csv, plot, dot, draw, cards}) decimals.excludes(other);
  for (const io::Option other : {plot, draw, cards}) metric.excludes(other);
  for (const io::Option other : {paired, dot, draw, cards}) runs_by.excludes(other);
}

/// Groups and kinds are of tables, and of expectations whatever is drawn.
void refuse_without_effect(const Options& options) {
  const bool shown = options.plot.empty() && options.cards.empty() && !options.dot && !options.draw;
  if (!shown && options.expect.empty()) {
    if (!options.request.by.empty()) refuse("--by", "is for tables and expectations");
    if (!options.request.kind.empty() && options.plot.empty())
      refuse("--kind", "is for tables, plots and expectations");
  }
  if (options.dot && options.request.metrics.size() > 1) refuse("--metric", "--dot draws one");
}

/// A column for each name; the same twice is a slip of the pen for another.
void refuse_repeated(const std::vector<std::string>& names, const char* option) {
  for (auto name = names.begin(); name != names.end(); ++name)
    if (std::find(names.begin(), name, *name) != name) refuse(option, "'{}' is named twice", *name);
}

/// What the options ask for, checked before any record is read.
ReportRequest checked(const Options& options) {
  refuse_without_effect(options);
  ReportRequest request = options.request;
  refuse_repeated(request.by, "--by");
  refuse_repeated(request.metrics, "--metric");
  refuse_repeated(options.statistics, "--statistics");
  if (options.csv) request.form = Form::csv;
  if (!options.plot.empty()) {
    request.form = Form::plot;
    request.plot = parse_plot(options.plot);
  }
  if (options.markdown) request.form = Form::markdown;
  if (options.latex) request.form = Form::latex;
  if (!options.cards.empty()) request.form = Form::cards;
  if (options.dot) request.form = Form::loads;
  if (options.draw) {
    request.form = Form::worms;
    request.drawn = *options.draw;
  }
  for (const std::string& name : options.statistics)
    request.statistics.push_back(find_statistic(name, "--statistics"));
  request.where = parse_conditions(options.where);
  if (!options.expect.empty()) request.expectations = io::read_expectations(options.expect);
  return request;
}

/// Expectations alone: what is missed is said on stderr, and no option asks for a table beside it.
bool only_expects(const ReportRequest& request) {
  return !request.expectations.empty() && request.form == Form::table && request.by.empty() &&
         request.metrics.empty() && request.statistics.empty() && request.across.empty() &&
         request.paired.empty() && !request.digits && request.top == 0;
}

int run(const Options& options, const io::CommonOptions& common, io::Output& output) {
  ReportRequest request = checked(options);
  const bool silent = only_expects(request);
  std::optional<io::ReportPicture> picture;
  if (options.dot || options.draw || !options.cards.empty()) picture.emplace(request);
  Report report(std::move(request), picture ? [&](const Subject& subject) { picture->add(subject); }
                                            : std::function<void(const Subject&)>());
  std::uint64_t records = 0;
  std::uint64_t segments = 0;
  std::optional<io::Energy> energy;
  if (!options.energy.empty()) energy = io::read_energy(options.energy);
  io::read_subjects(
      common.inputs,
      [&](const Subject& subject) {
        report.add(subject);
        ++records;
        segments = subject.segment;
      },
      [&] { report.end_segment(); }, energy ? &*energy : nullptr);
  if (energy && !energy->used)
    refuse("--energy", "no summary has events; simulate-wormhole --events counts them");
  if (common.verbose)
    io::diagnose(text.name, fmt::format("{} records, the last in segment {}", records, segments));
  const std::string tables = report.finish();
  if (!silent) output.write(tables);
  if (picture) output.write(picture->finish());
  if (!options.plot.empty()) output.write(io::drawn_plot(report.plot_request(), report.plot()));
  if (records == 0) io::diagnose(text.name, "no record came, so nothing is reported");
  for (const std::string& note : report.notes()) io::diagnose(text.name, note);
  const std::vector<std::string> missed = report.missed();
  for (const std::string& message : missed)
    io::diagnose(text.name, fmt::format("{}: {}", options.expect, message));
  return missed.empty() ? io::exit_yes : io::exit_no;
}

}  // namespace report

int main(int argc, char** argv) {
  using namespace report;
  return io::run_tool<Options>(argc, argv, text, declare, run);
}
