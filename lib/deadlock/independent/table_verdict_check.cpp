// Every route followed switch by switch from its host, every tree from its members.
//
//   safe     along each of them numbers rise
//   loop     each dependency of the circle is on the route, or in the tree, that it names
//   unknown  the same; without a circle the tables route nothing, and no more than that is checked
//
// Why rising numbers exclude a loop: dependency_graph.hpp. From a channel that has been passed on the way to
// the same destination at the same service level, a route is not followed again. Where service levels choose
// virtual channels, a message without one may have any; a loop needs each of its dependencies at all of them.
// Cost: O((channels + hosts) · hosts) steps, times levels; of a loop, the routes and trees that it names
// besides.
// SPDX-License-Identifier: MIT
#include "deadlock/independent/table_verdict_check.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "deadlock/explain.hpp"
#include "deadlock/independent/numbering_check.hpp"
#include "deadlock/table_hops.hpp"

namespace wormcast {
namespace {

class TableVerdictCheck {
 public:
  TableVerdictCheck(const ForwardingTables& tables, const Verdict& verdict)
      : tables_(tables),
        topology_(tables.topology()),
        verdict_(verdict),
        hops_(tables.topology(), verdict.model),
        resources_(Resources(tables.topology(), verdict.model)
                       .bound(std::max(tables.virtual_channels(), std::uint32_t{1}))),
        arrivals_(count_arrivals()) {}

  CheckedVerdict run() const {
    std::string fault = refuse_model();
    if (fault.empty()) fault = refuse_counts();
    if (fault.empty() && routes_nothing() && verdict_.cycle.empty()) {
      if (verdict_.answer == Answer::unknown)
        return {CheckedVerdict::Outcome::undecided,
                "nothing arrives by these tables; whether they hold a loop is left open"};
      if (verdict_.answer == Answer::safe) fault = "nothing arrives by these tables: the answer is unknown";
    }
    if (fault.empty()) fault = verdict_.answer == Answer::safe ? refuse_numbering() : refuse_cycle();
    if (!fault.empty()) return {CheckedVerdict::Outcome::refused, std::move(fault)};
    return {};
  }

 private:
  /// By level and resource: for which destination a route was last followed through it, and whether it
  /// arrives.
  struct Followed {
    std::uint32_t destination = UINT32_MAX;
    bool arrives = false;
  };
  using Trails = std::array<std::vector<Followed>, service_levels>;

  Followed& followed(Trails& trails, std::uint8_t level, ResourceId resource) const {
    std::vector<Followed>& all = trails[level];
    if (all.empty()) all.resize(resources_);
    return all[resource.value];
  }

  /// The levels that a message may have; of tables without SL2VL it does not matter which.
  std::span<const std::uint8_t> levels_of(std::optional<std::uint8_t> stated) const {
    static constexpr std::array<std::uint8_t, service_levels> all = {0, 1, 2,  3,  4,  5,  6,  7,
                                                                     8, 9, 10, 11, 12, 13, 14, 15};
    if (!tables_.has_lanes()) return {all.data(), 1};
    return stated ? std::span(all).subspan(*stated, 1) : std::span(all);
  }
  std::span<const std::uint8_t> levels_of(HostId source, HostId destination) const {
    return levels_of(tables_.level(source, destination));
  }

  std::uint32_t lane(NodeId at, TableHop in, TableHop out, std::uint8_t level) const {
    return tables_.has_lanes() ? tables_.lane(at, in, out, level) : 0;
  }

  /// Pairs whose route arrives at some level that its messages may have.
  std::uint64_t count_arrivals() const {
    Trails trails;
    std::uint64_t count = 0;
    for (std::uint32_t d = 0; tables_.has_unicast() && d < topology_.hosts(); ++d)
      for (std::uint32_t s = 0; s < topology_.hosts(); ++s) {
        if (s == d) continue;
        const auto levels = levels_of(HostId{s}, HostId{d});
        count += std::any_of(levels.begin(), levels.end(), [&](std::uint8_t level) {
          return arrives(HostId{s}, HostId{d}, level, trails);
        });
      }
    return count;
  }

  bool arrives(HostId source, HostId destination, std::uint8_t level, Trails& trails) const {
    const ResourceId end = hops_.out(~static_cast<TableHop>(destination.value));
    bool result = false;
    trail_.clear();
    each_turn(source, destination, level, [&](ResourceId, ResourceId wanted) {
      Followed& here = followed(trails, level, wanted);
      const bool known = here.destination == destination.value;
      result = known ? here.arrives : wanted == end;
      here = {destination.value, result};  // of a channel: lost, as it stays if the route comes by again
      trail_.push_back(wanted);
      return std::pair{known, std::string()};
    });
    for (const ResourceId passed : trail_) followed(trails, level, passed).arrives = result;
    return result;
  }

