// What the scripts trace-events and run-page are handed, line by line as it happens: of each resource of a
// run, before anything else of it, an object with its number; of each host that is reached likewise;
// [resource, multicast, worm, from, until, whether to the end] of what was held, [host, multicast, worm,
// cycle] of arrivals; and an object with the network, what is waited for in a deadlock, [resource, multicast,
// worm], and where the run ends.
// SPDX-License-Identifier: MIT
#include "io/runs/report_picture.hpp"

#include <fmt/format.h>

#include "io/records/delivery_record.hpp"
#include "multicast/planner_choice.hpp"
#include "topology/name_table.hpp"

namespace wormcast::io {

RunTrace::RunTrace(const std::string& path)
    : output_(path),
      script_(path.ends_with(".html") ? "run-page" : "trace-events", {}, output_.descriptor()) {}

void RunTrace::begin_segment(const Topology& topology, const RouterModel& model) {
  topology_ = &topology;
  resources_.emplace(topology, model);
  named_resources_.clear();
  named_hosts_.clear();
}

void RunTrace::name(ResourceId id) {
  if (!named_resources_.insert(id.value).second) return;
  const Resource resource = resources_->describe(id);
  const bool network = resource.kind == Resource::Kind::network;
  line_.begin_object().key("resource").number(id.value);
  line_.key("kind").number(static_cast<std::uint64_t>(resource.kind));
  if (!network) line_.key("host").string(called(*topology_, resource.host));
  if (!network) line_.key("router").number(topology_->router_of(resource.host).value);
  if (network || resource.by_input) line_.key("channel").number(resource.channel.value);
  script_.write(line_.key("vc").number(resource.vc).end());
}

void RunTrace::hold(WormName worm, ResourceId resource, Cycle from, Cycle until, bool to_the_end) {
  name(resource);
  script_.write(fmt::format("[{},{},{},{},{},{}]\n", resource.value, worm.multicast, worm.worm, from, until,
                            to_the_end ? 1 : 0));
}

void RunTrace::arrived(WormName worm, HostId host, Cycle cycle) {
  if (named_hosts_.insert(host.value).second) {
    line_.begin_object().key("reached").number(host.value).key("host").string(called(*topology_, host));
    script_.write(line_.key("router").number(topology_->router_of(host).value).end());
  }
  script_.write(fmt::format("[{},{},{},{}]\n", host.value, worm.multicast, worm.worm, cycle));
}

void RunTrace::end_segment(const Plan& planned, const Summary& summary) {
  std::string waits;
  if (summary.deadlock)
    for (const StuckWorm& stuck : summary.deadlock->core)
      for (const ResourceId resource : stuck.waits) {
        name(resource);
        waits += fmt::format("{}[{},{},{}]", waits.empty() ? "" : ",", resource.value, stuck.name.multicast,
                             stuck.name.worm);
      }
  const std::string planner = planned.planner.empty() ? "" : planner_label(planned) + ", ";
  line_.begin_object().key("title").string(planner + topology_->name());
  line_.key("outcome").string(outcome_name(summary.outcome));
  add_network(*topology_, line_);
  if (summary.deadlock) line_.key("deadlock").number(summary.deadlock->cycle);
  line_.key("waits").raw("[").raw(waits).raw("]").key("end").number(summary.last_cycle);
  script_.write(line_.end());
}

void RunTrace::finish() {
  script_.needed("simulate-wormhole", "--trace");
  output_.finish();
}

}  // namespace wormcast::io
