// Multicasts from traces, workloads and lists, of whatever kind the file is.
// SPDX-License-Identifier: MIT
#include "io/import/workloads/workload_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

#include "io/import/text.hpp"
#include "io/import/workloads/collective_files.hpp"
#include "io/import/workloads/dma_jobs.hpp"
#include "io/import/workloads/floogen_traffic.hpp"
#include "io/import/workloads/noc_trace.hpp"
#include "io/text/compression.hpp"
#include "io/text/json_text.hpp"
#include "multicast/workload/arguments.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

class Collector {
 public:
  Collector(const WorkloadSpec& spec, const Topology& topology, std::string format, std::uint32_t flit_bits)
      : spec_(spec), format_(std::move(format)), flit_bits_(spec.flit_bits.value_or(flit_bits)) {
    if (!spec.options.destinations.empty())
      count_ = parse_destination_count(topology, spec.options.destinations);
  }

  /// `length_flits` 0: that of the workload; `further`: what else the multicast states.
  void add(HostId source, std::vector<HostId> destinations, Cycle start, std::uint64_t length_flits = 0,
           const NamedValues& further = {}, std::vector<std::uint64_t> depends_on = {}) {
    const std::size_t size = destinations.size();
    if (count_ && (size < count_->least || size > count_->most)) return;
    Request request;
    request.id = requests_.size();
    request.source = source;
    request.destinations = std::move(destinations);
    request.length_flits = length_flits > 0 ? length_flits : spec_.length_flits;
    request.start_cycle = start;
    request.depends_on = std::move(depends_on);
    NamedValues workload{{"from", format_}};
    workload.insert(workload.end(), further.begin(), further.end());
    if (count_) workload.emplace_back("destinations", spec_.options.destinations);
    if (flit_bits_ > 0) workload.emplace_back(workload_flit_bits, std::to_string(flit_bits_));
    request.workload = std::move(workload);
    requests_.push_back(std::move(request));
  }
  std::uint64_t flit_bits() const { return flit_bits_; }
  std::uint64_t groups() const { return requests_.size(); }
  std::vector<Request> take() { return std::move(requests_); }

 private:
  const WorkloadSpec& spec_;
  std::string format_;
  std::uint64_t flit_bits_;
  std::optional<DestinationCount> count_;
  std::vector<Request> requests_;
};

/// All invalidations of one address by one node in one cycle are one multicast.
std::vector<Request> from_netrace(const ImportFile& file, const WorkloadSpec& spec,
                                  const Topology& topology) {
  if (spec.closed.interval_cycles != 0)
    throw InputError("--interval", "excludes a trace, which says when its multicasts start");
  Collector collector(spec, topology, "netrace", chip_flit_bits);
  const std::vector<Invalidation> all = read_netrace(file);
  for (const Invalidation& one : all) {
    const std::uint32_t node = std::max(one.source, one.destination);
    if (node >= topology.hosts())
      throw InputError(file.name, fmt::format("node {} of the trace is not in {} ({} nodes)", node,
                                              topology.name(), topology.hosts()));
    if (one.cycle > max_integer - spec.start_cycle)
      throw InputError(file.name, fmt::format("cycle {} and --start are above 2^53-1 together", one.cycle));
  }
  const auto key = [](const Invalidation& one) { return std::tuple(one.cycle, one.source, one.address); };
  for (std::size_t i = 0; i < all.size();) {
    std::vector<HostId> destinations;
    std::size_t next = i;
    for (; next < all.size() && key(all[next]) == key(all[i]); ++next)
      if (all[next].destination != all[i].source) destinations.emplace_back(all[next].destination);
    if (!destinations.empty())
      collector.add(HostId{all[i].source}, std::move(destinations), spec.start_cycle + all[i].cycle);
    i = next;
  }
  return collector.take();
}

/// The coordinates from `first` on to `last`, up or down the ring.
std::vector<std::uint32_t> along_ring(std::uint32_t first, std::uint32_t last, std::uint32_t size, bool up) {
  std::vector<std::uint32_t> coordinates{first};
  while (coordinates.back() != last) coordinates.push_back((coordinates.back() + (up ? 1 : size - 1)) % size);
  return coordinates;
}

