// gen-multicast: writes the multicasts that a network is asked to carry.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "io/command_line/tool.hpp"
#include "io/import/workloads/workload_file.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/topology_record.hpp"
#include "multicast/workload/pattern.hpp"
#include "multicast/workload/workload.hpp"
#include "topology/refuse.hpp"

using namespace wormcast;

namespace gen_multicast {

constexpr io::ToolText text = {
    .name = "gen-multicast",
    .summary = "Write multicasts for every network of a stream, in start order.",
    .details =
        R"(New multicasts are merged by start into those of the stream, whose ids (and depends_on) are doubled;
new ids are odd. Multicast i of a seed is always the same. A greater --rate only adds multicasts.
With --shard K/N, ids and starts are those of the whole. Multicasts that meet must be simulated
together (--interval).
Reads: topology, multicast, reduction, end. Writes: the same.
Exit status: 0 done, 2 usage, input or I/O error.
Examples:
  gen-topology mesh 16 16 | gen-multicast --count 1000 --destinations 16 --seed 7
  gen-topology mesh 8 8 | gen-multicast --source 3,2 --to 1,1 7,0 42
  gen-topology mesh 4 4 | gen-multicast --from collectives --ranks label-order
  gen-topology mesh 8 8 | gen-multicast --pattern transpose --rate 0.1 --cycles 100000 |
    gen-multicast --destinations 4:8 --rate 0.01 --cycles 100000 --seed 2)",
};

struct Options {
  std::string from;
  std::string columns;
  std::string ranks;
  std::string all_reduce;
  std::string pattern;
  PatternOptions pattern_options;
  std::vector<std::string> sources;
  std::string seed = "1";
  std::string length_flits;
  std::string start = "0";
  std::string count;
  std::string interval;
  std::string rate;
  std::string burst;
  std::string cycles;
  std::string shard;
  std::string flit_bits;
  std::string answers;
  bool reduce = false;
};

void list_patterns(io::Output& output) {
  for (const PatternEntry* pattern : destination_patterns()) {
    std::string takes;
    for (const std::string_view option : pattern->options) takes += fmt::format(" {}", option);
    output.write(fmt::format("{}\n    {}\n    topologies: {}\n    options:{}\n    cite: {}\n", pattern->name,
                             pattern->summary, pattern->topologies, takes.empty() ? " none" : takes,
                             pattern->cite));
  }
}

void declare(io::CommandLine& line, Options& options, io::CommonOptions& common) {
  PatternOptions& pattern = options.pattern_options;
  io::add_inputs(line, common);
  io::add_names(common, "PATTERN", "Patterns:", destination_patterns());
  line.add_option("--pattern", options.pattern, "PATTERN",
                  "Traffic pattern (see --list; default: uniform, or explicit with --to)");
  line.add_option("--source", options.sources, "NODE",
                  "Nodes that send: numbers, coordinates 3,2 or names (default: all)");
  line.add_option("--to", pattern.to, "NODE", "Destinations: numbers, coordinates 3,2 or names");
  line.add_option("--destinations", pattern.destinations, "K|K1:K2",
                  "Number of destinations, or a range (default: 1)");
  line.add_option("--length-flits", options.length_flits, "FLITS", "Length of each multicast (default: 32)");
  line.add_option("--start", options.start, "CYCLE",
                  "Start of the first, or of the --rate window (default: 0)");
  line.add_option("--count", options.count, "N", "Number of multicasts (default: 1)");
  line.add_option("--interval", options.interval, "CYCLES",
                  "Between starts of --count multicasts (default: 0, all at once)");
  line.add_option(
      "--rate", options.rate, "R",
      "Open loop: flits a node and cycle offered; a node starts a multicast in a cycle with probability R / "
      "FLITS");
  line.add_option("--cycles", options.cycles, "CYCLES", "Open loop: length of the window");
  line.add_option("--seed", options.seed, "SEED", "Seed of all that is random (default: 1)");
  line.add_option(
      "--answers", options.answers, "FLITS",
      "Every destination answers with so many flits; the source's next multicast waits for all answers");
  line.add_flag("--reduce", options.reduce,
                "Reductions: every destination sends a part, joined to one message for the source");
  line.add_option(
      "--from", options.from, "FILE",
      "Multicasts of a file: a list of groups (SOURCE: DESTINATIONS, then optionally start=CYCLE, "
      "length=FLITS, after=GROUP,... by number from 0, KEY=VALUE for the record) or of collectives. "
      "Converters read traces of other programs (share/wormcast/converters). --destinations keeps some sizes "
      "only");
  io::add_list(line, common, "List the patterns and stop", list_patterns);
  line.group("Patterns");
  line.add_option("--radius", pattern.radius, "HOPS", "clustered: least radius of the cluster (default: 0)");
  line.add_option("--rectangle", pattern.rectangle, "WxH",
                  "rectangle: its nodes in each dimension (default: random)");
  line.add_option("--layers", pattern.layers, "N", "layers: how many (default: 2)");
  line.add_option("--hotspot", pattern.hotspot, "NODE", "hotspot: the hot nodes");
  line.add_option("--hotspot-share", pattern.hotspot_share, "P",
                  "hotspot: probability of a hot node (default: 0.2)");
  line.add_option("--permutation-seed", pattern.permutation_seed, "SEED",
                  "random-permutation: which permutation (default: 1)");
  line.group("Further");
  line.add_option(
      "--flit-bits", options.flit_bits, "BITS|none",
      "Width of a flit in bits, by which plans count headers (default: 64 for patterns of chips, else none)");
  line.add_option(
      "--burst", options.burst, "ON:OFF",
      "Open loop: nodes are on and off in turn, for so many cycles in the mean, and start multicasts only "
      "while on; --rate is the mean over both");
  line.add_option("--shard", options.shard, "K/N",
                  "Only the K-th of N parts, for many machines; needs a long enough --interval");
  line.add_option(
      "--columns", options.columns, "NAMES",
      "Trace in columns, named in order, as in cycle,source,destination,flits; - skips one. Table of rates "
      "for --cycles: source,destination,rate (flits a cycle) or packets (messages)");
  line.group("Collectives");
  line.add_option(
      "--ranks", options.ranks, "RULE|FILE",
      "The node of each rank: in-order (rank r on node r), label-order (on the r-th node by the network's "
      "labels), or lines RANK NODE of a file");
  const auto ways = io::all_reduce_ways();
  line.add_option("--all-reduce", options.all_reduce, fmt::format("{}", fmt::join(ways, "|")),
                  "Algorithm of all-reduce and other sums: a tree and a broadcast, chunks, a ring, two "
                  "trees, reductions (joined), or two such on disjoint trees (default: tree)");
}

