// Collectives of ranks become multicasts of nodes: which files, where the ranks are, how wide a flit is.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "io/import/workloads/collective_files.hpp"
#include "io/import/workloads/dma_jobs.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

constexpr std::uint32_t most_rank_files = 1 << 16;

bool is_file(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists(name, ignored) && !std::filesystem::is_directory(name, ignored);
}

std::string rank_file_name(const std::string& name, std::uint32_t rank) {
  return fmt::format("{}.{}.et", name, rank);
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

std::vector<ImportFile> read_workload_files(const std::string& name) {
  constexpr std::string_view first = ".0.et";
  const std::string base = name.ends_with(first) ? name.substr(0, name.size() - first.size()) : name;
  if (base == name && is_file(name)) return read_import_files({name}, true);
  if (!is_file(rank_file_name(base, 0))) {
    const std::vector<std::string> jobs = dma_job_file_names(name);
    return read_import_files(jobs.empty() ? std::vector{name} : jobs, true);
  }
  std::vector<std::string> names;
  for (std::uint32_t rank = 0; rank < most_rank_files && is_file(rank_file_name(base, rank)); ++rank)
    names.push_back(rank_file_name(base, rank));
  return read_import_files(names);
}

WorkloadFileOptions read_workload_file_options(const std::string& ranks, const std::string& communicators,
                                               const std::string& all_reduce, const std::string& addresses) {
  WorkloadFileOptions options;
  options.all_reduce = all_reduce;
  if (is_file(ranks)) {
    options.rank_file = read_import_files({ranks}).front();
  } else {
    options.ranks = ranks;
  }
  if (!communicators.empty()) options.communicators = read_import_files({communicators}).front();
  if (!addresses.empty()) options.addresses = read_import_files({addresses}).front();
  return options;
}

std::vector<Request> read_collectives(std::span<const ImportFile> files, const WorkloadSpec& spec,
                                      const WorkloadFileOptions& options, const Topology& topology) {
  refuse_for_collectives(spec, options);
  CollectiveModel model;
  model.hosts = nodes_of_ranks(options, topology);
  const bool traces = is_chakra(files.front());
  const std::size_t ranks = traces ? files.size() : model.hosts.size();
  if (ranks > model.hosts.size())
    throw InputError(
        "--ranks", fmt::format("there are traces of {} ranks, but nodes for {}", ranks, model.hosts.size()));
  if (traces && ranks == 1)
    throw InputError("",
                     "the trace of one rank, which has nobody to send to; name the traces of the others too "
                     "(NAME.1.et and so on)",
                     files.front().name);
  model.flit_bits = spec.flit_bits.value_or(chip_flit_bits);
  model.chunks = options.all_reduce == "chunks";
  model.start_cycle = spec.start_cycle;
  model.from = traces ? "chakra" : "collectives";
  Communicators communicators(static_cast<std::uint32_t>(ranks));
  if (options.communicators) communicators.add_file(*options.communicators);
  const std::vector<Operation> operations =
      traces ? trace_operations(files, communicators) : list_operations(files.front(), communicators);
  std::vector<Request> requests;
  CollectiveSchedule schedule(std::move(model),
                              [&](Request request) { requests.push_back(std::move(request)); });
  try {
    for (const Operation& operation : operations) schedule.add(operation);
  } catch (InputError& error) {
    error.place = files.front().name;
    throw;
  }
  return requests;
}

}  // namespace wormcast::io