std::vector<HostId> hosts_of(const NocTransfer& transfer, const Grid& grid) {
  std::vector<HostId> hosts;
  const bool up = transfer.noc == 0;
  for (const std::uint32_t y : along_ring(transfer.first[1], transfer.last[1], grid.dims()[1], up))
    for (const std::uint32_t x : along_ring(transfer.first[0], transfer.last[0], grid.dims()[0], up))
      hosts.emplace_back(x + y * grid.stride(1));
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

const Grid& chip_grid(const ImportFile& file, const std::vector<NocTransfer>& transfers,
                      const Topology& topology) {
  const Grid* grid = topology.grid();
  if (grid == nullptr || grid->dimensions() != 2)
    throw InputError(file.name,
                     "nodes of a chip have two coordinates, and those of " + topology.name() + " do not");
  for (const NocTransfer& transfer : transfers)
    for (const ChipNode& node : {transfer.source, transfer.first, transfer.last})
      if (node[0] >= grid->dims()[0] || node[1] >= grid->dims()[1])
        throw InputError(file.name, fmt::format("node {},{} of the trace is not in {}", node[0], node[1],
                                                topology.name()));
  return *grid;
}

/// What the network of that direction carried; both where channels run both ways.
std::vector<Request> from_noc_trace(const ImportFile& file, const WorkloadSpec& spec,
                                    const Topology& topology) {
  constexpr std::uint32_t noc_flit_bits = 256;  // of Wormhole
  if (spec.closed.interval_cycles != 0)
    throw InputError("--interval", "excludes a trace, which says when its multicasts start");
  if (spec.length_stated)
    throw InputError("--length-flits", "excludes a trace, which says how many bytes are sent");
  Collector collector(spec, topology, "noc-trace", noc_flit_bits);
  if (collector.flit_bits() == 0)
    throw InputError("--flit-bits", "is none, but a trace counts bytes: say how many bits a flit has");
  const std::vector<NocTransfer> transfers = read_noc_trace(file);
  const Grid& grid = chip_grid(file, transfers, topology);
  for (const NocTransfer& transfer : transfers) {
    if (topology.one_way_grid() && (transfer.noc == 0) != (topology.ways() == Ways::up)) continue;
    if (transfer.cycle > max_integer - spec.start_cycle)
      throw InputError(file.name,
                       fmt::format("cycle {} and --start are above 2^53-1 together", transfer.cycle));
    const HostId source{transfer.source[0] + transfer.source[1] * grid.stride(1)};
    std::vector<HostId> destinations = hosts_of(transfer, grid);
    if (destinations.size() > 1) std::erase(destinations, source);
    NamedValues further = {{"noc", std::to_string(transfer.noc)}};
    if (!transfer.event.empty()) further.emplace_back("event", transfer.event);
    collector.add(source, std::move(destinations), spec.start_cycle + transfer.cycle,
                  (transfer.bytes * 8 + collector.flit_bits() - 1) / collector.flit_bits(), further);
  }
  return collector.take();
}

/// Every burst is one message, of as many flits as it has beats.
std::vector<Request> from_floogen_traffic(const ImportFile& file, const WorkloadSpec& spec,
                                          const Topology& topology) {
  if (spec.length_stated)
    throw InputError("--length-flits", "excludes a traffic file, which says how many beats are sent");
  Collector collector(spec, topology, "floogen-traffic", 0);
  const std::uint64_t interval = spec.closed.interval_cycles;
  std::uint64_t index = 0;
  for (const FloogenBurst& burst : read_floogen_traffic(file, topology)) {
    if (interval != 0 && index > (max_integer - spec.start_cycle) / interval)
      throw InputError("--interval", "the last multicast would start after cycle 2^53-1");
    collector.add(burst.source, {burst.destination}, spec.start_cycle + index++ * interval, burst.beats,
                  {{"flow", burst.flow}, {"link", burst.wide ? "wide" : "narrow"}});
  }
  return collector.take();
}

/// The jobs of a DMA start one interval after the other, the first of all DMAs together.
std::vector<Request> from_dma_jobs(std::span<const ImportFile> files, const WorkloadSpec& spec,
                                   const ImportFile& addresses, const Topology& topology) {
  if (spec.length_stated) throw InputError("--length-flits", "a job says how many bytes are copied");
  if (!spec.options.destinations.empty())
    throw InputError("--destinations", "jobs have one destination each");
  Collector collector(spec, topology, "dma-jobs", 0);
  const std::uint64_t interval = spec.closed.interval_cycles;
  for (DmaBurst& burst : read_dma_jobs(files, read_floogen_addresses(addresses), topology)) {
    if (interval != 0 && burst.job > (max_integer - spec.start_cycle) / interval)
      throw InputError("--interval", "the start is out of range");
    NamedValues further = {{"link", burst.wide ? "wide" : "narrow"},
                           {"access", burst.write ? "write" : "read"}};
    if (!burst.dma.empty()) further.emplace_back("dma", burst.dma);
    collector.add(burst.source, {burst.destination}, spec.start_cycle + burst.job * interval, burst.beats,
                  further, std::move(burst.after));
  }
  return collector.take();
}

/// What a line of a list of groups states after its nodes: start=CYCLE, length=FLITS.
struct GroupStates {
  std::optional<std::uint64_t> start;
  std::uint64_t length = 0;  ///< 0: that of the workload
};

/// Takes them off the end of the words.
GroupStates take_states(const ImportLines& lines, std::vector<std::string_view>& words) {
  constexpr std::string_view start_key = "start=";
  constexpr std::string_view length_key = "length=";
  GroupStates states;
  for (; !words.empty(); words.pop_back()) {
    const std::string_view word = words.back();
    if (word.starts_with(start_key)) {
      if (states.start) lines.fail("start", "is given twice");
      states.start = lines.number_in(word.substr(start_key.size()), "start", 0, max_integer);
    } else if (word.starts_with(length_key)) {
      if (states.length > 0) lines.fail("length", "is given twice");
      states.length = lines.number_in(word.substr(length_key.size()), "length", 1, max_integer);
    } else {
      break;
    }
  }
  return states;
}

/// Multicasts come in start order, those of one cycle in that of the file.
std::vector<Request> by_start(std::vector<Request> requests) {
  std::stable_sort(requests.begin(), requests.end(),
                   [](const Request& a, const Request& b) { return a.start_cycle < b.start_cycle; });
  for (std::size_t i = 0; i < requests.size(); ++i) requests[i].id = i;
  return requests;
}

HostId host_named(const ImportLines& lines, const HostNames& names, std::string_view text) {
  try {
    return names.find("node", text);
  } catch (const InputError& error) {
    lines.fail("node", error.what());
  }
}

/// A line is a source and its destinations, and what else it states.
std::vector<Request> from_groups(const ImportFile& file, const WorkloadSpec& spec, const Topology& topology) {
  if (const std::string reason = columns_unnamed(file); !reason.empty())
    throw InputError("", reason, file.name);
  Collector collector(spec, topology, "groups", 0);
  const HostNames names(topology);
  ImportLines lines(file);
  while (const auto line = lines.next()) {
    std::vector<std::string_view> words = words_of(line->substr(0, line->find('#')));
    if (words.empty()) continue;
    if (words[0].starts_with("{\"") || words[0].starts_with("[{"))
      lines.fail("node",
                 "this looks like JSON, not like a list of groups: a source and its destinations a line, "
                 "separated by blanks (multicast records are read from FILE or standard input)");
    const GroupStates states = take_states(lines, words);
    if (words.size() < 2)
      lines.fail("node",
                 words.empty() || words[0].find(',') == std::string_view::npos
                     ? "a group is a source and at least one destination"
                     : "a group is a source and at least one destination, separated by blanks; commas "
                       "are inside coordinates (columns of a trace are named by --columns)");
    if (words[0].ends_with(':')) words[0].remove_suffix(1);
    const HostId source = host_named(lines, names, words[0]);
    std::vector<HostId> destinations;
    for (std::size_t i = 1; i < words.size(); ++i) destinations.push_back(host_named(lines, names, words[i]));
    std::sort(destinations.begin(), destinations.end());
    if (std::adjacent_find(destinations.begin(), destinations.end()) != destinations.end())
      lines.fail("node", "a destination is given twice");
    if (destinations.size() > 1 && std::binary_search(destinations.begin(), destinations.end(), source))
      lines.fail("node", fmt::format("node {} is the source and among several destinations", source.value));
    const std::uint64_t interval = spec.closed.interval_cycles;
    if (states.start && interval != 0) lines.fail("start", "excludes --interval");
    const std::uint64_t index = collector.groups();
    if (interval != 0 && index > (max_integer - spec.start_cycle) / interval)
      lines.fail("--interval", "the last multicast would start after cycle 2^53-1");
    if (states.start && *states.start > max_integer - spec.start_cycle)
      lines.fail("start", "the multicast would start after cycle 2^53-1");
    collector.add(source, std::move(destinations), spec.start_cycle + states.start.value_or(index * interval),
                  states.length);
  }
  return by_start(collector.take());
}

/// Each line of a trace is a multicast.
std::vector<Request> from_columns(const ImportFile& file, const WorkloadSpec& spec,
                                  const std::vector<TraceColumn>& columns, const Topology& topology) {
  const auto named = [&](TraceColumn column) {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
  };
  if (spec.length_stated && named(TraceColumn::flits))
    throw InputError("--length-flits", "excludes a column of flits");
  const std::uint64_t interval = spec.closed.interval_cycles;
  if (interval != 0 && named(TraceColumn::cycle))
    throw InputError("--interval", "excludes a column of cycles");
  Collector collector(spec, topology, "columns", 0);
  for (TraceLine& line : read_trace_columns(file, columns, topology)) {
    const std::uint64_t index = collector.groups();
    if (interval != 0 && index > (max_integer - spec.start_cycle) / interval)
      fail_import(file, line.line, "--interval", "the last multicast would start after cycle 2^53-1");
    if (line.cycle.value_or(0) > max_integer - spec.start_cycle)
      fail_import(file, line.line, "cycle", "the multicast would start after cycle 2^53-1");
    collector.add(line.source, std::move(line.destinations),
                  spec.start_cycle + line.cycle.value_or(index * interval), line.flits);
  }
  return by_start(collector.take());
}

void refuse_other_options(const WorkloadFileOptions& options) {
  const std::pair<const char*, bool> given[] = {{"--ranks", !options.ranks.empty() || options.rank_file},
                                                {"--communicators", options.communicators.has_value()},
                                                {"--all-reduce", !options.all_reduce.empty()}};
  for (const auto& [option, stands] : given)
    if (stands)
      throw InputError(option,
                       "is for collectives of ranks, and the file of --from has none (a "
                       "list of them begins with communicator or an operation such as all-reduce)");
}

}  // namespace

