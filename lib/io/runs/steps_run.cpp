// The step model over a stream of routes.
// SPDX-License-Identifier: MIT
#include "io/runs/steps_run.hpp"

#include <optional>
#include <utility>

#include "deadlock/contention.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/record_stream.hpp"
#include "io/records/steps_record.hpp"
#include "multicast/check.hpp"
#include "simulation/route_check.hpp"
#include "simulation/steps.hpp"
#include "topology/router_model.hpp"

namespace wormcast::io {
namespace {

ContentionCounts contention_of(const Routes& routes) {
  return {step_contention(routes, ContentionOn::virtual_channels).pairs.size(),
          depth_contention(routes, ContentionOn::virtual_channels).size(),
          depth_contention(routes, ContentionOn::physical_links).size()};
}

}  // namespace

void add_step_options(CommandLine& line, StepOptions& options) {
  const std::string group = "Step model";
  line.add_option("--step-reading", options.reading,
                  "What a blocked message delays: one-port (its sender's and its receiver's sends; "
                  "the default), literal (its receiver's) or nominal (nothing)")
      .type_name("one-port|literal|nominal")
      .group(group);
  line.add_option("--step-priority", options.priority, "Who gets through: older (default), chain or subtree")
      .type_name("older|chain|subtree")
      .group(group);
  line.add_flag("--contention", options.contention,
                "Also count the pairs of worms that can contend, in a step and under any delay")
      .group(group);
  line.add_flag("--fluid", options.fluid,
                "Also the time if messages share the bandwidth of a link instead of blocking each other")
      .group(group);
}

void run_step_model(const StepOptions& options, const std::vector<std::string>& files, Output& output) {
  StepsRecord steps;
  steps.model = step_model("--step-reading", options.reading.empty() ? "one-port" : options.reading,
                           "--step-priority", options.priority.empty() ? "older" : options.priority);
  RecordStream in(files);
  MulticastOrder order;
  RecordLine line;
  Routes routes;
  std::optional<Resources> resources;  // of the default router: no worm may take one of them twice
  in.for_each([&](const Record& record) {
    switch (record.kind) {
      case Kind::topology:
        order.begin_segment();
        resources.emplace(*in.topology(), RouterModel{});
        output.write(in.topology_line());
        break;
      case Kind::routes:
        read_routes_record(record.value, in.route_check(), routes);
        require_multicast(routes.plan.request, "the step model");
        require_hops(routes, "the step model takes hops alone");
        check_simulable(*resources, routes);
        order.check(routes.plan.request);
        steps.run = run_steps(routes, steps.model);
        if (options.contention) steps.contention = contention_of(routes);
        if (options.fluid) steps.fluid_millisteps = fluid_millisteps(routes);
        steps.plan = std::move(routes.plan);
        output.write(write_steps_record(steps, line));
        break;
      case Kind::end:
        output.write(in.end_line());
        break;
      default:
        refuse_kind(record, "routes records");
    }
  });
}

}  // namespace wormcast::io