WorkloadSpec make_spec(const Options& options) {
  WorkloadSpec spec;
  const bool named = !options.pattern_options.to.empty();
  spec.pattern = !options.pattern.empty() ? options.pattern : named ? "explicit" : "uniform";
  spec.options = options.pattern_options;
  spec.sources = options.sources;
  spec.seed = parse_integer("--seed", options.seed);
  spec.length_stated = !options.length_flits.empty();
  if (spec.length_stated) spec.length_flits = parse_integer("--length-flits", options.length_flits);
  spec.start_cycle = parse_integer("--start", options.start);
  if (options.flit_bits == "none") {
    spec.flit_bits = 0;
  } else if (!options.flit_bits.empty()) {
    const std::uint64_t bits = parse_integer("--flit-bits", options.flit_bits);
    if (bits == 0 || bits > UINT32_MAX)
      refuse("--flit-bits", "{} is neither 'none' nor between 1 and 4294967295", bits);
    spec.flit_bits = static_cast<std::uint32_t>(bits);
  }
  if (!options.shard.empty()) spec.shard = parse_shard(options.shard);
  if (options.rate.empty()) {
    if (!options.cycles.empty() && options.columns.empty()) refuse("--cycles", "needs --rate");
    if (!options.cycles.empty()) spec.open = OpenArrivals{"", parse_integer("--cycles", options.cycles)};
    if (!options.burst.empty()) refuse("--burst", "needs --rate");
    if (!options.count.empty()) spec.closed.count = parse_integer("--count", options.count);
    if (!options.interval.empty())
      spec.closed.interval_cycles = parse_integer("--interval", options.interval);
    return spec;
  }
  if (!options.count.empty()) refuse("--count", "excludes --rate, which decides how many there are");
  if (!options.interval.empty()) refuse("--interval", "excludes --rate, which decides when they start");
  if (options.cycles.empty()) refuse("--rate", "needs --cycles, the length of the window");
  spec.open = OpenArrivals{options.rate, parse_integer("--cycles", options.cycles), options.burst};
  return spec;
}

