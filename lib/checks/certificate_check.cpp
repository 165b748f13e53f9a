// Whether worms can close a dependency cycle: worm by worm.
// SPDX-License-Identifier: MIT
#include "checks/certificate_check.hpp"

#include "topology/error.hpp"

namespace wormcast {

namespace {

bool causes_dependency(const PlainWorm& worm, const Dependency& edge, std::int32_t hop,
                       const JointRequests& joint) {
  const auto wanted = slot_after(hop);
  if (hop == -1 && worm.port()) {  // what its source takes, one after the other
    const std::vector<ResourceId> source = worm.resources(0);
    for (std::size_t i = 1; i < source.size(); ++i)
      if (edge.from == source[i - 1] && edge.to == source[i]) return true;
  }
  if (hop < 0 || wanted >= worm.positions()) return false;
  if (joint.group(worm.resources(wanted).front()) != joint.group(edge.to)) return false;
  for (std::size_t held = 0; held < worm.positions(); ++held)
    for (const ResourceId from : worm.resources(held))
      if (from == edge.from && worm.can_hold_and_wait(held, wanted)) return true;
  return false;
}

}  // namespace

std::string refuse_each(std::span<const Dependency> cycle,
                        const std::function<std::string(const Dependency&)>& refuse) {
  if (cycle.empty()) return "there is no dependency cycle";
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    std::string fault = cycle[i].to == cycle[(i + 1) % cycle.size()].from
                            ? refuse(cycle[i])
                            : "the next dependency does not begin where it ends";
    if (!fault.empty()) return "dependency_cycle[" + std::to_string(i) + "]: " + fault;
  }
  return "";
}

std::string refuse_cycle(const std::vector<Dependency>& cycle, const JointRequests& joint,
                         const NamedWorm& worm) {
  return refuse_each(cycle, [&](const Dependency& edge) -> std::string {
    const auto* cause = std::get_if<WormCause>(&edge.cause);
    if (cause == nullptr) return "it names no worm";
    const std::string name = worm_name({cause->multicast, cause->worm});
    try {
      const std::optional<PlainWorm> named = worm(*cause);
      const bool can = !named || causes_dependency(*named, edge, cause->hop, joint);
      return can ? "" : name + " cannot hold the one while it waits for the other";
    } catch (const InputError&) {
      return "there is no " + name;
    }
  });
}

}  // namespace wormcast
