// Whether a witness is a deadlock, and whether worms can close a dependency cycle: worm by worm.
// SPDX-License-Identifier: MIT
#include "checks/certificate_check.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "checks/witness_runs.hpp"
#include "router/router_rules.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

/// One worm of a witness, worked out again.
struct Checked {
  struct Wait {
    ResourceId resource;
    std::vector<ResourceId> together;  ///< all that the request asks for
  };
  std::set<ResourceId> kept;
  std::vector<Wait> waits;
  std::string fault;
};

/// The tail of the worm may have left what comes before its header, so that others stand behind it.
bool leaves_behind(const Topology& topology, const RouterModel& model, const WitnessWorm& claim) {
  const std::uint64_t flits = claim.route.flits(claim.length_flits, model.header_flits);
  return shares_buffers(model) && PlainWorm(topology, model, claim.route, flits).flits() == flits;
}

constexpr std::int32_t answered_port = -2;  ///< as a hop

/// What the source takes beside the port.
std::vector<ResourceId> source_resources(const PlainWorm& worm) {
  std::vector<ResourceId> result = worm.resources(0);
  if (worm.port()) result.erase(result.begin());
  return result;
}

/// An answer that says so keeps what it answers came by: it waits to leave its source, or its tail does.
void keep_port(const PlainWorm& worm, const WitnessWorm& claim, bool tail_stays, Checked& result) {
  if (std::count(claim.holds.begin(), claim.holds.end(), answered_port) == 0) return;
  const bool waits = std::count(claim.waits.begin(), claim.waits.end(), -1) != 0;
  if (!worm.port() || (!waits && !tail_stays)) result.fault = "it does not keep what it answers";
  if (worm.port()) result.kept.insert(*worm.port());
}

/// `behind`: it may stand in a FIFO behind another worm.
Checked work_out(const Topology& topology, const RouterModel& model, const WitnessWorm& claim, bool behind) {
  Checked result;
  const AtRest stands(topology, model, claim, behind);
  const PlainWorm& worm = stands.worm;
  std::set<std::int32_t> listed;
  for (const std::vector<std::int32_t>* hops : {&claim.holds, &claim.waits})
    for (const std::int32_t hop : *hops) {
      if (!listed.insert(hop).second) result.fault = "hop " + std::to_string(hop) + " appears twice";
      if (hop >= (hops == &claim.holds ? answered_port : -1) &&
          hop < static_cast<std::int32_t>(worm.positions()) - 1)
        continue;
      result.fault = "it has no hop " + std::to_string(hop);
      return result;
    }
  keep_port(worm, claim, stands.rest.sends, result);
  for (const std::int32_t hop : claim.holds) {
    if (hop == answered_port) continue;
    const auto p = slot_after(hop);
    if (!stands.rest.held[p]) result.fault = "it does not keep hop " + std::to_string(hop);
    for (const ResourceId resource : hop < 0 ? source_resources(worm) : worm.resources(p))
      result.kept.insert(resource);
  }
  const bool own_tail = leaves_behind(topology, model, claim);
  std::vector<bool> unsaid(worm.positions(), true);
  for (const std::int32_t hop : claim.holds)
    if (hop != answered_port) unsaid[slot_after(hop)] = false;
  // Where nodes answer, others are there because the blocked ones come after them.
  const bool aside = model.answered() && claim.holds.empty();
  if (claim.waits.empty() && !aside) result.fault = "it waits for nothing";
  for (const std::int32_t hop : claim.waits) {
    const auto p = slot_after(hop);
    if (hop == -1 && worm.port()) {
      if (source_resources(worm).empty()) result.fault = "its source has no limit that it could wait for";
      for (const ResourceId resource : source_resources(worm)) result.waits.push_back({resource, {resource}});
      continue;
    }
    if (hop < 0 || !worm.may_request(stands.granted, p, behind))
      result.fault = "it cannot be blocked at hop " + std::to_string(hop);
    else if (const std::size_t before = worm.parent(p);
             before > 0 && stands.rest.held[before] && unsaid[before] && !own_tail)
      result.fault =
          fmt::format("it waits for hop {} where it does not say that it holds the one before", hop);
    for (const ResourceId resource : worm.resources(p)) {
      result.waits.push_back({resource, {resource}});
      for (std::size_t q = 1; q < worm.positions(); ++q)
        if (q != p && worm.asked_for_together(p, q))
          result.waits.back().together.push_back(worm.resources(q).front());
    }
  }
  return result;
}