  std::string refuse_model() const {
    if (verdict_.answer == Answer::deadlock || verdict_.answer == Answer::safe_unreachable)
      return "the answer on tables is safe, loop or unknown";
    const RouterModel& model = verdict_.model;
    if (!model.cut_through) return "model.cut_through: tables are judged under it";
    if (model.allocation != Allocation::incremental) return "model.allocation: tables are judged incremental";
    if (model.vc_reuse != VcReuse::drained) return "model.vc_reuse: tables are judged drained";
    if (model.path_reservation) return "model.path_reservation: tables are judged without";
    const bool choice = tables_.has_levels() || topology_.spec().virtual_channels > 1;
    if (verdict_.answer == Answer::loop && choice && !tables_.has_lanes())
      return "which of several virtual channels a route takes is not in tables: a loop is not certain";
    return "";
  }

  std::string refuse_counts() const {
    const std::uint64_t hosts = topology_.hosts();
    const std::uint64_t pairs = tables_.has_unicast() ? hosts * (hosts - 1) : 0;
    std::string fault = refuse_count("multicasts", verdict_.multicasts, tables_.groups().size());
    if (fault.empty()) fault = refuse_count("worms", verdict_.worms, arrivals_);
    return fault.empty() ? refuse_count("unrouted pairs", verdict_.unrouted, pairs - arrivals_) : fault;
  }

  /// No pair of hosts is routed, and no group leads from one link to another.
  bool routes_nothing() const {
    const auto stop = [](auto...) { return false; };
    bool nothing = arrivals_ == 0;
    for (const auto& [name, group] : tables_.groups())
      for (const std::uint8_t level : levels_of(tables_.level(name)))
        nothing = nothing && every_turn(group, level, stop);
    return nothing;
  }

  std::string refuse_numbering() const {
    NumberingCheck numbering(topology_, verdict_.model, verdict_.numbering);
    std::string fault = numbering.fault();
    Trails trails;
    for (std::uint32_t d = 0; tables_.has_unicast() && d < topology_.hosts(); ++d)
      for (std::uint32_t h = 0; h < topology_.hosts() && fault.empty(); ++h) {
        if (h == d) continue;
        for (const std::uint8_t level : levels_of(HostId{h}, HostId{d}))
          if (fault.empty())
            fault = each_turn(HostId{h}, HostId{d}, level, [&](ResourceId held, ResourceId wanted) {
              std::string violation = numbering.refuse(held, wanted);
              const bool known = std::exchange(followed(trails, level, wanted).destination, d) == d;
              return std::pair{known || !violation.empty(), std::move(violation)};
            });
        if (!fault.empty()) fault.insert(0, route_name(HostId{h}, HostId{d}) + ": ");
      }
    for (const auto& [name, group] : tables_.groups()) {
      if (!fault.empty()) break;
      for (const std::uint8_t level : levels_of(tables_.level(name)))
        if (fault.empty())
          every_turn(group, level, [&](ResourceId held, ResourceId wanted) {
            fault = numbering.refuse(held, wanted);
            return fault.empty();
          });
      if (!fault.empty()) fault.insert(0, group_name(name) + ": ");
    }
    return fault;
  }

  std::string refuse_cycle() const {
    const std::vector<Dependency>& cycle = verdict_.cycle;
    if (cycle.empty()) return "there is no dependency cycle";
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const std::string name = "dependency_cycle[" + std::to_string(i) + "]: ";
      if (cycle[i].to != cycle[(i + 1) % cycle.size()].from)
        return name + "the next dependency does not begin where it ends";
      std::string fault = refuse_cause(cycle[i]);
      if (!fault.empty()) return name + fault;
    }
    return "";
  }

  std::string refuse_cause(const Dependency& edge) const {
    const std::string cannot =
        " does not wait for " + name_of(edge.to) + " while it holds " + name_of(edge.from);
    if (const auto* route = std::get_if<LegCause>(&edge.cause)) {
      if (route->next_destination) return "next_destination: a route has one destination";
      if (route->source == route->destination) return "its source is its destination";
      std::span<const std::uint8_t> levels = levels_of(route->source, route->destination);
      std::string fault = narrow(route->service_level, levels);
      const auto turn = [&](ResourceId held, ResourceId wanted) {
        return held == edge.from && wanted == edge.to;
      };
      const bool has = holds_at(
          levels, [&](std::uint8_t level) { return passes(route->source, route->destination, level, turn); });
      if (fault.empty() && !has) fault = route_name(route->source, route->destination) + cannot;
      return fault;
    }
    const auto* cause = std::get_if<GroupCause>(&edge.cause);
    if (cause == nullptr) return "it names neither a route nor a group";
    const std::string& name = verdict_.groups.at(cause->group);
    const auto group = tables_.groups().find(name);
    if (group == tables_.groups().end()) return "there is no " + group_name(name);
    std::span<const std::uint8_t> levels = levels_of(tables_.level(name));
    std::string fault = narrow(cause->service_level, levels);
    const bool has = holds_at(levels, [&](std::uint8_t level) {
      return !every_turn(group->second, level, [&](ResourceId held, ResourceId wanted) {
        return held != edge.from || wanted != edge.to;
      });
    });
    if (fault.empty() && !has) fault = group_name(name) + cannot;
    return fault;
  }

