// Grouping, tables, paired comparison, plots and filters, on subjects made by hand.
// SPDX-License-Identifier: MIT
#include "report/forms/report.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "report/subject.hpp"
#include "report/table.hpp"
#include "topology/error.hpp"

namespace wormcast::report_test {

namespace {

/// Makes plan subjects of one topology.
class Plans {
 public:
  explicit Plans(std::vector<std::uint64_t> sizes = {8, 8})
      : topology_(build_topology({"mesh", std::move(sizes), 0, {}})) {}

  void add(Report& report, const std::string& planner, std::uint64_t id, std::size_t destinations,
           std::int64_t traffic, std::uint64_t segment = 1) {
    plan_ = Plan{};
    plan_.planner = planner.substr(0, planner.find(':'));
    if (planner != plan_.planner) plan_.options = {{"first-hop", planner.substr(planner.rfind('=') + 1)}};
    plan_.request.id = id;
    plan_.request.source = HostId{3};
    for (std::size_t d = 0; d < destinations; ++d)
      plan_.request.destinations.push_back(HostId{static_cast<std::uint32_t>(10 + d)});
    Subject subject;
    subject.kind = "plan";
    subject.stream = "-";
    subject.segment = segment;
    subject.topology = topology_.get();
    subject.plan = &plan_;
    subject.metrics = {{"traffic_channels", traffic, 0}};
    report.add(subject);
  }
  /// A record about the whole segment, without a metric where `cycles` is negative; `buffer_flits` of its
  /// routers, "": it says nothing of them.
  void add_summary(Report& report, const std::string& outcome, std::int64_t cycles, std::uint64_t segment,
                   const std::string& buffer_flits = "") {
    Subject subject;
    subject.kind = "summary";
    subject.segment = segment;
    subject.topology = topology_.get();
    if (cycles >= 0) subject.metrics = {{"last_cycle", cycles, 0}};
    subject.attributes = {{"outcome", outcome}};
    if (!buffer_flits.empty())
      subject.attributes.push_back({"buffer_flits", buffer_flits, Attribute::Of::routers});
    report.add(subject);
  }

