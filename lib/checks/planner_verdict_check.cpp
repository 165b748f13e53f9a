// Checks a verdict on all multicasts of a planner. What is checked against what:
//
//   numbering, cycle   what worms can hold and wait for by the second reading of the legs (leg_walk.cpp); the
//                      numbering also the routes of random plans (planner_claims.cpp)
//   witness            routes of the planner's own plans of the multicasts that it names, by the checks of
//                      witnesses in streams
//
// Taken over from the planner: its legs and plans, which say what it is.
// Cost: two passes over all legs where nodes ask for outputs together, else one.
// SPDX-License-Identifier: MIT
#include "checks/planner_verdict_check.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "checks/leg_walk.hpp"
#include "checks/numbering_check.hpp"
#include "checks/planner_claims.hpp"
#include "checks/relation_verdict_check.hpp"
#include "checks/verdict_check.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "multicast/around_faults.hpp"
#include "router/router_rules.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

class PlannerVerdictCheck {
 public:
  PlannerVerdictCheck(const Topology& topology, const Verdict& verdict, std::uint64_t state_limit,
                      bool allocating)
      : topology_(topology),
        verdict_(verdict),
        state_limit_(state_limit),
        allocating_(allocating),
        named_(topology, verdict) {
    if (planner_.planner().legs == nullptr)
      refuse("planner", "'{}' is not one whose legs are known", verdict.planned_by.planner);
    refuse_length_beside_headers(planner_, verdict.flits, "model.worm_flits");
  }

  CheckedVerdict run() {
    if (verdict_.scope != scope_of_planner(verdict_.planned_by, unicast_ != nullptr))
      return refused("its scope is not that of its planner, options and routing functions");
    const bool answered = verdict_.model.answered();
    worms().refuse_unplanned();
    const bool by_branches = answered && worms().answered_by_branches();
    if (by_branches && verdict_.answer() != Answer::safe)
      return refused("where nodes are busy until multicasts that branch have left, only a proof counts");
    if (answered && !by_branches) worms().refuse_other_answers(verdict_.model);
    const bool relation = answered ? worms().routers_choose() : worms().judged_as_relation();
    const bool by_turns = relation && verdict_.answer() == Answer::safe &&
                          verdict_.proof() == acyclic_proof && worms().judged_by_turns(verdict_.model);
    if (relation && !by_turns) {
      if (of_both()) return check_mixed();
      if (!of_multicasts_alone()) {
        const CheckedVerdict checked = check_choices();
        // A cycle of the multicasts alone, which no run of allocating routers has confirmed.
        if (!allocating_ || verdict_.answer() != Answer::unknown ||
            checked.outcome != CheckedVerdict::Outcome::refused || !worms().fixed_beside_choices())
          return checked;
      }
      unicast_.reset();
    }
    if (const std::string fault = too_long_for_slots(topology_, verdict_.model, flits()); !fault.empty())
      return refused("its worms are " + fault);
    if (!verdict_.proof().empty() && !by_turns)
      return refused("proof: it is said of worms whose routers choose");
    if (by_turns) verdict_.model.copies = Copies::per_flit;  // as routers copy that route worms
    // A numbering may be one of more than real worms do; a cycle must be theirs.
    std::string fault;
    if (verdict_.answer() == Answer::safe) {
      detail_ = LegSink::Detail::more;
      fault = refuse_safe();
    }
    if (verdict_.answer() != Answer::safe || !fault.empty() || legs_ != verdict_.worms) {
      detail_ = LegSink::Detail::every_dependency;
      fault = verdict_.answer() == Answer::safe ? refuse_safe() : refuse_cycle();
    }
    if (!fault.empty()) return refused(std::move(fault));
    if (legs_ != verdict_.worms)
      return refused(fmt::format("the verdict speaks of {} legs, the planner has {}", verdict_.worms, legs_));
    if (verdict_.answer() != Answer::deadlock) return {};
    return check_witness();
  }

 private:
  /// A deadlock of worms on fixed routes.
  bool of_multicasts_alone() const {
    return verdict_.answer() == Answer::deadlock &&
           (worms().fixed_beside_choices() || worms().branches_beside_answers()) &&
           std::none_of(verdict_.witness().begin(), verdict_.witness().end(), [](const WitnessWorm& worm) {
             return worm.says_hops || (worm.planned && worm.planned->unicast);
           });
  }

