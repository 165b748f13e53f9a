// Collectives of ranks become multicasts of nodes: where the ranks are, how wide a flit is.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "io/import/text.hpp"
#include "io/import/workloads/workload_file.hpp"
#include "multicast/workload/arguments.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast::io {
namespace {

bool is_file(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists(name, ignored) && !std::filesystem::is_directory(name, ignored);
}

void refuse_for_collectives(const WorkloadSpec& spec, const WorkloadFileOptions& options) {
  if (spec.closed.interval_cycles != 0)
    throw InputError("--interval", "excludes operations of --from, which say what they wait for");
  if (spec.length_stated)
    throw InputError("--length-flits", "excludes operations of --from, which say how many bytes they move");
  if (!spec.options.destinations.empty())
    throw InputError("--destinations", "excludes operations of --from, which need all their multicasts");
  if (spec.flit_bits == 0u)
    throw InputError("--flit-bits", "is none, but operations count bytes: say how many bits a flit has");
  if (options.ranks.empty() && !options.rank_file)
    throw InputError("--ranks",
                     "is needed, to say the node of each rank: in-order, label-order or a file of them");
}

Summing summing_named(const std::string& name) {
  const auto names = summing_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw InputError("--all-reduce",
                     unknown_name_message("way of adding up", name, {names.begin(), names.end()}));
  return static_cast<Summing>(found - names.begin());
}

/// By a rule: rank r on node r, or on the r-th in the order of the network's labels.
std::vector<HostId> nodes_by_rule(std::string_view rule, const Topology& topology) {
  std::vector<HostId> hosts;
  const bool by_label = rule == "label-order";
  if (!by_label && rule != "in-order")
    throw InputError("--ranks",
                     fmt::format("{} is neither in-order nor label-order, and there is no file of that name",
                                 in_quotes(rule)));
  if (by_label && !topology.labelled())
    throw InputError("--ranks", topology.name() + " has no labels; try in-order");
  for (std::uint32_t host = 0; host < topology.hosts(); ++host) hosts.emplace_back(host);
  if (by_label)
    std::stable_sort(hosts.begin(), hosts.end(), [&](HostId a, HostId b) {
      return topology.label(topology.router_of(a)) < topology.label(topology.router_of(b));
    });
  return hosts;
}

/// By lines `RANK NODE`, every rank from 0 on once, no two on one node.
std::vector<HostId> nodes_by_file(const ImportFile& file, const Topology& topology) {
  const HostNames names(topology);
  std::vector<std::optional<HostId>> found;
  ImportLines lines(file);
  while (const auto line = lines.next()) {
    const std::vector<std::string_view> words = words_of(line->substr(0, line->find('#')));
    if (words.empty()) continue;
    if (words.size() != 2) lines.fail("rank", "a rank and its node are wanted");
    const std::uint64_t rank = lines.number_in(words[0], "rank", 0, topology.hosts() - 1);
    found.resize(std::max<std::size_t>(found.size(), rank + 1));
    if (found[rank]) lines.fail("rank", fmt::format("rank {} appears twice", rank));
    found[rank] = node_at(lines, names, words[1]);
  }
  std::vector<HostId> hosts;
  for (const std::optional<HostId>& host : found) {
    if (!host) throw InputError("rank", fmt::format("rank {} is missing", hosts.size()), file.name);
    hosts.push_back(*host);
  }
  if (hosts.empty()) throw InputError("rank", "the file names no rank", file.name);
  std::vector<HostId> sorted = hosts;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    throw InputError("node", fmt::format("node {} has two ranks", twice->value), file.name);
  return hosts;
}

}  // namespace

WorkloadFileOptions read_workload_file_options(const std::string& ranks, const std::string& all_reduce) {
  WorkloadFileOptions options;
  options.all_reduce = all_reduce;
  if (is_file(ranks)) {
    options.rank_file = read_import_files({ranks}).front();
  } else {
    options.ranks = ranks;
  }
  return options;
}

std::vector<Request> read_collectives(const ImportFile& file, const WorkloadSpec& spec,
                                      const WorkloadFileOptions& options, const Topology& topology) {
  refuse_for_collectives(spec, options);
  CollectiveModel model;
  model.hosts = options.rank_file ? nodes_by_file(*options.rank_file, topology)
                                  : nodes_by_rule(options.ranks, topology);
  model.flit_bits = spec.flit_bits.value_or(chip_flit_bits);
  if (!options.all_reduce.empty()) model.summing = summing_named(options.all_reduce);
  model.start_cycle = spec.start_cycle;
  const CollectiveListing listing = list_operations(file, static_cast<std::uint32_t>(model.hosts.size()));
  model.from = listing.from;
  std::vector<Request> requests;
  CollectiveSchedule schedule(std::move(model),
                              [&](Request request) { requests.push_back(std::move(request)); });
  try {
    for (const Operation& operation : listing.operations) schedule.add(operation);
  } catch (InputError& error) {
    error.place = file.name;
    throw;
  }
  return requests;
}

}  // namespace wormcast::io
