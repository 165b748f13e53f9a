// The same calls that the tools make.
// SPDX-License-Identifier: MIT
#include "outside/wormcast.hpp"

#include <memory>

#include "io/records/delivery_record.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/topology_record.hpp"
#include "io/records/verdict_record.hpp"
#include "proofs/strategy.hpp"
#include "router/router_parameters.hpp"

namespace wormcast {

RoutesVerdict verdict_on(const Topology& topology, std::span<const Routes> routes, const RouterModel& model) {
  check_router(model, false);
  SegmentCheckOptions options;
  options.check.model = model;
  SegmentCheck check(options, std::shared_ptr<const Topology>(std::shared_ptr<void>(), &topology));
  for (const Routes& one : routes) check.add(one);
  const Verdict verdict = check.verdict();
  io::RecordLine line;
  return {answer_name(verdict.answer()), std::string(io::write_verdict_record(verdict, topology, line))};
}

std::string record_of(const Topology& topology) {
  io::RecordLine line;
  return std::string(io::write_topology_record(topology, line));
}

std::string record_of(const Request& request) {
  io::RecordLine line;
  return std::string(io::write_multicast_record(request, line));
}

std::string record_of(const Plan& plan) {
  io::RecordLine line;
  return std::string(io::write_plan_record(plan, line));
}

std::string record_of(const Routes& routes) {
  io::RecordLine line;
  return std::string(io::write_routes_record(routes, line));
}

std::string record_of(const Delivery& delivery) {
  io::RecordLine line;
  return std::string(io::write_delivery_record(delivery, line));
}

std::string end_record() { return "{\"kind\":\"end\"}\n"; }

}  // namespace wormcast