  /// A deadlock of these and of unicasts that have no choice where they wait.
  bool of_both() const {
    const auto any_unicast = [&](bool unicast) {
      return std::any_of(verdict_.witness().begin(), verdict_.witness().end(), [&](const WitnessWorm& worm) {
        return worm.planned && worm.planned->unicast == unicast && worm.says_hops == unicast;
      });
    };
    return verdict_.answer() == Answer::deadlock && any_unicast(true) && any_unicast(false) &&
           worms().branches_beside_choices(verdict_.model);
  }

  CheckedVerdict check_mixed() const {
    Verdict without = verdict_;
    without.evidence = AtLimit{};
    CheckedVerdict checked = check_relation_verdict(planner_, unicast_.get(), without);
    return checked.outcome == CheckedVerdict::Outcome::refused ? checked : check_witness();
  }

  /// A route of the unicast that begins with the hops of the witness, the last of which is all that routers
  /// offer there. What follows is any way on: nothing of it is held or waited for.
  Routes recorded_route(const WitnessWorm& worm) const {
    const HostId to = worm.planned->destinations.front();
    const NodeId start = topology_.router_of(worm.planned->source), target = topology_.router_of(to);
    const std::vector<RouteHop>& said = worm.route.hops;
    const bool waits = start != target && worm.waits.size() == 1 && worm.waits.front() > 0 &&
                       static_cast<std::size_t>(worm.waits.front()) + 1 == said.size();
    std::vector<RoutingCandidate> reached, offered;  // by the hops so far: places and states
    for (std::size_t i = 0; waits && i < said.size() && said[i].kind == RouteHop::Kind::channel; ++i) {
      std::vector<RoutingCandidate> next;
      const auto go_on = [&] {
        const bool alone = offered.size() == 1 && offered.front().vc_begin + 1 == offered.front().vc_end;
        for (const RoutingCandidate& way : offered)
          if (way.channel.value == said[i].target && way.vc_begin <= said[i].vc && said[i].vc < way.vc_end &&
              (alone || i + 1 < said.size()))
            next.push_back(way);
      };
      if (i == 0)
        for (const std::uint32_t drawn : unicast_->choices_between(start, target)) {
          unicast_->candidates(start, unicast_->first(start, target, drawn), target, offered);
          go_on();
        }
      for (const RoutingCandidate& at : reached) {
        if (at.to == target) continue;
        unicast_->candidates(at.to, at.state, target, offered);
        go_on();
      }
      reached = std::move(next);
    }
    const bool consumed = !said.empty() && said.back().kind == RouteHop::Kind::deliver;
    if (consumed)
      std::erase_if(reached, [&](const auto& at) { return at.to != target || said.back().vc != 0; });
    if (reached.empty()) throw InputError("hops", "routers do not offer it these, and the last alone");
    Routes way;
    way.plan.request.source = worm.planned->source;
    way.plan.request.destinations = {to};
    WormRoute& route = way.worms.emplace_back();
    route.source = worm.planned->source;
    const auto hop = [&](std::uint32_t by, std::uint32_t vc, RouteHop::Kind kind) {
      route.hops.push_back({by, static_cast<std::int32_t>(route.hops.size()) - 1, vc, kind});
    };
    for (const RouteHop& known : said)
      if (known.kind == RouteHop::Kind::channel) hop(known.target, known.vc, known.kind);
    for (RoutingCandidate at = reached.front(); at.to != target;) {
      unicast_->candidates(at.to, at.state, target, offered);
      if (offered.empty() || route.hops.size() > std::size_t{4} * topology_.routers())
        throw InputError("hops", "they lead to a dead end");
      at = offered.front();
      hop(at.channel.value, at.vc_begin, RouteHop::Kind::channel);
    }
    hop(to.value, 0, RouteHop::Kind::deliver);
    return way;
  }

  /// Beside trees the unicasts by themselves, and, where all is safe, the multicasts by the same numbering.
  CheckedVerdict check_choices() {
    if (verdict_.answer() != Answer::safe || !worms().branches_beside_choices(verdict_.model))
      return check_relation_verdict(planner_, unicast_.get(), verdict_);
    if (allocating_) return refused("its worms branch: nothing is proved where routers allocate");
    const std::unique_ptr<const RoutingFunction> unicast = std::move(unicast_);
    if (std::string fault = refuse_safe(); !fault.empty()) return refused(std::move(fault));
    if (verdict_.worms < legs_)
      return refused(
          fmt::format("the verdict speaks of {} legs, the multicasts alone have {}", verdict_.worms, legs_));
    Verdict of_unicasts = verdict_;
    of_unicasts.worms -= legs_;
    return check_relation_verdict(planner_, unicast.get(), of_unicasts);
  }