/// The worms that wait for what `held` says is held, or for what another such request queues for: in that
/// order the requests can have been made. The rest waits for nothing; says of each wait whether it counts.
std::vector<std::vector<bool>> blocked_waits(const std::vector<Checked>& worms,
                                             const std::function<bool(ResourceId)>& held) {
  std::vector<std::vector<bool>> blocked;
  for (const Checked& worm : worms) blocked.emplace_back(worm.waits.size());
  std::vector<std::set<ResourceId>> queued(worms.size());  // by blocked requests of the worm
  const auto others_queue = [&](std::size_t w, ResourceId resource) {
    for (std::size_t other = 0; other < worms.size(); ++other)
      if (other != w && queued[other].contains(resource)) return true;
    return false;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t w = 0; w < worms.size(); ++w) {
      for (std::size_t i = 0; i < worms[w].waits.size(); ++i) {
        const Checked::Wait& wait = worms[w].waits[i];
        if (blocked[w][i] || (!held(wait.resource) && !others_queue(w, wait.resource))) continue;
        blocked[w][i] = changed = true;
        if (wait.together.size() > 1) queued[w].insert(wait.together.begin(), wait.together.end());
      }
    }
  }
  return blocked;
}

/// The index of the worm that came with what the claim answers, or that of the end.
std::size_t asked(const std::vector<WitnessWorm>& witness, const WitnessWorm& claim) {
  const auto brought = [&](const WitnessWorm& worm) {
    return worm.name.multicast == claim.answers && !worm.answers &&
           worm.route.delivers_to(claim.route.source);
  };
  return static_cast<std::size_t>(std::find_if(witness.begin(), witness.end(), brought) - witness.begin());
}

/// Why the answers are none; else gives each its port.
std::string take_answers(const Topology& topology, const RouterModel& model,
                         std::vector<WitnessWorm>& witness) {
  std::map<std::size_t, std::set<std::uint32_t>> answered;  // by worm: by which nodes
  for (WitnessWorm& claim : witness) {
    claim.route.port.reset();
    if (!claim.answers) continue;
    if (!model.answered()) return worm_name(claim.name) + " answers nothing";
    const std::size_t before = asked(witness, claim);
    if (before == witness.size())
      return fmt::format("{} answers multicast {}, which the witness does not bring to its source",
                         worm_name(claim.name), *claim.answers);
    const WormRoute& route = witness[before].route;
    for (const RouteHop& hop : route.hops) {
      if (!hop.delivers_to(claim.route.source)) continue;
      claim.route.port.emplace();
      if (hop.parent < 0) continue;
      const RouteHop& input = route.hops[static_cast<std::size_t>(hop.parent)];
      claim.route.port = AnswerPort{ChannelId{input.target}, input.vc};
    }
    if (!answered[before].insert(claim.route.source.value).second)
      return worm_name(claim.name) + " answers what has been answered";
    const bool holds = std::count(claim.holds.begin(), claim.holds.end(), answered_port) != 0;
    if (holds && !AtRest(topology, model, witness[before]).has_arrived(claim.route.source))
      return worm_name(claim.name) + " holds what it answers, which has not come";
  }
  return "";
}

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

std::string refuse_witness(const Topology& topology, const RouterModel& model,
                           const std::vector<WitnessWorm>& claims) {
  if (claims.empty()) return "the witness has no worms";
  std::vector<WitnessWorm> witness = claims;
  if (std::string fault = take_answers(topology, model, witness); !fault.empty()) return fault;
  const Resources resources(topology, model);
  const auto name = [&](ResourceId r) { return describe_resource(topology, resources.describe(r)); };
  std::map<ResourceId, std::uint32_t> kept;
  std::set<WormRef> names;
  for (const WitnessWorm& claim : witness)
    if (!names.insert(claim.name).second) return worm_name(claim.name) + " appears twice";
  // What is behind what, and copies that wait, are seen by exploring alone.
  if (judged_by_exploring(model)) return "";
  std::vector<Checked> worms;
  const bool behind = std::any_of(witness.begin(), witness.end(), [&](const WitnessWorm& claim) {
    return leaves_behind(topology, model, claim);
  });
  for (const WitnessWorm& claim : witness) {
    worms.push_back(work_out(topology, model, claim, behind));
    if (!worms.back().fault.empty()) return worm_name(claim.name) + ": " + worms.back().fault;
    for (const ResourceId resource : worms.back().kept) ++kept[resource];
  }
  for (const auto& [resource, count] : kept)
    if (resources.units(resource) != 0 && count > resources.units(resource))
      return name(resource) + " is held too often";
  if (std::all_of(witness.begin(), witness.end(),
                  [](const WitnessWorm& claim) { return claim.waits.empty(); }))
    return "no worm waits";
  const auto held = [&](ResourceId resource) {
    const auto holders = kept.find(resource);
    return holders != kept.end() && resources.units(resource) != 0 &&
           holders->second >= resources.units(resource);
  };
  const std::vector<std::vector<bool>> blocked = blocked_waits(worms, held);
  for (std::size_t w = 0; w < worms.size(); ++w) {
    for (std::size_t i = 0; i < worms[w].waits.size(); ++i) {
      const ResourceId resource = worms[w].waits[i].resource;
      const std::string wait = worm_name(witness[w].name) + " waits for " + name(resource) + ", which ";
      if (worms[w].kept.contains(resource)) return wait + "it holds itself";
      if (!blocked[w][i]) return wait + "the others do not hold";
    }
  }
  return "";
}

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