 private:
  std::unique_ptr<const Topology> topology_;
  Plan plan_;
};

ReportRequest csv_request(std::vector<std::string> by) {
  ReportRequest request;
  request.form = ReportRequest::Form::csv;
  request.by = std::move(by);
  request.statistics = {Statistic::mean, Statistic::count};
  return request;
}

std::vector<std::string> misses(const std::string& expectations) {
  ReportRequest request = csv_request({"planner", "destinations"});
  request.expectations = parse_expectations(expectations, "file");
  Report report(request);
  Plans plans;
  plans.add(report, "ocms:first-hop=free", 0, 4, 10);
  plans.add(report, "ocms:first-hop=free", 1, 4, 11);
  plans.add(report, "dual-path", 0, 4, 12);
  report.finish();
  return report.missed();
}

std::string refusal(const std::string& expectations) {
  try {
    parse_expectations(expectations, "file");
  } catch (const InputError& error) {
    return error.place + ": " + error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("numbers sort by value, planners as they came") {
  Report report(csv_request({"planner", "destinations"}));
  Plans plans;
  plans.add(report, "otms:first-hop=strict", 0, 16, 5);
  plans.add(report, "dual-path", 0, 16, 7);
  plans.add(report, "dual-path", 1, 16, 8);
  plans.add(report, "otms:first-hop=strict", 0, 4, 1);
  plans.add(report, "dual-path", 0, 4, 2);
  CHECK(report.finish() ==
        "planner,destinations,records,traffic_channels_mean,traffic_channels_count\n"
        "otms,4,1,1.000000,1\n"
        "otms,16,1,5.000000,1\n"
        "dual-path,4,1,2.000000,1\n"
        "dual-path,16,2,7.500000,2\n");
}

TEST_CASE("a planner's option is a parameter of its own; records without it come last") {
  Report report(csv_request({"first-hop"}));
  Plans plans;
  plans.add(report, "dual-path", 0, 4, 2);
  plans.add(report, "otms:first-hop=free", 0, 4, 1);
  CHECK(report.finish() ==
        "first-hop,records,traffic_channels_mean,traffic_channels_count\n"
        "free,1,1.000000,1\n"
        ",1,2.000000,1\n");
}

TEST_CASE("a record about a segment takes what the segment's multicasts have in common") {
  ReportRequest request = csv_request({"planner", "destinations", "outcome"});
  request.kind = "";
  request.metrics = {"last_cycle"};
  Report report(request);
  Plans plans;
  plans.add(report, "dual-path", 0, 4, 2, 1);
  plans.add(report, "dual-path", 1, 8, 2, 1);
  plans.add_summary(report, "complete", 90, 1);
  plans.add(report, "separate", 0, 8, 2, 2);
  plans.add_summary(report, "deadlock", 50, 2);
  CHECK(report.finish() ==
        "planner,destinations,outcome,records,last_cycle_mean,last_cycle_count\n"
        "dual-path,mixed,complete,1,90.000000,1\n"
        "separate,8,deadlock,1,50.000000,1\n");
}

TEST_CASE("what the segment's last record says holds for the records before it, and only there") {
  ReportRequest request = csv_request({"planner", "outcome"});
  request.where = {{"destinations", "4"}, {"outcome", "deadlock"}};
  Report report(request);
  Plans plans;
  plans.add(report, "separate", 0, 4, 1, 1);
  plans.add_summary(report, "complete", 90, 1);
  for (const std::int64_t traffic : {7, 9}) plans.add(report, "separate", 0, 4, traffic, 2);
  plans.add(report, "separate", 0, 8, 100, 2);
  plans.add_summary(report, "deadlock", 50, 2);
  plans.add(report, "separate", 0, 4, 5, 3);
  CHECK(report.finish() ==
        "planner,outcome,records,traffic_channels_mean,traffic_channels_count\n"
        "separate,deadlock,2,8.000000,2\n");
}

TEST_CASE("different routers are apart by default, named by what differs; not where the user groups") {
  const auto table = [](const std::vector<std::string>& by, const std::vector<std::string>& buffers) {
    ReportRequest request = csv_request(by);
    request.statistics = {Statistic::mean};
    request.kind = "plan";
    Report report(request);
    Plans plans;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      plans.add(report, "ocms", 1, 4, static_cast<std::int64_t>(10 * (i + 1)), i + 1);
      plans.add_summary(report, "complete", 100, i + 1, buffers[i]);
    }
    return report.finish();
  };
  const std::string head = "planner,topology,destinations,outcome,";
  CHECK(table({}, {"4", "4"}) ==
        head + "records,traffic_channels_mean\nocms,mesh-8x8,4,complete,2,15.000000\n");
  CHECK(table({}, {"16", "4", "16"}) == head +
                                            "buffer_flits,records,traffic_channels_mean\n"
                                            "ocms,mesh-8x8,4,complete,4,1,20.000000\n"
                                            "ocms,mesh-8x8,4,complete,16,2,20.000000\n");
  CHECK(table({}, {"4", ""}) == head +
                                    "buffer_flits,records,traffic_channels_mean\n"
                                    "ocms,mesh-8x8,4,complete,4,1,10.000000\n"
                                    "ocms,mesh-8x8,4,complete,,1,20.000000\n");
  CHECK(table({"planner"}, {"4", "16"}) == "planner,records,traffic_channels_mean\nocms,2,15.000000\n");
}

TEST_CASE("tables fold what is the same everywhere, one for each kind") {
  ReportRequest request;
  request.statistics = {Statistic::mean, Statistic::max};
  Report report(request);
  Plans plans;
  plans.add(report, "dual-path", 0, 4, 2);
  plans.add(report, "dual-path", 1, 4, 3);
  plans.add(report, "separate", 0, 4, 10);
  plans.add_summary(report, "complete", 90, 1);
  CHECK(report.finish() ==
        "plan records\n"
        "topology: mesh-8x8, outcome: complete\n"
        "\n"
        "                                     traffic_channels\n"
        "planner     destinations   records          mean  max\n"
        "dual-path              4         2          2.50    3\n"
        "separate               4         1         10.00   10\n"
        "\n"
        "summary records\n"
        "                                                         last_cycle\n"
        "planner   topology   destinations   outcome    records    mean  max\n"
        "mixed     mesh-8x8              4   complete         1   90.00   90\n");
}

TEST_CASE("a parameter across: its values become columns, each metric a table") {
  ReportRequest request;
  request.by = {"planner", "destinations"};
  request.across = "destinations";
  Report report(request);
  Plans plans;
  plans.add(report, "dual-path", 0, 16, 30);
  plans.add(report, "dual-path", 0, 4, 2);
  plans.add(report, "dual-path", 1, 4, 4);
  plans.add(report, "otms:first-hop=free", 0, 16, 1);
  CHECK(report.finish() ==
        "mean traffic (channels), \u00b1 95 % confidence\n"
        "                            destinations\n"
        "planner                         4     16\n"
        "dual-path             3.00 \u00b112.71  30.00\n"
        "otms:first-hop=free             -   1.00\n");
}

TEST_CASE("filters") {
  ReportRequest request = csv_request({"planner"});
  request.where = {{"planner", "otms:first-hop=free"}, {"destinations", "4"}};
  Report report(request);
  Plans plans;
  plans.add(report, "otms:first-hop=free", 0, 4, 1);
  plans.add(report, "otms:first-hop=free", 0, 8, 100);
  plans.add(report, "otms:first-hop=strict", 0, 4, 100);
  CHECK(report.finish() ==
        "planner,records,traffic_channels_mean,traffic_channels_count\notms:first-hop=free,1,1.000000,1\n");
}

TEST_CASE("a filter that nothing meets says so, and what it may have meant") {
  ReportRequest request = csv_request({"planner"});
  request.kind = "plan";
  request.where = {{"destinations", "4"}, {"planner", "seprate"}};
  Report report(request);
  Plans plans;
  plans.add(report, "separate", 0, 4, 1);
  plans.add(report, "separate", 1, 8, 1);
  CHECK_THROWS_WITH_AS(report.finish(),
                       "no plan record fits destinations=4 planner=seprate (did you mean 'separate'?)",
                       InputError);
}

TEST_CASE("unknown parameters and metrics are refused") {
  Plans plans;
  Report unknown(csv_request({"destinatons"}));
  plans.add(unknown, "dual-path", 0, 4, 2);
  CHECK_THROWS_WITH_AS(unknown.finish(), doctest::Contains("did you mean 'destinations'?"), InputError);
  ReportRequest request = csv_request({"planner"});
  request.metrics = {"trafic_channels"};
  Report metric(request);
  plans.add(metric, "dual-path", 0, 4, 2);
  CHECK_THROWS_WITH_AS(metric.finish(), doctest::Contains("did you mean 'traffic_channels'?"), InputError);
}

TEST_CASE("paired comparison: only multicasts that both have count") {
  ReportRequest request = csv_request({"planner", "destinations"});
  request.paired = "dual-path";
  Report report(request);
  Plans plans;
  const std::vector<std::int64_t> dual = {10, 20, 30, 40};
  const std::vector<std::int64_t> other = {9, 20, 33};
  for (std::size_t i = 0; i < dual.size(); ++i) plans.add(report, "dual-path", i, 4, dual[i]);
  for (std::size_t i = 0; i < other.size(); ++i) plans.add(report, "separate", i, 4, other[i]);
  // Differences −1, 0, 3: mean 2/3, t(2) · sqrt(13/3 / 3) = 4.30265273 · 1.20185043
  CHECK(report.finish() ==
        "destinations,planner,base,metric,pairs,difference_mean,difference_interval95,wins,ties,losses,"
        "unpaired\n"
        "4,separate,dual-path,traffic_channels,3,0.666667,5.171145,1,1,1,1\n");
}

TEST_CASE("paired comparison refuses what is not the same multicast") {
  ReportRequest request = csv_request({"planner"});
  request.paired = "dual-path";
  Plans plans;
  Report different(request);
  plans.add(different, "dual-path", 0, 4, 1);
  CHECK_THROWS_WITH_AS(plans.add(different, "separate", 0, 8, 1), doctest::Contains("is another one here"),
                       InputError);
  Report twice(request);
  plans.add(twice, "dual-path", 0, 4, 1);
  CHECK_THROWS_WITH_AS(plans.add(twice, "dual-path", 0, 4, 1), doctest::Contains("comes twice"), InputError);
  Report without_base(request);
  plans.add(without_base, "separate", 0, 4, 1);
  CHECK_THROWS_WITH_AS(without_base.finish(), doctest::Contains("no record is planned by 'dual-path'"),
                       InputError);
  request.paired = "otms";
  Report ambiguous(request);
  plans.add(ambiguous, "otms:first-hop=free", 0, 4, 1);
  plans.add(ambiguous, "otms:first-hop=other", 0, 4, 1);
  CHECK_THROWS_WITH_AS(ambiguous.finish(), doctest::Contains("more than one variant of 'otms'"), InputError);
}

TEST_CASE("columns of one parameter as CSV, and tables in LaTeX") {
  ReportRequest request = csv_request({"planner"});
  request.across = "destinations";
  request.metrics = {"traffic_channels"};
  const auto text = [&] {
    Report report(request);
    Plans plans;
    plans.add(report, "dual-path", 0, 4, 10);
    plans.add(report, "dual-path", 1, 4, 12);
    plans.add(report, "otms:first-hop=a_b", 0, 8, 7);
    return report.finish();
  };
  CHECK(text() ==
        "planner,destinations_4,destinations_8\n"
        "dual-path,11.000000,\notms:first-hop=a_b,,7.000000\n");
  request.form = ReportRequest::Form::latex;
  request.across.clear();
  CHECK(text() ==
        "\\begin{tabular}{lrrr}\n\\toprule\n &  & \\multicolumn{2}{c}{traffic\\_channels} \\\\\n"
        "planner & records & mean & count \\\\\n\\midrule\ndual-path & 2 & 11.00 & 2 \\\\\n"
        "otms:first-hop=a\\_b & 1 & 7.00 & 1 \\\\\n\\bottomrule\n\\end{tabular}\n");
  request.across = "destinations";
  CHECK(text().find("dual-path & 11.00 $\\pm$12.71 & -") != std::string::npos);
  request.form = ReportRequest::Form::csv;
  request.metrics.clear();
  CHECK(text().starts_with("planner,destinations_4,destinations_8\n"));  // all there are: one
}

/// "destinations 4: 11.000000 +- 12.706205" for each point of a plot.
std::vector<std::string> points_of(const Report& report) {
  std::vector<std::string> texts;
  for (const PlotPoint& point : report.plot().points)
    texts.push_back(fmt::format("{} {}: {} +- {}", fmt::join(point.key, " "), point.x, point.y, point.half));
  return texts;
}

TEST_CASE("points of plots are means with half their intervals, in the order of the rows") {
  ReportRequest request;
  request.form = ReportRequest::Form::plot;
  request.plot = parse_plot("x=destinations,y=traffic_channels,by=planner,log=x,title=It's one");
  Report report(request);
  Plans plans;
  plans.add(report, "dual-path", 0, 16, 50);
  plans.add(report, "dual-path", 0, 4, 10);
  plans.add(report, "dual-path", 1, 4, 12);
  CHECK(report.finish().empty());
  CHECK(report.plot().title == "It's one");
  CHECK(points_of(report) ==
        std::vector<std::string>{"dual-path 4: 11.000000 +- 12.706205", "dual-path 16: 50.000000 +- 0"});
  request.plot = parse_plot("x=planner,y=traffic_channels,by=destinations");
  Report texts(request);
  plans.add(texts, "separate", 0, 4, 10);
  plans.add(texts, "dual-path", 0, 4, 12);
  texts.finish();
  CHECK(points_of(texts) ==
        std::vector<std::string>{"4 separate: 10.000000 +- 0", "4 dual-path: 12.000000 +- 0"});
}

TEST_CASE("neither --by nor the conditions of expectations change a plot or a table") {
  const auto text = [](ReportRequest request, const std::string& expectations) {
    request.expectations = parse_expectations(expectations, "file");
    Report report(request);
    Plans plans;
    plans.add(report, "dual-path", 0, 4, 10);
    plans.add(report, "dual-path", 1, 4, 12);
    plans.add(report, "separate", 0, 4, 20);
    std::string out = report.finish();
    out += fmt::format("{}", fmt::join(points_of(report), "\n"));
    const std::vector<std::string> missed = report.missed();
    return out + (missed.empty() ? "" : missed.front());
  };
  ReportRequest plot;
  plot.form = ReportRequest::Form::plot;
  plot.plot = parse_plot("x=destinations,y=traffic_channels");
  const std::string script = text(plot, "");
  CHECK(script.find("dual-path 4: 11.000000 +- 12.706205\n") != std::string::npos);
  plot.by = {"id"};
  CHECK(text(plot, "id=1 records count = 1") == script);
  const ReportRequest table = csv_request({"planner"});
  CHECK(text(table, "id=1 traffic_channels mean = 12") == text(table, ""));
  // Each line has its own conditions, and is otherwise of the groups that are shown.
  CHECK(text(table, "id=1 records count = 1\nplanner=dual-path traffic_channels mean = 11") ==
        text(table, ""));
  CHECK(text(table, "planner=dual-path id=1 traffic_channels mean = 11") ==
        text(table, "") +
            "line 1: missed: planner=dual-path id=1 traffic_channels mean = 11: it is 12.000000 "
            "at planner dual-path, id 1");
}

TEST_CASE("a plot's title names the topologies of what is drawn") {
  ReportRequest request;
  request.form = ReportRequest::Form::plot;
  request.plot = parse_plot("x=destinations,y=traffic_channels");
  request.where = {{"topology", "mesh-8x8"}};
  Report report(request);
  Plans plans;
  plans.add(report, "dual-path", 0, 4, 10, 1);
  Plans({4, 4}).add(report, "dual-path", 0, 4, 10, 2);
  report.finish();
  CHECK(report.plot().title == "traffic (channels), mesh-8x8");
}

TEST_CASE("plot requests that cannot be are refused") {
  for (const char* text :
       {"", "x=destinations", "x=a,y=b,z=c", "x=a,y=b,log=z", "x=a,y", "x=,y=b", "x=a,y=b,ymax=-3"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_plot(text), InputError);
  }
}

TEST_CASE("titles say units") {
  CHECK(metric_title("latency_cycles_p99") == "p99 latency (cycles)");
  CHECK(mean_title("latency_cycles_mean") == "mean latency (cycles)");
  CHECK(mean_title("latency_cycles_max") == "mean max latency (cycles)");
  CHECK(metric_title("accepted_flits_per_node_cycle") == "accepted (flits/node/cycle)");
  CHECK(metric_title("rate") == "rate (flits/node/cycle)");
  CHECK(metric_title("destinations") == "destinations");
  CHECK(metric_title("max") == "max");
}

TEST_CASE("expectations that hold and that are missed") {
  CHECK(misses("").empty());
  CHECK(misses("# a comment\n\n"
               "planner=ocms:first-hop=free destinations=4 traffic_channels mean = 10.5\n"
               "planner=ocms:first-hop=free traffic_channels mean = 10.4 +- 0.1\r\n"
               "destinations=4 traffic_channels max <= 12\n"
               "destinations=4 traffic_channels min > 9.99\n"
               "planner=dual-path traffic_channels count = 1\n"
               "planner=btl records count = 0\n"
               "records count >= 3\n")
            .empty());
  CHECK(misses("first-hop=free traffic_channels mean = 10.4 +- 0.09\n") ==
        std::vector<std::string>{
            "line 1: missed: first-hop=free traffic_channels mean = 10.4 +- 0.09: it is 10.500000 at planner "
            "ocms:first-hop=free, destinations 4, first-hop free"});
  CHECK(misses("\ntraffic_channels max < 12") ==
        std::vector<std::string>{
            "line 2: missed: traffic_channels max < 12: it is 12 at planner dual-path, destinations 4"});
  CHECK(misses("planner=btl traffic_channels mean > 0") ==
        std::vector<std::string>{
            "line 1: missed: planner=btl traffic_channels mean > 0: no such group of records"});
  CHECK(misses("latency_cycles mean > 0") ==
        std::vector<std::string>{"line 1: missed: latency_cycles mean > 0: no record has this metric"});
  CHECK(misses("records count = 2") ==
        std::vector<std::string>{"line 1: missed: records count = 2: it is 3"});
  CHECK(misses("planner=dual-path traffic_channels interval95 < 1") ==
        std::vector<std::string>{"line 1: missed: planner=dual-path traffic_channels interval95 < 1: there "
                                 "is none at planner dual-path, destinations 4"});
}

TEST_CASE(
    "expectations see runs that deadlocked: records of every kind count, and a group without a value "
    "misses") {
  const auto missed = [](const std::string& expectations, const std::string& kind = "") {
    ReportRequest request = csv_request({"planner", "outcome"});
    request.expectations = parse_expectations(expectations, "file");
    request.kind = kind;
    Report report(request);
    Plans plans;
    plans.add(report, "dual-path", 0, 4, 10, 1);
    plans.add(report, "dual-path", 1, 4, 10, 1);
    plans.add_summary(report, "complete", 90, 1);
    // Stuck before anything was delivered: a summary without a latency is all that came of it.
    plans.add_summary(report, "deadlock", -1, 2);
    report.finish();
    return report.missed();
  };
  using Messages = std::vector<std::string>;
  CHECK(missed("outcome=deadlock records count = 1\noutcome=complete records count = 3\nrecords count = 4")
            .empty());
  CHECK(missed("outcome=deadlock records count = 0") ==
        Messages{"line 1: missed: outcome=deadlock records count = 0: it is 1"});
  CHECK(missed("records count = 2", "plan").empty());
  CHECK(missed("last_cycle mean < 100", "summary") ==
        Messages{"line 1: missed: last_cycle mean < 100: there is none at outcome deadlock"});
  CHECK(missed("last_cycle mean < 100") ==
        Messages{"line 1: missed: last_cycle mean < 100: there is none at outcome deadlock"});
  CHECK(missed("outcome=complete last_cycle mean < 100\noutcome=deadlock last_cycle count = 0").empty());
}

TEST_CASE("expectations that say nothing sensible are refused with their line") {
  CHECK(refusal("a=b traffic mean = 3").empty());
  CHECK(refusal("\ntraffic mean 3").starts_with("file: line 2: not of the form"));
  CHECK(refusal("traffic mean ~ 3") == "file: line 1: '~' is none of = < <= > >=");
  CHECK(refusal("traffic mean = 3x").starts_with("file: line 1: '3x' is not a number"));
  CHECK(refusal("traffic mean = .").starts_with("file: line 1: '.' is not a number"));
  CHECK(refusal("traffic mean < 3 +- 1").starts_with("file: line 1: only '= NUMBER"));
  CHECK(refusal("traffic median = 3").starts_with("file: line 1: unknown statistic 'median'"));
  CHECK(refusal("p=\"a b traffic mean = 3") == "file: line 1: a quotation mark is not closed");
}

TEST_CASE("CSV quotes what needs it") {
  TextTable table;
  table.columns = {{"a", "", false}, {"b", "mean", true}};
  table.rows = {{"x,\"y\"", "1"}};
  CHECK(csv(table) == "a,b_mean\n\"x,\"\"y\"\"\",1\n");
}

TEST_CASE("the natural order of texts is total, with numbers by value") {
  const std::vector<std::string_view> ordered = {"",   "a",        "a0",        "a00",      "a01",
                                                 "a1", "a2",       "a10",       "a10b",     "ab",
                                                 "b",  "mesh-8x2", "mesh-8x16", "mesh-16x2"};
  for (std::size_t i = 0; i < ordered.size(); ++i)
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      CAPTURE(ordered[i]);
      CAPTURE(ordered[j]);
      CHECK(natural_before(ordered[i], ordered[j]) == (i < j));
    }
}

}  // namespace wormcast::report_test
