// Checks of the four answers.
//
//   safe              no worm can hold a resource while it waits for one that comes earlier
//   deadlock          the cycle is real; the witness's worms, run flit by flit in the order of their starts,
//                     or else in some order of their requests, end blocked as it says, and none of them
//                     depends on a worm that has not arrived then
//   safe-unreachable  the cycle is real; no certificate exists, so all orders of requests of a few worms are
//                     tried, and larger sets are left undecided
//   unknown           the cycle is real; without routes there is none
// Cost: linear in the routes for `safe`; for the others that of the worms named, and of replays.
// SPDX-License-Identifier: MIT
#include "checks/verdict_check.hpp"

#include <algorithm>

#include "multicast/check.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

namespace {

constexpr std::size_t most_explored = 12;  ///< worms of a whole segment

}  // namespace

VerdictCheck::VerdictCheck(const Topology& topology, const Verdict& verdict, std::uint64_t state_limit)
    : topology_(topology),
      verdict_(verdict),
      state_limit_(state_limit),
      numbering_(topology, verdict.model, verdict.numbering()),
      answers_(ReplyTracker::of(verdict.model)) {
  fault_ = numbering_.fault();
  for (const WitnessWorm& worm : verdict.witness()) named_[worm.name.multicast];
  for (const Dependency& edge : verdict.cycle)
    if (const auto* cause = std::get_if<WormCause>(&edge.cause)) named_[cause->multicast];
}

std::uint64_t VerdictCheck::flits(const Request& request, const WormRoute& worm) const {
  return checked_flits(worm, request, verdict_.flits, verdict_.model);
}

void VerdictCheck::add(const Routes& given) {
  require_multicast(given.plan.request, "the check of verdicts on worms");
  if (!answers_) return take(given);
  const auto answered = answers_->add(given.plan.request, given.worms);
  if (!answered) return take(given);
  Routes routes = given;
  routes.worms[answered->starter].port = answered->port;
  if (named_.contains(given.plan.request.id)) answered_.emplace(given.plan.request.id, *answered);
  take(routes);
}

void VerdictCheck::take(const Routes& routes) {
  ++multicasts_;
  planner_.add(routes.plan);
  check_links_once(topology_, verdict_.model, routes);
  worms_ += routes.worms.size();
  const Request& request = routes.plan.request;
  const bool atomic = verdict_.model.discipline().queues_jointly;
  if (atomic)
    for (const WormRoute& worm : routes.worms)
      verdict_.answer() == Answer::safe ? numbering_.ask_together(worm, flits(request, worm))
                                        : joint_.add(topology_, verdict_.model, worm, flits(request, worm));
  if (verdict_.answer() == Answer::safe) {
    if (atomic) kept_.push_back(routes);
    if (!atomic) number(routes);
    return;
  }
  const auto named = named_.find(request.id);
  if (named != named_.end()) named->second = NamedMulticast{request, routes.worms};
  arrivals_.add(routes);
  if (verdict_.answer() == Answer::safe_unreachable && worms_ <= most_explored) kept_.push_back(routes);
}

CheckedVerdict VerdictCheck::finish() {
  if (answers_) answers_->refuse_unanswered();
  std::string fault = refuse_count("multicasts", verdict_.multicasts, multicasts_);
  if (fault.empty()) fault = refuse_count("worms", verdict_.worms, worms_);
  if (fault.empty()) fault = refuse_planner(verdict_, planner_.common());
  if (fault.empty() && verdict_.answer() == Answer::loop && length_of(verdict_) != WormLength::fits)
    fault = "a verdict on routes says loop under cut_through only";
  if (fault.empty() && worms_ == 0) {
    if (verdict_.answer() == Answer::unknown)
      return undecided("there are no routes that could prove anything");
    fault = "there are no routes: the answer is unknown";
  }
  if (fault.empty() && verdict_.answer() == Answer::safe) {
    for (const Routes& routes : kept_) number(routes);
    fault = fault_;
  }
  if (fault.empty() && verdict_.answer() != Answer::safe) fault = refuse_dependencies();
  if (fault.empty() && verdict_.answer() == Answer::deadlock) fault = refuse_deadlock();
  if (!fault.empty()) return refused(std::move(fault));
  if (verdict_.answer() == Answer::deadlock) return check_witness();
  if (verdict_.answer() == Answer::safe_unreachable) return check_unreachable();
  return {};
}

CheckedVerdict VerdictCheck::finish_witness() {
  std::string fault = refuse_deadlock();
  return fault.empty() ? check_witness() : refused(std::move(fault));
}

void VerdictCheck::number(const Routes& routes) {
  for (std::uint32_t w = 0; w < routes.worms.size() && fault_.empty(); ++w) {
    fault_ = numbering_.refuse(routes.worms[w], flits(routes.plan.request, routes.worms[w]));
    if (!fault_.empty()) fault_ = worm_name({routes.plan.request.id, w}) + ": " + fault_;
  }
}

