// Checks of verdicts on routing relations.
//
//   safe      the numbering, against the second reading of the relation (relation_reading.hpp): all lanes
//   offered
//             (proof acyclic) or one of them (escape) come after what can be held
//   deadlock  the witness: worms of the planner's own plans, hop by hop (relation_witness_check.hpp)
//   all but safe: the dependency cycle is there
// Cost: that of the readings.
// SPDX-License-Identifier: MIT
#include "deadlock/independent/verdict_check.hpp"

#include <algorithm>
#include <utility>

#include "deadlock/independent/certificate_check.hpp"
#include "deadlock/independent/planned_worms.hpp"
#include "deadlock/independent/relation_reading.hpp"
#include "deadlock/independent/relation_witness_check.hpp"
#include "topology/error.hpp"

namespace wormcast {

namespace {

std::string refuse_numbering_of(const Verdict& verdict, RelationReading& reading) {
  const bool escape = verdict.proof == escape_proof;
  if (!escape && verdict.proof != acyclic_proof) return "proof: there is none";
  if (escape && verdict.model.vc_reuse == VcReuse::early)
    return "proof: an escape proves nothing where buffers hold several worms";
  return reading.refuse_numbering(verdict.numbering, !escape);
}

std::string refuse_witness_of(const Topology& topology, const Verdict& verdict, const PlannedWorms& worms) {
  std::vector<AllowedWorm> allowed;
  for (const WitnessWorm& worm : verdict.witness) {
    if (!worm.planned || !worm.says_hops)
      return "a worm of the witness does not say what its multicast and its hops are";
    const std::uint64_t flits = worm.route.flits(worm.length_flits, verdict.model.header_flits);
    const bool long_worms = verdict.flits.value_or(long_worm_flits) == long_worm_flits;
    std::uint64_t channels = topology.hosts_have_links() ? 1 : 0;
    for (const RouteHop& hop : worm.route.hops) channels += hop.is_channel() ? 1 : 0;
    if (!long_worms && flits > *verdict.flits)
      return "a worm of the witness is longer than " + std::to_string(*verdict.flits) + " flits";
    if (flits < std::min(*verdict.flits,
                         channels * topology.most(LinkValue::buffer_flits, verdict.model.buffer_flits)))
      return "a worm of the witness is too short";
    allowed.push_back(worms.allowed(*worm.planned, worm.name.worm));
  }
  return refuse_relation_witness(topology, verdict.model, verdict.witness, allowed);
}

/// As long as the stream says, or so long that its tail stays at its source in either case.
std::string refuse_length(const SegmentWorms& worms, const WitnessWorm& claim, const Topology& topology,
                          const RouterModel& model) {
  if (!claim.says_hops) return worm_name(claim.name) + " of the witness does not say its hops";
  std::uint64_t channels = topology.hosts_have_links() ? 1 : 0;
  for (const RouteHop& hop : claim.route.hops) channels += hop.is_channel() ? 1 : 0;
  const std::uint64_t full = channels * topology.most(LinkValue::buffer_flits, model.buffer_flits) + 1;
  for (const SegmentWorms::Item& item : worms.items())
    if (item.name == claim.name &&
        std::min(item.flits, full) !=
            std::min(claim.route.flits(claim.length_flits, model.header_flits), full))
      return worm_name(claim.name) + " is not " + std::to_string(claim.length_flits) + " flits long";
  return "";
}

}  // namespace

CheckedVerdict check_relation_verdict(const BoundPlanner& planner, const RoutingFunction* unicast,
                                      const Verdict& verdict) {
  if (verdict.model.cut_through || verdict.model.path_reservation ||
      verdict.model.ring_entry != RingEntry::any)
    return refused("its routers are not judged where routers choose");
  const Topology& topology = planner.context().topology;
  const PlannedWorms worms(planner, unicast, verdict.relation);
  bool branches = false;
  std::vector<RelationTraffic> sorts = worms.sorts(branches);
  if (branches && verdict.answer == Answer::unknown && verdict.cycle.empty())
    return undecided("there is no evidence: its worms branch");
  if (branches_beside_choices(planner, unicast, verdict.model, verdict.relation)) {
    sorts[multicast_sort].legs.clear();
    if (std::any_of(verdict.witness.begin(), verdict.witness.end(),
                    [](const WitnessWorm& worm) { return !worm.planned || !worm.planned->unicast; }))
      return refused("a multicast is part of a witness of unicasts");
  } else if (branches) {
    return refused("its worms branch: nothing is known of them");
  }
  std::uint64_t legs = 0;
  for (const RelationTraffic& sort : sorts) legs += sort.legs.size();
  std::string fault = refuse_count("legs", verdict.worms, legs);
  RelationReading reading(topology, verdict.model, sorts, worms.reply());
  if (fault.empty() && verdict.answer == Answer::safe) fault = refuse_numbering_of(verdict, reading);
  if (fault.empty() && verdict.answer == Answer::safe &&
      replies_queue_at_sources(topology, verdict.model, verdict.relation))
    fault =
        "replies may wait for what their sources have a limited number of, which the numbering leaves out";
  const bool endless = verdict.answer == Answer::unknown && verdict.cycle.empty();
  if (fault.empty() && endless) return undecided("there is no evidence that could prove anything");
  if (fault.empty() && verdict.answer != Answer::safe) fault = reading.refuse_cycle(verdict.cycle);
  if (fault.empty() && verdict.answer == Answer::deadlock) {
    try {
      fault = refuse_witness_of(topology, verdict, worms);
    } catch (const InputError& error) {
      fault = error.what();
    }
  }
  if (fault.empty() && verdict.answer != Answer::safe && verdict.answer != Answer::deadlock &&
      verdict.answer != Answer::unknown)
    fault = "a verdict on worms whose routers choose has no such answer";
  return fault.empty() ? CheckedVerdict{} : refused(std::move(fault));
}

CheckedVerdict check_segment_verdict(const Topology& topology, const Verdict& verdict,
                                     const SegmentWorms& worms) {
  if (verdict.model.cut_through || verdict.model.path_reservation ||
      verdict.model.ring_entry != RingEntry::any)
    return refused("its routers are not judged where routers choose");
  std::string fault = refuse_count("multicasts", verdict.multicasts, worms.multicasts());
  if (fault.empty()) fault = refuse_count("worms", verdict.worms, worms.items().size());
  if (fault.empty()) fault = refuse_planner(verdict, worms.planned_by());
  RelationReading reading(topology, verdict.model, worms.sorts(), std::nullopt);
  if (fault.empty())
    fault = verdict.answer == Answer::safe ? refuse_numbering_of(verdict, reading)
                                           : reading.refuse_cycle(verdict.cycle);
  std::vector<WitnessWorm> witness = verdict.witness;
  std::vector<AllowedWorm> allowed;
  try {
    for (WitnessWorm& claim : witness) {
      allowed.push_back(worms.allowed(claim.name));
      claim.route.source = allowed.back().worm.source;
      if (fault.empty()) fault = refuse_length(worms, claim, topology, verdict.model);
    }
    if (fault.empty() && verdict.answer == Answer::deadlock)
      fault = refuse_relation_witness(topology, verdict.model, witness, allowed);
  } catch (const InputError& error) {
    fault = error.what();
  }
  if (!fault.empty()) return refused(std::move(fault));
  if (verdict.answer == Answer::loop)
    return refused("a verdict on worms that routers route has no such answer");
  if (verdict.answer == Answer::safe_unreachable)
    return {CheckedVerdict::Outcome::undecided,
            "the dependency cycle holds; that no deadlock is reachable has no certificate"};
  return {};
}

}  // namespace wormcast
