// What the lines say stands in tests/proof/reader.ml. A resource is its id + 1; a worm's first hop is what
// its source takes, if that is limited. Hops of paths are listed in the order of their requests.
// SPDX-License-Identifier: MIT
#include "proofs/plain_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "checks/leg_walk.hpp"
#include "checks/plain_worm.hpp"
#include "deadlock/worms/planned_worms.hpp"
#include "multicast/around_faults.hpp"
#include "multicast/check.hpp"
#include "multicast/legs.hpp"
#include "multicast/planner.hpp"
#include "router/router_rules.hpp"
#include "routing/routing_function.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr const char* option = "--certificate";
constexpr std::uint64_t unlimited = (std::uint64_t{1} << 53) - 1;

/// What a planner's worms are more than paths.
struct Shapes final : LegSink {
  explicit Shapes(const Topology& topology) : shared(topology.hosts() > topology.routers()) {}

  void leg(const Leg& leg) override { trees = trees || (shared && leg.goes_on); }
  void part_of(const Worm& worm) override { note(worm.replication, !is_chain(worm)); }
  void start(HostId, const Output&) override {}
  void turn(const Output&, const Output&) override {}
  void split(const Output& one, const Output& other, Copies replication) override {
    note(replication, one.host.has_value() == other.host.has_value());
  }
  void note(Copies replication, bool branches) {
    trees = trees || branches || is_stated(replication);
    lock_step = lock_step || in_lock_step(replication);
  }

  bool shared;  ///< routers have several hosts, at two of which a worm can stop
  bool trees = false, lock_step = false;
};

std::string slots(const Topology& topology, const RouterModel& model, ResourceId id) {
  const Resource what = Resources(topology, model).describe(id);
  const bool memory = what.kind == Resource::Kind::injection || model.cut_through;  // the source's
  const std::uint64_t slots =
      memory                                   ? unlimited
      : what.kind == Resource::Kind::network   ? buffer_slots(topology, model, what.channel)
      : what.kind == Resource::Kind::host_link ? buffer_slots(topology, model, what.host)
                                               : 1;
  return fmt::format("1 {} {}\n", id.value + 1, slots);
}

/// `place`: by position of the worm its hop here, counted from 1; of a source that limits nothing 0.
std::string line_of(const PlainWorm& worm, std::vector<std::size_t>& place) {
  std::vector<std::size_t> order(worm.positions());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (worm.is_path())
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t p, std::size_t q) { return worm.turn(p) < worm.turn(q); });
  std::string line = fmt::format("3 {} {}",
                                 worm.is_path()           ? 0
                                 : worm.copies_together() ? 2
                                                          : 1,
                                 worm.flits());
  place.assign(worm.positions(), 0);
  std::size_t last = 0;
  for (const std::size_t p : order)
    worm.each_resource(p, [&](ResourceId id) {
      line += fmt::format(" {} {}", id.value + 1, p == 0 ? 0 : place[worm.parent(p)]);
      place[p] = ++last;
    });
  return line + '\n';
}

/// What a planner's worms ask for one after the other.
std::string legs(const Topology& topology, const Verdict& verdict) {
  const auto [planner, unicast] = NamedPlanner(topology, verdict);
  if (PlannedWorms(planner, unicast.get(), verdict.relation).judged_as_relation())
    refuse(option, "is not for worms whose routers choose, nor for --depends");
  Shapes shapes(topology);
  legs_of_planner(planner.context(), shapes);
  const bool packets = length_of(verdict) == WormLength::fits;
  if (shapes.lock_step && !packets) refuse(option, "is not for trees that are copied in lock step");
  std::set<std::pair<ResourceId, ResourceId>> pairs;
  const auto ignore = [](auto...) {};
  const LegVisitor visitor{[&](ResourceId a, ResourceId b) { pairs.emplace(a, b); }, ignore, ignore};
  const std::uint64_t flits = std::min(verdict.flits.value_or(long_worm_flits), unlimited);
  walk_legs(planner.context(), legs_of_planner, verdict.model, flits, visitor);
  if (unicast)
    walk_legs({topology, *unicast, {}}, unicast_legs, verdict.model, flits, visitor,
              verdict.relation.unicast_vc);
  std::string text = shapes.trees || packets ? fmt::format("5 {}\n", flits) : "";
  for (const auto& [a, b] : pairs) text += fmt::format("4 {} {}\n", a.value + 1, b.value + 1);
  return text;
}

}  // namespace

PlainCertificate::PlainCertificate(const Topology& topology, const RouterModel& model,
                                   std::optional<std::uint64_t> flits)
    : topology_(topology), model_(model), flits_(flits) {
  const std::uint32_t most = std::max(model.injection_channels, model.consumption_channels);
  if (!grants_plainly(model) || (most > 1 && !topology.hosts_have_links()))
    refuse(option,
           "is for routers that copy as plans say, release an output when the tail has left, and have one "
           "injection and one consumption channel a node or one for each input");
}

std::string PlainCertificate::worms_of(const Routes& routes) {
  require_multicast(routes.plan.request, option);
  ordered_ = ordered_ || !routes.plan.request.depends_on.empty();
  std::string text;
  std::vector<std::size_t> place;
  for (const WormRoute& route : routes.worms) {
    const std::uint64_t flits = checked_flits(route, routes.plan.request, flits_, model_);
    ordered_ = ordered_ || route.after >= 0;
    text += line_of(PlainWorm(topology_, model_, route, flits), place);
  }
  lines_ += routes.worms.size();
  return text;
}

std::string PlainCertificate::finish(const Verdict& verdict) {
  std::string text;
  std::set<ResourceId> taken;
  std::vector<std::size_t> place;
  for (const WitnessWorm& claim : verdict.witness()) {
    if (ordered_ || claim.route.after >= 0 || claim.answers)
      refuse(option, "is not for deadlocks of worms that start when others have arrived");
    const std::uint64_t flits = claim.route.flits(claim.length_flits, model_.header_flits);
    const PlainWorm worm(topology_, model_, claim.route, flits);
    text += line_of(worm, place) + '6';
    for (std::size_t p = 0; p < worm.positions(); ++p) {
      worm.each_resource(p, [&](ResourceId id) { taken.insert(id); });
      const bool waits = std::count(claim.waits.begin(), claim.waits.end(), static_cast<int>(p) - 1) > 0;
      if (waits || (p > 0 && claim.route.hops[p - 1].not_before_cycle > 0))
        text += fmt::format(" {}", place[p]);
    }
    text += '\n';
  }
  const bool safe = verdict.answer() == Answer::safe && verdict.proof().empty() && !speaks_of_tables(verdict);
  if (verdict.joins.reductions || (safe ? verdict.numbering().empty() : taken.empty()))
    refuse(option, "is for witnesses and numberings of multicasts by stated routes; the answer is {}",
           answer_name(verdict.answer()));
  for (const ResourceId id : taken) text += slots(topology_, model_, id);
  for (const ResourceId id : verdict.numbering()) text += slots(topology_, model_, id);
  if (speaks_of_planner(verdict) && safe) text += legs(topology_, verdict);
  return text + fmt::format("0 {}\n",
                            lines_ + static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
}

}  // namespace wormcast
