// Multicasts from traces, workloads and lists, of whatever kind the file is.
// SPDX-License-Identifier: MIT
#include "io/import/workloads/workload_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

class Collector {
 public:
  Collector(const WorkloadSpec& spec, const Topology& topology, std::string format)
      : spec_(spec), format_(std::move(format)) {
    if (!spec.options.destinations.empty())
      count_ = parse_destination_count(topology, spec.options.destinations);
  }

  /// `length_flits` 0: that of the workload; `further`: what else the multicast states, which may be where it
  /// is from and its flit-bits.
  void add(HostId source, std::vector<HostId> destinations, Cycle start, std::uint64_t length_flits = 0,
           const NamedValues& further = {}, std::vector<std::uint64_t> depends_on = {},
           bool reduces = false) {
    const std::size_t size = destinations.size();
    if (count_ && (size < count_->least || size > count_->most)) return;
    Request request;
    request.id = requests_.size();
    request.source = source;
    request.destinations = std::move(destinations);
    request.length_flits = length_flits > 0 ? length_flits : spec_.length_flits;
    request.start_cycle = start;
    if (reduces) request.start_cycles.assign(size, start);
    request.depends_on = std::move(depends_on);
    const bool as_before = !requests_.empty() && further == further_;
    request.workload = as_before ? requests_.back().workload : SharedValues(workload_of(further));
    if (!as_before) further_ = further;
    requests_.push_back(std::move(request));
  }
  std::uint64_t groups() const { return requests_.size(); }
  Cycle start_of(std::uint64_t group) const { return requests_[group].start_cycle; }
  std::vector<Request> take() { return std::move(requests_); }

 private:
  NamedValues workload_of(const NamedValues& further) const {
    NamedValues workload{{"from", format_}};
    const std::uint32_t bits = spec_.flit_bits.value_or(0);
    std::string flit_bits = bits > 0 ? std::to_string(bits) : "";
    for (const auto& [key, value] : further)
      if (key == "from")
        workload.front().second = value;
      else if (key == workload_flit_bits)
        flit_bits = value;
      else
        workload.emplace_back(key, value);
    if (count_) workload.emplace_back("destinations", spec_.options.destinations);
    if (!flit_bits.empty()) workload.emplace_back(workload_flit_bits, flit_bits);
    return workload;
  }

  const WorkloadSpec& spec_;
  std::string format_;
  std::optional<DestinationCount> count_;
  std::vector<Request> requests_;
  NamedValues further_;  ///< of the last of them, whose record's values all with the same share
};

/// What a line of a list of groups states after its nodes: start=CYCLE, length=FLITS, after=GROUP,…,
/// reduce=yes, and other KEY=VALUE for the record's workload.
struct GroupStates {
  std::optional<std::uint64_t> start;
  std::optional<std::uint64_t> length;
  std::vector<std::uint64_t> after;
  bool reduces = false;  ///< the destinations send parts, which are joined on their way to the source
  NamedValues further;
};

/// Whether it is KEY=VALUE; a key is of small letters, digits and hyphens.
bool is_state(std::string_view word) {
  const std::string_view key = word.substr(0, word.find('='));
  return key.size() < word.size() && !key.empty() && key[0] >= 'a' && key[0] <= 'z' &&
         key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

/// Takes them off the end of the words; `groups` come before this line.
GroupStates take_states(const ImportLines& lines, std::vector<std::string_view>& words, std::uint64_t groups,
                        const WorkloadSpec& spec) {
  const auto first = std::find_if_not(words.rbegin(), words.rend(), is_state).base();
  const std::vector<std::string_view> stated(first, words.end());
  words.erase(first, words.end());
  GroupStates states;
  std::set<std::string_view> seen;
  for (const std::string_view word : stated) {
    const std::string key(word.substr(0, word.find('=')));
    const std::string_view value = word.substr(key.size() + 1);
    if (!seen.insert(word.substr(0, key.size())).second) lines.fail(key, "is given twice");
    if (key == "start") {
      states.start = lines.number_in(value, key, 0, max_integer);
    } else if (key == "length") {
      states.length = lines.number_in(value, key, 1, max_integer);
    } else if (key == "after") {
      if (groups == 0) lines.fail(key, "no group comes before this one");
      for (const std::string_view number : words_of(value, ","))
        states.after.push_back(lines.number_in(number, key, 0, groups - 1));
      if (twice_in(states.after) != nullptr) lines.fail(key, "a group is given twice");
    } else if (key == "reduce") {
      if (value != "yes") lines.fail(key, "can only be yes: the first node gets what the others send");
      states.reduces = true;
    } else if (key == workload_flit_bits) {
      if (spec.flit_bits) lines.fail(key, "excludes --flit-bits");
      states.further.emplace_back(key, std::to_string(lines.number_in(value, key, 1, UINT32_MAX)));
    } else if (key == "destinations" || key.starts_with("answer")) {
      lines.fail(key, "is what gen-multicast itself states: name it otherwise");
    } else {
      states.further.emplace_back(key, valid_utf8(value));
    }
  }
  return states;
}

/// Multicasts come in start order, those of one cycle in that of the file.
std::vector<Request> by_start(std::vector<Request> requests) {
  std::stable_sort(requests.begin(), requests.end(),
                   [](const Request& a, const Request& b) { return a.start_cycle < b.start_cycle; });
  std::vector<std::uint64_t> places(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) places[requests[i].id] = i;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].id = i;
    for (std::uint64_t& before : requests[i].depends_on) before = places[before];
    std::sort(requests[i].depends_on.begin(), requests[i].depends_on.end());
  }
  return requests;
}