  /// Takes the level that a cause names out of those that its messages may have; what is wrong with it.
  std::string narrow(std::optional<std::uint8_t> named, std::span<const std::uint8_t>& levels) const {
    if (!named) return "";
    if (!tables_.has_lanes()) return "service_level: these tables choose no virtual channel by it";
    if (std::find(levels.begin(), levels.end(), *named) == levels.end())
      return "service_level: its messages have another";
    if (verdict_.answer == Answer::loop && levels.size() > 1)
      return "service_level: it is not known, and a loop has to be there at every level";
    levels = levels_of(named);
    return "";
  }

  /// Whether it is so at all of these levels for a loop, at one of them for what may be.
  template <class Is>
  bool holds_at(std::span<const std::uint8_t> levels, const Is& is) const {
    return verdict_.answer == Answer::loop ? std::all_of(levels.begin(), levels.end(), is)
                                           : std::any_of(levels.begin(), levels.end(), is);
  }

  /// True if turn(held, wanted) is at some switch on the route.
  template <class Turn>
  bool passes(HostId source, HostId destination, std::uint8_t level, const Turn& turn) const {
    std::uint32_t switches = 0;
    bool found = false;
    each_turn(source, destination, level, [&](ResourceId held, ResourceId wanted) {
      found = turn(held, wanted);
      return std::pair{found || ++switches > topology_.routers(), std::string()};  // it may run in a circle
    });
    return found;
  }

  /// Calls visit(held, wanted) along a route until that says that it is enough, and what to return.
  template <class Visit>
  std::string each_turn(HostId source, HostId destination, std::uint8_t level, const Visit& visit) const {
    NodeId at = topology_.router_of(source);
    TableHop in = ~static_cast<TableHop>(source.value);
    ResourceId held = hops_.from_host(source);
    for (;;) {
      const TableHop hop = tables_.next(at, destination);
      const std::uint32_t vc = hop == ForwardingTables::no_hop ? no_lane : lane(at, in, hop, level);
      if (vc == no_lane) return "";
      const ResourceId wanted = hops_.out(hop, vc);
      auto [enough, answer] = visit(held, wanted);
      if (enough || hop < 0) return answer;
      held = wanted;
      at = hops_.leads_to(hop);
      in = hop ^ 1;
    }
  }

  /// Calls visit(held, wanted) for each resource that a message of some member can hold when it comes to a
  /// switch, and each that it then waits for, until that says no; false if it did.
  template <class Visit>
  bool every_turn(const ForwardingTables::Group& group, std::uint8_t level, const Visit& visit) const {
    std::vector<std::tuple<NodeId, TableHop, ResourceId>> open;
    std::set<ResourceId> taken;  // channels that have been followed
    for (const auto& [router, links] : group)
      for (const TableHop hop : links)
        if (hop < 0) open.emplace_back(router, hop, hops_.in(hop));
    while (!open.empty()) {
      const auto [router, in, held] = open.back();
      open.pop_back();
      const auto links = group.find(router);
      if (links == group.end()) continue;
      for (const TableHop out : links->second) {
        const std::uint32_t vc = out == in ? no_lane : lane(router, in, out, level);
        if (vc == no_lane) continue;
        const ResourceId wanted = hops_.out(out, vc);
        if (!visit(held, wanted)) return false;
        if (out >= 0 && taken.insert(wanted).second) open.emplace_back(hops_.leads_to(out), out ^ 1, wanted);
      }
    }
    return true;
  }

  std::string name_of(ResourceId resource) const {
    return describe_resource(topology_, Resources(topology_, verdict_.model).describe(resource));
  }
  static std::string route_name(HostId source, HostId destination) {
    return "the route from host " + std::to_string(source.value) + " to " + std::to_string(destination.value);
  }
  static std::string group_name(const std::string& name) { return "group '" + name + "'"; }

  const ForwardingTables& tables_;
  const Topology& topology_;
  const Verdict& verdict_;
  TableHops hops_;
  std::uint32_t resources_;
  mutable std::vector<ResourceId> trail_;
  std::uint64_t arrivals_;  ///< pairs of hosts whose route arrives
};

}  // namespace

CheckedVerdict check_table_verdict(const ForwardingTables& tables, const Verdict& verdict) {
  return TableVerdictCheck(tables, verdict).run();
}

}  // namespace wormcast