  PlannedWorms worms() const { return {planner_, unicast_.get(), verdict_.relation}; }
  std::uint64_t flits() const { return verdict_.flits.value_or(long_worm_flits); }

  void walk(const LegVisitor& visitor) {
    std::map<ResourceId, std::set<ResourceId>> behind;
    LegVisitor noting = visitor;
    const bool answered = verdict_.model.answered();
    if (answered)
      noting.wait = [&](ResourceId held, ResourceId wanted) {
        behind[held].insert(wanted);
        visitor.wait(held, wanted);
      };
    const WalkedLegs multicasts =
        walk_legs(planner_.context(), legs_of_planner, verdict_.model, flits(), noting, 0, detail_);
    legs_ = multicasts.legs;
    // Of a deadlock of theirs alone, also one that no run of allocating routers has confirmed.
    const bool deadlock =
        verdict_.answer() == Answer::deadlock || (allocating_ && verdict_.answer() == Answer::unknown);
    const bool of_multicasts = deadlock && legs_ == verdict_.worms;
    if (unicast_ == nullptr || of_multicasts) return;
    const WalkedLegs unicasts = walk_legs({topology_, *unicast_, {}}, unicast_legs, verdict_.model, flits(),
                                          visitor, verdict_.relation.unicast_vc, detail_);
    legs_ += unicasts.legs;
    if (!answered) return;
    const Resources resources(topology_, verdict_.model);
    const bool by_unicasts = verdict_.relation.depends->reply == unicast_sort;
    for (const auto& [router, port] : (by_unicasts ? multicasts : unicasts).consumed)
      for (const auto& [from, first] : (by_unicasts ? unicasts : multicasts).sent)
        if (from == router && answers_from(resources, port, first)) visitor.wait(port, first);
    if (!by_unicasts) return;  // virtual channels of their own: what branches share no consumption with these
    // A branch that is held may reach as far as any worm goes on from there.
    std::map<NodeId, std::pair<std::vector<ResourceId>, std::vector<ResourceId>>> busy;  // held, wanted
    for (const auto& [router, held] : multicasts.beside) busy[router].first.push_back(held);
    for (const auto& [router, first] : unicasts.sent) busy[router].second.push_back(first);
    for (auto& [router, at] : busy) {
      std::set<ResourceId> seen(at.first.begin(), at.first.end());
      for (std::vector<ResourceId>& open = at.first; !open.empty();) {
        const ResourceId held = open.back();
        open.pop_back();
        for (const ResourceId first : at.second) visitor.wait(held, first);
        for (const ResourceId next : behind[held])
          if (seen.insert(next).second) open.push_back(next);
      }
    }
  }

  /// On a router of several hosts what a host asks for first says which it is.
  static bool answers_from(const Resources& resources, ResourceId port, ResourceId first) {
    const Resource came = resources.describe(port), goes = resources.describe(first);
    return came.by_input || goes.kind == Resource::Kind::network || came.host == goes.host;
  }

  std::string refuse_safe() {
    NumberingCheck numbering(topology_, verdict_.model, verdict_.numbering());
    std::string fault = numbering.fault();
    if (verdict_.model.discipline().queues_jointly)
      walk({.together = [&](ResourceId one, ResourceId other) { numbering.ask_together(one, other); }});
    const auto check = [&](ResourceId held, ResourceId wanted) {
      if (fault.empty()) fault = numbering.refuse(held, wanted);
    };
    const auto numbered = [&](ResourceId resource) {
      if (fault.empty()) fault = numbering.refuse_unnumbered(resource);
    };
    walk({.wait = check, .take = numbered});
    const RouterModel taking = answering(verdict_.model, false);  // answers are no part of plans
    return fault.empty() ? refuse_by_plans(planner_, taking, flits(), verdict_.numbering()) : fault;
  }

