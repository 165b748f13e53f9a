// Fuzz target of imported records and workloads. A network that is accepted must build or be refused, and its
// record must be read again to the same bytes; tables must be checked and expanded or be refused.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "deadlock/tables/table_check.hpp"
#include "io/import/network_file.hpp"
#include "io/import/workloads/workload_file.hpp"
#include "io/records/topology_record.hpp"
#include "multicast/table_routes.hpp"
#include "topology/error.hpp"

using namespace wormcast;
using namespace wormcast::io;

namespace {

/// Networks larger than this are built by no fuzz run.
constexpr std::uint32_t most_channels = 1u << 12;

std::string record_of(const Topology& topology) {
  RecordLine line;
  return std::string(write_topology_record(topology, line));
}

void use_tables(const std::vector<RouterTable>& given, const Topology& topology) {
  if (given.empty() || !topology.hosts_have_links()) return;
  RecordLine line;
  ForwardingTables tables(topology);
  for (const RouterTable& table : given) {
    const std::string once(write_tables_record(table, line));
    JsonText json;
    json.parse(once);
    RouterTable again;
    read_tables_record(json.root(), topology, again);
    if (write_tables_record(again, line) != once) std::abort();
    tables.add(table);
  }
  check_tables(tables, RouterModel{});
  each_table_route(tables, 32, [](const Routes&) {});
}

void use(Imported found) {
  if (found.spec.family.empty()) found.spec.family = "graph";
  for (const std::uint64_t size : found.spec.sizes)
    if (size > 64 || found.spec.sizes.size() > 3) return;
  if (found.spec.graph.links.size() * 2 > most_channels) return;
  const auto topology = build_topology(std::move(found.spec));
  if (topology->channel_bound() > most_channels) return;
  const std::string once = record_of(*topology);
  JsonText json;
  json.parse(once);
  if (record_of(*build_topology(read_topology_record(json.root()))) != once) std::abort();
  use_tables(found.tables, *topology);
}

void use_workload(const ImportFile& file, const WorkloadFileOptions& options, const Topology& topology) {
  try {
    if (options.columns.empty() && is_collective_list(file)) return;  // a converter reads it
    read_own_workload(file, WorkloadSpec{}, options, topology);
  } catch (const InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ImportFile file{"fuzz", std::string(reinterpret_cast<const char*>(data), size), false};
  try {
    use(read_records(file));
  } catch (const InputError&) {
    // A refusal is an answer.
  }
  TopologySpec spec;
  spec.family = "mesh";
  spec.sizes = {8, 8};
  static const std::unique_ptr<const Topology> mesh = build_topology(std::move(spec));
  use_workload(file, {}, *mesh);
  WorkloadFileOptions trace;
  trace.columns = parse_trace_columns("source,destination,-,cycle,flits");
  use_workload(file, trace, *mesh);
  return 0;
}