std::vector<Request> read_workload(std::span<const ImportFile> files, const WorkloadSpec& spec,
                                   const WorkloadFileOptions& options, const Topology& topology) {
  const ImportFile& file = files.front();
  for (const ImportFile& one : files)
    if (const std::string reason = compressed(one.text, one.name); !reason.empty() && !is_netrace(one))
      throw InputError("--from", reason, one.name);
  if (!options.columns.empty()) {
    if (options.addresses) throw InputError("--addresses", "excludes --columns");
    refuse_other_options(options);
    return from_columns(file, spec, options.columns, topology);
  }
  if (options.addresses) {
    refuse_other_options(options);
    return from_dma_jobs(files, spec, *options.addresses, topology);
  }
  if (is_dma_jobs(file))
    throw InputError(
        "--addresses",
        "is needed: jobs of a DMA name addresses, and a description by floogen says whose they are");
  const bool traffic = is_floogen_traffic(file);
  if (!traffic && (is_chakra(file) || is_collective_list(file)))
    return read_collectives(files, spec, options, topology);
  refuse_other_options(options);
  if (traffic) return from_floogen_traffic(file, spec, topology);
  if (is_noc_trace(file)) return from_noc_trace(file, spec, topology);
  return is_netrace(file) ? from_netrace(file, spec, topology) : from_groups(file, spec, topology);
}

WorkloadMerge::Source workload_source(std::span<const ImportFile> files, const WorkloadSpec& spec,
                                      const WorkloadFileOptions& options, const Topology& topology) {
  auto requests = std::make_shared<std::vector<Request>>(read_workload(files, spec, options, topology));
  return [requests, next = std::size_t{0}]() mutable -> std::optional<Request> {
    if (next == requests->size()) return std::nullopt;
    return std::move((*requests)[next++]);
  };
}

}  // namespace wormcast::io