  std::string refuse_cycle() {
    JointRequests joint;
    if (verdict_.model.discipline().queues_jointly)
      walk({.together = [&](ResourceId one, ResourceId other) { joint.join(one, other); }});
    std::map<std::pair<ResourceId, ResourceId>, bool> seen;
    for (const Dependency& edge : verdict_.cycle) seen[{edge.from, joint.group(edge.to)}] = false;
    walk({.wait = [&](ResourceId held, ResourceId wanted) {
      if (const auto found = seen.find({held, joint.group(wanted)}); found != seen.end())
        found->second = true;
    }});
    const Resources resources(topology_, verdict_.model);
    return refuse_each(verdict_.cycle, [&](const Dependency& edge) {
      return seen[{edge.from, joint.group(edge.to)}]
                 ? ""
                 : "no worm can hold " + describe_resource(topology_, resources.describe(edge.from)) +
                       " while it waits for " + describe_resource(topology_, resources.describe(edge.to));
    });
  }

  /// Its plan again, with the routes that the witness records. Throws InputError for ways that cannot be
  /// drawn.
  Routes routes_of(const WitnessWorm& worm) const {
    const PlannedMulticast& multicast = *worm.planned;
    if (multicast.unicast && unicast_->adaptive()) return recorded_route(worm);
    const RoutingFunction& routing = multicast.unicast ? *unicast_ : planner_.context().routing;
    if (routing.draws() == multicast.classes.empty())
      throw InputError("classes", routing.draws() ? "it does not say them, and ways are drawn"
                                                  : "it says them, and no ways are drawn");
    if (multicast.unicast) {
      if (multicast.classes.size() > 1) throw InputError("classes", "a unicast has one worm");
      return unicast_routes(routing, multicast.source, multicast.destinations.front(),
                            routing.draws() ? multicast.classes.front() : 0, verdict_.relation.unicast_vc);
    }
    return expand(plan_again(planner_, multicast), routing);
  }

  /// A plan again for each multicast that the witness names, checked as a stream of these.
  CheckedVerdict check_witness() const {
    std::map<std::uint64_t, const WitnessWorm*> named;
    for (const WitnessWorm& worm : verdict_.witness()) {
      if (!worm.planned) return refused("a worm of the witness does not say what its multicast is");
      const PlannedMulticast& said = *worm.planned;
      const WitnessWorm*& known = named[worm.name.multicast];
      if (known != nullptr &&
          (known->planned->source != said.source || known->planned->unicast != said.unicast ||
           known->planned->classes != said.classes || known->planned->destinations != said.destinations))
        return refused("multicast " + std::to_string(worm.name.multicast) + " of the witness is said twice");
      known = &worm;
      if (said.unicast && (unicast_ == nullptr || said.destinations.size() != 1))
        return refused("there are no such unicasts");
    }
    std::map<std::uint64_t, std::uint64_t> answers;  // by id: of the multicast
    for (const WitnessWorm& worm : verdict_.witness())
      if (worm.answers) {
        if (!worm.planned->unicast) return refused("a multicast answers nothing");
        answers[worm.name.multicast] = *worm.answers;
      }
    VerdictCheck check(topology_, verdict_, state_limit_);
    for (const auto& [id, worm] : named) {
      try {
        Routes routes = routes_of(*worm);
        Request& request = routes.plan.request;
        request.id = id;
        if (!worm->planned->unicast) request.workload.add(std::string(workload_answers), "true");
        if (const auto asked = answers.find(id); asked != answers.end()) {
          request.depends_on = {asked->second};
          request.workload.add(std::string(workload_answer), "true");
        }
        check.add(routes);
      } catch (const InputError& error) {
        return refused(fmt::format("multicast {} of the witness: {}: {}", id, error.field, error.what()));
      }
    }
    return check.finish_witness();
  }

  const Topology& topology_;
  Verdict verdict_;
  std::uint64_t state_limit_;
  bool allocating_;
  NamedPlanner named_;
  const BoundPlanner& planner_ = named_.planner;
  std::unique_ptr<const RoutingFunction>& unicast_ = named_.unicast;
  LegSink::Detail detail_ = LegSink::Detail::every_dependency;
  std::uint64_t legs_ = 0;
};

}  // namespace

CheckedVerdict check_planner_verdict(const Topology& topology, const Verdict& verdict,
                                     std::uint64_t state_limit, bool allocating) {
  return PlannerVerdictCheck(topology, verdict, state_limit, allocating).run();
}

}  // namespace wormcast