/// When the next multicast of a file starts: as `stated` in `field`, or an interval after the one before it.
Cycle next_start(const ImportFile& file, std::uint64_t line, const WorkloadSpec& spec,
                 const Collector& before, const char* field, std::optional<std::uint64_t> stated) {
  const std::uint64_t interval = spec.closed.interval_cycles, index = before.groups();
  if (interval != 0 && index > (max_integer - spec.start_cycle) / interval)
    fail_import(file, line, "--interval", "the last multicast would start after cycle 2^53-1");
  if (stated.value_or(0) > max_integer - spec.start_cycle)
    fail_import(file, line, field, "the multicast would start after cycle 2^53-1");
  return spec.start_cycle + stated.value_or(index * interval);
}

/// Not before those of the groups that it waits for.
Cycle start_of_group(const ImportLines& lines, const GroupStates& states, const WorkloadSpec& spec,
                     const Collector& collector) {
  if (states.start && spec.closed.interval_cycles != 0) lines.fail("start", "excludes --interval");
  const Cycle start = next_start(lines.file(), lines.number(), spec, collector, "start", states.start);
  if (!states.after.empty() && !spec.options.destinations.empty())
    lines.fail("after", "excludes --destinations, which leaves groups out");
  for (const std::uint64_t before : states.after)
    if (collector.start_of(before) > start) lines.fail("after", fmt::format("group {} starts later", before));
  return start;
}

/// A line is a source and its destinations, and what else it states. Where there are `ranks`, these are the
/// nodes of the numbers that stand there.
std::vector<Request> from_groups(const ImportFile& file, const WorkloadSpec& spec, const Topology& topology,
                                 const std::vector<HostId>& ranks = {}) {
  if (const std::string reason = columns_unnamed(file); !reason.empty())
    throw InputError("", reason, file.name);
  Collector collector(spec, topology, "groups");
  const HostNames names(topology);
  ImportLines lines(file);
  const auto node = [&](std::string_view word) {
    return ranks.empty() ? node_at(lines, names, word)
                         : ranks[lines.number_in(word, "rank", 0, ranks.size() - 1)];
  };
  while (const auto line = lines.next()) {
    std::vector<std::string_view> words = words_of(line->substr(0, line->find('#')));
    if (words.empty()) continue;
    if (words[0].starts_with("{\"") || words[0].starts_with("[{"))
      lines.fail("node",
                 "this looks like JSON, not like a list of groups: a source and its destinations a line, "
                 "separated by blanks (multicast records are read from FILE or standard input)");
    const GroupStates states = take_states(lines, words, collector.groups(), spec);
    if (words.size() < 2)
      lines.fail("node", words.empty() || words[0].find(',') == std::string_view::npos
                             ? "a group is a source and at least one destination"
                             : "a group is a source and at least one destination, separated by blanks; "
                               "commas are inside coordinates (columns of a trace are named by --columns)");
    if (words[0].ends_with(':')) words[0].remove_suffix(1);
    const HostId source = node(words[0]);
    std::vector<HostId> destinations;
    for (std::size_t i = 1; i < words.size(); ++i) destinations.push_back(node(words[i]));
    sort_destinations(lines, source, destinations, states.reduces);
    const Cycle start = start_of_group(lines, states, spec, collector);
    collector.add(source, std::move(destinations), start, states.length.value_or(0), states.further,
                  states.after, states.reduces);
  }
  return by_start(collector.take());
}

/// Each line of a trace is a multicast.
std::vector<Request> from_columns(const ImportFile& file, const WorkloadSpec& spec,
                                  const std::vector<TraceColumn>& columns, const Topology& topology) {
  if (spec.length_stated && is_among(TraceColumn::flits, columns))
    refuse("--length-flits", "excludes a column of flits");
  if (spec.closed.interval_cycles != 0 && is_among(TraceColumn::cycle, columns))
    refuse("--interval", "excludes a column of cycles");
  Collector collector(spec, topology, "columns");
  for (TraceLine& line : read_trace_columns(file, columns, topology)) {
    const Cycle start = next_start(file, line.line, spec, collector, "cycle", line.cycle);
    collector.add(line.source, std::move(line.destinations), start, line.flits);
  }
  return by_start(collector.take());
}

