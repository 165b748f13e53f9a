// Collectives of ranks become multicasts of nodes: where the ranks are, how wide a flit is.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "io/import/workloads/collective_files.hpp"
#include "topology/error.hpp"

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
  if (!options.all_reduce.empty() && options.all_reduce != "tree" && options.all_reduce != "chunks")
    throw InputError("--all-reduce", in_quotes(options.all_reduce) + " is neither tree nor chunks");
}

std::vector<HostId> nodes_of_ranks(const WorkloadFileOptions& options, const Topology& topology) {
  return options.rank_file ? rank_nodes(*options.rank_file, topology) : rank_nodes(options.ranks, topology);
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
  model.hosts = nodes_of_ranks(options, topology);
  model.flit_bits = spec.flit_bits.value_or(chip_flit_bits);
  model.chunks = options.all_reduce == "chunks";
  model.start_cycle = spec.start_cycle;
  Communicators communicators(static_cast<std::uint32_t>(model.hosts.size()));
  const CollectiveListing listing = list_operations(file, communicators);
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
