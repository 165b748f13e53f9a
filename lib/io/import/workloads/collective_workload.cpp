// Collectives of ranks become multicasts of nodes: where the ranks are, how wide a flit is. The converter
// `collectives` makes groups of ranks of a list, with the schedule of each operation.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "io/import/network_file.hpp"
#include "io/import/workloads/workload_file.hpp"
#include "io/scripts/script.hpp"
#include "multicast/workload/pattern.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<std::string_view, 6> all_reduce_words = {"tree",      "chunks", "ring",
                                                              "two-trees", "joined", "disjoint"};

bool is_file(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists(name, ignored) && !std::filesystem::is_directory(name, ignored);
}

void refuse_for_collectives(const WorkloadSpec& spec, const WorkloadFileOptions& options) {
  if (spec.closed.interval_cycles != 0)
    refuse("--interval", "excludes operations of --from, which say what they wait for");
  if (spec.length_stated)
    refuse("--length-flits", "excludes operations of --from, which say how many bytes they move");
  if (!spec.options.destinations.empty())
    refuse("--destinations", "excludes operations of --from, which need all their multicasts");
  if (spec.flit_bits == 0u)
    refuse("--flit-bits", "is none, but operations count bytes: say how many bits a flit has");
  if (options.ranks.empty() && !options.rank_file)
    refuse("--ranks", "is needed, to say the node of each rank: in-order, label-order or a file of them");
}

/// By a rule: rank r on node r, or on the r-th in the order of the network's labels.
std::vector<HostId> nodes_by_rule(std::string_view rule, const Topology& topology) {
  std::vector<HostId> hosts = topology.host_ids();
  const bool by_label = rule == "label-order";
  if (!by_label && rule != "in-order")
    refuse("--ranks", "{} is neither in-order nor label-order, and there is no file of that name",
           in_quotes(rule));
  if (by_label && !topology.labelled()) refuse("--ranks", "{} has no labels; try in-order", topology.name());
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
    const std::uint64_t rank = lines.number_in(words[0], "rank", 0, topology.host_count() - 1);
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
  if (const auto* twice = twice_in(sorted))
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

std::span<const std::string_view> all_reduce_ways() { return all_reduce_words; }

bool is_collective_list(const ImportFile& file, bool suspected) {
  const std::vector<std::string_view> beginnings = {"ranks",   "communicator",   "send",       "broadcast",
                                                    "reduce",  "all-reduce",     "gather",     "all-gather",
                                                    "scatter", "reduce-scatter", "all-to-all", "barrier"};
  ImportLines lines(file);
  while (const auto line = lines.next()) {
    const std::vector<std::string_view> words = words_of(line->substr(0, line->find('#')));
    if (words.empty()) continue;
    const bool known = std::find(beginnings.begin(), beginnings.end(), words[0]) != beginnings.end();
    if (!known && suspected && !did_you_mean(words[0], beginnings).empty())
      lines.fail("operation", unknown_name_message("operation", words[0], beginnings));
    return known;
  }
  throw InputError("", "the file is empty", file.name);
}

RankedGroups groups_of_collectives(const ImportFile& file, const WorkloadSpec& spec,
                                   const WorkloadFileOptions& options, const Topology& topology) {
  refuse_for_collectives(spec, options);
  RankedGroups result;
  result.nodes = options.rank_file ? nodes_by_file(*options.rank_file, topology)
                                   : nodes_by_rule(options.ranks, topology);
  const std::string way(options.all_reduce.empty() ? all_reduce_words.front() : options.all_reduce);
  place_of_name("--all-reduce", "way of adding up", way, all_reduce_words);
  // Its settings stand before the file.
  Script script("collectives", {fmt::format("ranks={}", result.nodes.size()),
                                fmt::format("flit-bits={}", spec.flit_bits.value_or(chip_flit_bits)),
                                "all-reduce=" + way, "-"});
  script.write(file.text);
  try {
    result.groups = {"collectives", script.needed("gen-multicast", "FILE"), true};
  } catch (const InputError& error) {  // "line 3: rank: what is wrong"
    if (!error.field.empty()) throw;
    const std::string said = error.what();
    const std::size_t end = std::min(said.find(": "), said.size());
    throw InputError(error.field, said.substr(std::min(end + 2, said.size())),
                     (file.name.empty() ? "" : file.name + ": ") + said.substr(0, end));
  }
  return result;
}

}  // namespace wormcast::io