/// Of a line of a table of rates.
Fraction probability_of(const TraceLine& line, TraceColumn column, std::uint64_t length,
                        const ImportFile& file) {
  try {
    const Fraction rate = parse_decimal("rate", line.rate);
    return start_probability(rate, column == TraceColumn::packets ? 1 : length);
  } catch (const InputError& error) {
    fail_import(file, line.line, column == TraceColumn::packets ? "packets" : "rate", error.what());
  }
}

/// Each line of a table says how often there is such a message: it is drawn cycle by cycle. All lines are
/// drawn with the greatest probability, and of what comes each keeps its share.
std::vector<Request> from_rates(const ImportFile& file, const WorkloadSpec& spec,
                                const std::vector<TraceColumn>& columns, const Topology& topology) {
  if (!spec.open) refuse("--cycles", "is needed beside a column of rates: the length of the window");
  if (spec.start_cycle > max_integer || spec.open->cycles > max_integer - spec.start_cycle)
    refuse("--cycles", "the window would end after cycle 2^53-1");
  if (spec.closed.interval_cycles != 0) refuse("--interval", "excludes a column of rates");
  const std::vector<TraceLine> lines = read_trace_columns(file, columns, topology);
  std::vector<Fraction> probabilities;
  Fraction most;
  for (const TraceLine& line : lines) {
    probabilities.push_back(
        probability_of(line, rate_column(columns), line.flits > 0 ? line.flits : spec.length_flits, file));
    most = std::max(most, probabilities.back());
  }
  const RandomStreams starts(spec.seed, "rates"), shares(spec.seed, "shares");
  std::vector<Random> streams, kept;
  std::vector<Bernoulli> share;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    streams.push_back(starts.stream(i));
    kept.push_back(shares.stream(i));
    if (most.numerator > 0)
      share.emplace_back(product("--columns", probabilities[i], {most.denominator, most.numerator}));
  }
  Collector collector(spec, topology, "columns");
  Arrivals arrivals(std::move(streams), Bernoulli(most), most.numerator == 0 ? 0 : spec.open->cycles);
  const NamedValues seed = {{"seed", std::to_string(spec.seed)}};
  while (const auto arrival = arrivals.next()) {
    const TraceLine& line = lines[arrival->source];
    if (share[arrival->source](kept[arrival->source]))
      collector.add(line.source, line.destinations, spec.start_cycle + arrival->cycle, line.flits, seed);
  }
  return by_start(collector.take());
}

void refuse_other_options(const WorkloadFileOptions& options) {
  refuse_stated({{"--ranks", !options.ranks.empty() || options.rank_file},
                 {"--all-reduce", !options.all_reduce.empty()}},
                "is for collectives of ranks, and the file of --from has none (a list of them begins with "
                "communicator or an operation such as all-reduce)");
}

}  // namespace

std::vector<Request> read_own_workload(const ImportFile& file, const WorkloadSpec& spec,
                                       const WorkloadFileOptions& options, const Topology& topology) {
  const bool collective = is_collective_list(file);
  if (!options.columns.empty()) {
    refuse_other_options(options);
    return rate_column(options.columns) == TraceColumn::skipped
               ? from_columns(file, spec, options.columns, topology)
               : from_rates(file, spec, options.columns, topology);
  }
  if (collective) {
    const RankedGroups ranked = groups_of_collectives(file, spec, options, topology);
    WorkloadSpec of_chips = spec;
    of_chips.flit_bits = spec.flit_bits.value_or(chip_flit_bits);
    return from_groups(ranked.groups, of_chips, topology, ranked.nodes);
  }
  refuse_other_options(options);
  return from_groups(file, spec, topology);
}

std::vector<Request> read_workload(const ImportFile& file, const WorkloadSpec& spec,
                                   const WorkloadFileOptions& options, const Topology& topology) {
  try {
    return read_own_workload(file, spec, options, topology);
  } catch (const InputError&) {
    if (options.columns.empty()) {
      refuse_converted_workload(file);
      is_collective_list(file, true);
    }
    throw;
  }
}

WorkloadMerge::Source workload_source(const ImportFile& file, const WorkloadSpec& spec,
                                      const WorkloadFileOptions& options, const Topology& topology) {
  auto requests = std::make_shared<std::vector<Request>>(read_workload(file, spec, options, topology));
  return [requests, next = std::size_t{0}]() mutable -> std::optional<Request> {
    if (next == requests->size()) return std::nullopt;
    return std::move((*requests)[next++]);
  };
}

}  // namespace wormcast::io
