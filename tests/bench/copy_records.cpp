// Reads every record with its codec and writes it again: the floor for what a tool can cost.
// SPDX-License-Identifier: MIT
#include "io/command_line/tool.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/topology_record.hpp"

using namespace wormcast;

namespace {

constexpr io::ToolText text = {
    .name = "copy-records",
    .summary = "Copy a stream through the reader and the writer of every record.",
    .details = "Reads and writes: topology, multicast, plan, routes, end.",
};

struct Options {};

void declare(io::CommandLine& line, Options&, io::CommonOptions& common) { io::add_inputs(line, common); }

int run(const Options&, const io::CommonOptions& common, io::Output& output) {
  io::RecordStream in(common.inputs);
  io::RecordLine line;
  Request request;
  Plan plan;
  Routes routes;
  in.for_each([&](const io::Record& record) {
    switch (record.kind) {
      case io::Kind::topology:
        output.write(in.topology_line());
        break;
      case io::Kind::multicast:
        io::read_multicast_record(record.value, *in.topology(), request);
        output.write(io::write_multicast_record(request, line));
        break;
      case io::Kind::plan:
        io::read_plan_record(record.value, in.route_check(), plan);
        output.write(io::write_plan_record(plan, line));
        break;
      case io::Kind::routes:
        io::read_routes_record(record.value, in.route_check(), routes);
        output.write(io::write_routes_record(routes, line));
        break;
      case io::Kind::end:
        output.write(in.end_line());
        break;
      default:
        io::refuse_kind(record, "multicast, plan and routes records");
    }
  });
  return io::exit_yes;
}

}  // namespace

int main(int argc, char** argv) { return io::run_tool<Options>(argc, argv, text, declare, run); }