std::string VerdictCheck::refuse_dependencies() const {
  return refuse_cycle(verdict_.cycle, joint_, [&](const WormCause& cause) -> std::optional<PlainWorm> {
    const NamedMulticast& named = named_.at(cause.multicast);
    if (cause.worm >= named.worms.size()) throw InputError("worm", "there is none");
    const WormRoute& route = named.worms[cause.worm];
    return PlainWorm(topology_, verdict_.model, route, flits(named.request, route));
  });
}

std::string VerdictCheck::find_witness() {
  Cycle last = 0;
  for (WitnessWorm& claim : std::get<ByWitness>(verdict_.evidence).witness) {
    if (claim.start_cycle < last) return worm_name(claim.name) + " starts before the one listed before it";
    last = claim.start_cycle;
    const NamedMulticast& own = named_.at(claim.name.multicast);
    if (claim.name.worm >= own.worms.size()) return "there is no " + worm_name(claim.name);
    claim.route = own.worms[claim.name.worm];
    const auto answer = answered_.find(claim.name.multicast);
    const bool starter = answer != answered_.end() && answer->second.starter == claim.name.worm;
    if (claim.answers && (!starter || answer->second.multicast != *claim.answers))
      return worm_name(claim.name) + " answers something else";
    const std::uint64_t length =
        PlainWorm(topology_, verdict_.model, claim.route, flits(own.request, claim.route)).flits();
    const std::uint64_t said = claim.route.flits(claim.length_flits, verdict_.model.header_flits);
    if (PlainWorm(topology_, verdict_.model, claim.route, said).flits() != length)
      return worm_name(claim.name) + " is not " + std::to_string(claim.length_flits) + " flits long";
  }
  return find_answers();
}

/// Nodes to which a worm of the witness goes are busy until they have answered: the answers are there, too.
std::string VerdictCheck::find_answers() const {
  for (const WitnessWorm& claim : verdict_.witness()) {
    const Request& request = named_.at(claim.name.multicast).request;
    if (!answers_ || !is_answered(request)) continue;
    for (const RouteHop& hop : claim.route.hops)
      if (hop.kind == RouteHop::Kind::deliver && hop.target != request.source.value &&
          std::none_of(verdict_.witness().begin(), verdict_.witness().end(), [&](const WitnessWorm& other) {
            return other.answers == claim.name.multicast && other.route.source.value == hop.target;
          }))
        return fmt::format("the answer of node {} to {} is missing", hop.target, worm_name(claim.name));
  }
  return "";
}

std::string VerdictCheck::refuse_deadlock() {
  std::string fault = find_witness();
  return fault.empty() ? refuse_shrunk() : fault;
}

/// The witness is that of the multicasts said to suffice. That fewer do not is not looked into.
std::string VerdictCheck::refuse_shrunk() const {
  if (const std::optional<Shrunk>& shrunk = verdict_.shrunk())
    for (const WitnessWorm& claim : verdict_.witness())
      if (std::find(shrunk->multicasts.begin(), shrunk->multicasts.end(), claim.name.multicast) ==
          shrunk->multicasts.end())
        return worm_name(claim.name) + " is in the witness, but not among the multicasts that are to suffice";
  return "";
}

CheckedVerdict VerdictCheck::check_witness() const {
  return WitnessRuns(topology_, verdict_.model, verdict_.witness(), arrivals_.order(verdict_.witness()))
      .check(state_limit_);
}

CheckedVerdict VerdictCheck::check_unreachable() const {
  if (worms_ > most_explored)
    return undecided("the dependency cycle holds; that no deadlock is reachable has no certificate, and " +
                     std::to_string(worms_) + " worms are too many to explore");
  std::vector<ExploredWorm> worms;
  std::map<std::pair<std::uint64_t, HostId>, std::uint32_t> comes;  // by multicast and node: which of these
  for (const Routes& routes : kept_) {
    const auto first = static_cast<std::int32_t>(worms.size());
    const Request& request = routes.plan.request;
    for (const WormRoute& worm : routes.worms) {
      for (const RouteHop& hop : worm.hops)
        if (hop.kind == RouteHop::Kind::deliver)
          comes[{request.id, HostId{hop.target}}] = static_cast<std::uint32_t>(worms.size());
      worms.push_back(ExploredWorm{worm, flits(request, worm)});
      if (worm.after >= 0) worms.back().route.after += first;
      if (worm.after >= 0) continue;
      for (const std::uint64_t earlier : request.depends_on)
        if (const auto before = comes.find({earlier, request.source}); before != comes.end())
          worm.port ? void(worms.back().route.after = static_cast<std::int32_t>(before->second))
                    : worms.back().awaits.push_back(before->second);
    }
  }
  const AllOrders found = try_all_orders(topology_, verdict_.model, worms, state_limit_);
  if (found.exhausted) return {};
  if (found.deadlock) return refused("these worms can deadlock");
  return undecided("the dependency cycle holds; that no deadlock is reachable is not settled in " +
                   std::to_string(state_limit_) + " states");
}

}  // namespace wormcast