/// With --from the file says sources, destinations and, of a trace, start cycles.
void refuse_beside_from(const Options& options) {
  const PatternOptions& pattern = options.pattern_options;
  refuse_stated({{"--pattern", !options.pattern.empty()},
                 {"--source", !options.sources.empty()},
                 {"--to", !pattern.to.empty()},
                 {"--radius", !pattern.radius.empty()},
                 {"--rectangle", !pattern.rectangle.empty()},
                 {"--layers", !pattern.layers.empty()},
                 {"--hotspot", !pattern.hotspot.empty()},
                 {"--hotspot-share", !pattern.hotspot_share.empty()},
                 {"--permutation-seed", !pattern.permutation_seed.empty()},
                 {"--count", !options.count.empty()},
                 {"--rate", !options.rate.empty()},
                 {"--shard", !options.shard.empty()},
                 {"--seed", options.seed != "1" && options.cycles.empty()}},
                "excludes --from, whose file says it");
}

void refuse_without_from(const Options& options) {
  refuse_stated({{"--ranks", !options.ranks.empty()}, {"--all-reduce", !options.all_reduce.empty()}},
                "needs --from, the file of the collectives");
  if (!options.columns.empty()) refuse("--columns", "needs --from, the trace");
}

WorkloadMerge answered(WorkloadMerge::Source source, const Options& options) {
  const std::uint64_t flits = parse_integer("--answers", options.answers);
  auto workload = std::make_shared<AnsweredWorkload>(std::move(source), flits);
  return WorkloadMerge([workload] { return workload->next(); });
}

WorkloadMerge reduced(WorkloadMerge::Source source) {
  return WorkloadMerge([source = std::move(source)] {
    std::optional<Request> request = source();
    if (request) request->start_cycles.assign(request->destinations.size(), request->start_cycle);
    return request;
  });
}

/// What the file holds or the pattern says, and where it is asked for its answers.
WorkloadMerge merge_of(const std::optional<io::ImportFile>& file, const WorkloadSpec& spec,
                       const io::WorkloadFileOptions& beside, const Topology& topology,
                       const Options& options) {
  if (!file && options.answers.empty() && !options.reduce) return WorkloadMerge(spec, topology);
  WorkloadMerge::Source source =
      file ? io::workload_source(*file, spec, beside, topology) : workload_source(spec, topology);
  if (options.reduce) return reduced(std::move(source));
  return options.answers.empty() ? WorkloadMerge(std::move(source)) : answered(std::move(source), options);
}

int run(const Options& options, const io::CommonOptions& common, io::Output& output) {
  const WorkloadSpec spec = make_spec(options);
  if (!options.answers.empty() && spec.shard)
    refuse("--answers", "excludes --shard: answers join what the parts would keep apart");
  if (options.reduce && spec.shard) refuse("--reduce", "excludes --shard, which counts multicasts");
  if (options.reduce && !options.answers.empty())
    refuse("--reduce", "excludes --answers: what a reduction brings is not answered");
  std::optional<io::ImportFile> file;
  io::WorkloadFileOptions beside;
  if (!options.from.empty()) {
    refuse_beside_from(options);
    if (spec.length_flits == 0) refuse("--length-flits", "0 flits, at least 1");
    file = io::read_import_files({options.from}).front();
    beside = io::read_workload_file_options(options.ranks, options.all_reduce);
    if (!options.columns.empty()) beside.columns = io::parse_trace_columns(options.columns);
    if (spec.open && io::rate_column(beside.columns) == io::TraceColumn::skipped)
      refuse("--cycles", "needs --rate, or a column of rates");
  } else {
    refuse_without_from(options);
  }
  io::refuse_names_as_files(common.inputs, find_destination_pattern,
                            "a pattern and no file: gen-multicast --pattern {}");
  io::RecordStream stream(common.inputs);
  io::RecordLine line;
  std::optional<WorkloadMerge> merge;
  Request request;
  RouterTable table;
  const auto emit = [&](const Request& next) { output.write(io::write_request_record(next, line)); };
  stream.for_each([&](const io::Record& record) {
    switch (record.kind) {
      case io::Kind::topology:
        merge.emplace(merge_of(file, spec, beside, *stream.topology(), options));
        output.write(stream.topology_line());
        break;
      case io::Kind::tables:  // for route-expand
        io::read_tables_record(record.value, *stream.topology(), table);
        output.write(io::write_tables_record(table, line));
        break;
      case io::Kind::multicast:
      case io::Kind::reduction:
        io::read_request_record(record, *stream.topology(), request);
        stream.order().check(request);
        merge->add(request, emit);
        break;
      case io::Kind::end:
        merge->finish(emit);
        output.write(stream.end_line());
        break;
      default:
        io::refuse_kind(record, "multicast or reduction records");
    }
  });
  return io::exit_yes;
}

}  // namespace gen_multicast

int main(int argc, char** argv) {
  using namespace gen_multicast;
  return io::run_tool<Options>(argc, argv, text, declare, run);
}
