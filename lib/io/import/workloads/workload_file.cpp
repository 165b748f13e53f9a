// Multicasts from traces and lists.
// SPDX-License-Identifier: MIT
#include "io/import/workloads/workload_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

#include "io/import/text.hpp"
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

  void add(HostId source, std::vector<HostId> destinations, Cycle start) {
    const std::size_t size = destinations.size();
    if (count_ && (size < count_->least || size > count_->most)) return;
    Request request;
    request.id = requests_.size();
    request.source = source;
    request.destinations = std::move(destinations);
    request.length_flits = spec_.length_flits;
    request.start_cycle = start;
    NamedValues workload{{"from", format_}};
    if (count_) workload.emplace_back("destinations", spec_.options.destinations);
    if (flit_bits_ > 0) workload.emplace_back(workload_flit_bits, std::to_string(flit_bits_));
    request.workload = std::move(workload);
    requests_.push_back(std::move(request));
  }
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
    throw InputError("--interval", "a trace says when its multicasts start");
  Collector collector(spec, topology, "netrace", chip_flit_bits);
  const std::vector<Invalidation> all = read_netrace(file);
  for (const Invalidation& one : all) {
    const std::uint32_t node = std::max(one.source, one.destination);
    if (node >= topology.hosts())
      throw InputError(file.name, fmt::format("node {} of the trace is not in {} ({} nodes)", node,
                                              topology.name(), topology.hosts()));
    if (one.cycle > max_integer - spec.start_cycle)
      throw InputError(file.name, fmt::format("cycle {} is out of range", one.cycle));
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

HostId host_named(const ImportLines& lines, const HostNames& names, std::string_view text) {
  try {
    return names.find("node", text);
  } catch (const InputError& error) {
    lines.fail("node", error.what());
  }
}

/// A line is a source and its destinations.
std::vector<Request> from_groups(const ImportFile& file, const WorkloadSpec& spec, const Topology& topology) {
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
    if (words.size() < 2)
      lines.fail("node",
                 words[0].find(',') == std::string_view::npos
                     ? "a group is a source and at least one destination"
                     : "a group is a source and at least one destination, separated by blanks; commas "
                       "are inside coordinates");
    if (words[0].ends_with(':')) words[0].remove_suffix(1);
    const HostId source = host_named(lines, names, words[0]);
    std::vector<HostId> destinations;
    for (std::size_t i = 1; i < words.size(); ++i) destinations.push_back(host_named(lines, names, words[i]));
    std::sort(destinations.begin(), destinations.end());
    if (std::adjacent_find(destinations.begin(), destinations.end()) != destinations.end())
      lines.fail("node", "a destination stands twice");
    if (destinations.size() > 1 && std::binary_search(destinations.begin(), destinations.end(), source))
      lines.fail("node", fmt::format("node {} is the source and among several destinations", source.value));
    const std::uint64_t index = collector.groups();
    if (spec.closed.interval_cycles != 0 &&
        index > (max_integer - spec.start_cycle) / spec.closed.interval_cycles)
      lines.fail("--interval", "the start is out of range");
    collector.add(source, std::move(destinations), spec.start_cycle + index * spec.closed.interval_cycles);
  }
  return collector.take();
}

}  // namespace

std::vector<Request> read_workload_file(const ImportFile& file, const WorkloadSpec& spec,
                                        const Topology& topology) {
  return is_netrace(file) ? from_netrace(file, spec, topology) : from_groups(file, spec, topology);
}

WorkloadMerge merge_workload_file(const ImportFile& file, const WorkloadSpec& spec,
                                  const Topology& topology) {
  auto requests = std::make_shared<std::vector<Request>>(read_workload_file(file, spec, topology));
  return WorkloadMerge([requests, next = std::size_t{0}]() mutable -> std::optional<Request> {
    if (next == requests->size()) return std::nullopt;
    return (*requests)[next++];
  });
}

}  // namespace wormcast::io
