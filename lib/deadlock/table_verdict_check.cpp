// Every route followed switch by switch from its host, every tree from its members.
//
//   safe     along each of them numbers rise
//   loop     each dependency of the circle is on the route, or in the tree, that it names
//   unknown  the same; without a circle the tables route nothing, and no more than that is checked
//
// Why rising numbers exclude a loop: dependency_graph.hpp. From a switch that has been passed on the way to
// the same destination, a route is not followed again. Cost: O((switches + hosts) · hosts) steps; of a loop,
// the routes and trees that it names besides.
// SPDX-License-Identifier: MIT
#include "deadlock/table_verdict_check.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "deadlock/explain.hpp"
#include "deadlock/numbering_check.hpp"
#include "deadlock/table_check.hpp"
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
  enum class Fate : std::uint8_t { open, lost, arrives };

  std::uint64_t count_arrivals() const {
    std::uint64_t count = 0;
    std::vector<NodeId> trail;
    for (std::uint32_t d = 0; tables_.has_unicast() && d < topology_.hosts(); ++d) {
      std::vector<Fate> fate(topology_.routers(), Fate::open);
      for (std::uint32_t h = 0; h < topology_.hosts(); ++h) {
        if (h == d) continue;
        trail.clear();
        NodeId at = topology_.router_of(HostId{h});
        while (fate[at.value] == Fate::open) {
          fate[at.value] = Fate::lost;  // as it stays if the route comes by here again
          trail.push_back(at);
          const TableHop hop = tables_.next(at, HostId{d});
          if (hop == ForwardingTables::no_hop) break;
          if (hop < 0)
            fate[at.value] = Fate::arrives;
          else
            at = hops_.leads_to(hop);
        }
        for (const NodeId passed : trail) fate[passed.value] = fate[at.value];
        count += fate[at.value] == Fate::arrives ? 1 : 0;
      }
    }
    return count;
  }

  std::string refuse_model() const {
    if (verdict_.answer == Answer::deadlock || verdict_.answer == Answer::safe_unreachable)
      return "of tables the answer is safe, loop or unknown";
    const RouterModel& model = verdict_.model;
    if (!model.cut_through) return "model.cut_through: tables are judged under it";
    if (model.allocation != Allocation::incremental) return "model.allocation: tables are judged incremental";
    if (model.vc_reuse != VcReuse::drained) return "model.vc_reuse: tables are judged drained";
    if (model.path_reservation) return "model.path_reservation: tables are judged without";
    if (verdict_.answer == Answer::loop && topology_.spec().virtual_channels > 1)
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
    for (const auto& [name, group] : tables_.groups()) nothing = nothing && every_turn(group, stop);
    return nothing;
  }

  std::string refuse_numbering() const {
    NumberingCheck numbering(topology_, verdict_.model, verdict_.numbering);
    std::string fault = numbering.fault();
    std::vector<std::uint32_t> followed(topology_.routers(), UINT32_MAX);  // for which destination
    for (std::uint32_t d = 0; tables_.has_unicast() && d < topology_.hosts(); ++d)
      for (std::uint32_t h = 0; h < topology_.hosts() && fault.empty(); ++h) {
        if (h == d) continue;
        fault = each_turn(HostId{h}, HostId{d}, [&](NodeId at, ResourceId held, ResourceId wanted) {
          std::string violation = numbering.refuse(held, wanted);
          const bool known = std::exchange(followed[at.value], d) == d;
          return std::pair{known || !violation.empty(), std::move(violation)};
        });
        if (!fault.empty()) fault.insert(0, route_name(HostId{h}, HostId{d}) + ": ");
      }
    for (const auto& [name, group] : tables_.groups()) {
      if (!fault.empty()) break;
      every_turn(group, [&](TableHop in, TableHop out) {
        fault = numbering.refuse(hops_.in(in), hops_.out(out));
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
      return has_turn(*route, edge) ? "" : route_name(route->source, route->destination) + cannot;
    }
    const auto* cause = std::get_if<GroupCause>(&edge.cause);
    if (cause == nullptr) return "it names neither a route nor a group";
    const std::string& name = verdict_.groups.at(cause->group);
    const auto group = tables_.groups().find(name);
    if (group == tables_.groups().end()) return "there is no " + group_name(name);
    const bool elsewhere = every_turn(group->second, [&](TableHop in, TableHop out) {
      return hops_.in(in) != edge.from || hops_.out(out) != edge.to;
    });
    return elsewhere ? group_name(name) + cannot : "";
  }

  bool has_turn(const LegCause& route, const Dependency& edge) const {
    std::uint32_t switches = 0;
    bool found = false;
    each_turn(route.source, route.destination, [&](NodeId, ResourceId held, ResourceId wanted) {
      found = held == edge.from && wanted == edge.to;
      return std::pair{found || ++switches > topology_.routers(), std::string()};  // it may run in a circle
    });
    return found;
  }

  /// Calls visit(switch, held, wanted) along a route until that says that it is enough, and what to return.
  template <class Visit>
  std::string each_turn(HostId source, HostId destination, const Visit& visit) const {
    NodeId at = topology_.router_of(source);
    ResourceId held = hops_.from_host(source);
    for (;;) {
      const TableHop hop = tables_.next(at, destination);
      if (hop == ForwardingTables::no_hop) return "";
      const ResourceId wanted = hops_.out(hop);
      auto [enough, answer] = visit(at, held, wanted);
      if (enough || hop < 0) return answer;
      held = wanted;
      at = hops_.leads_to(hop);
    }
  }

  /// Calls visit(in, out) for each link that a message of some member can come to a switch by, and each that
  /// it then leaves by, until that says no; false if it did.
  template <class Visit>
  bool every_turn(const ForwardingTables::Group& group, const Visit& visit) const {
    std::vector<std::pair<NodeId, TableHop>> open;
    std::set<TableHop> taken;  // channels that have been followed
    for (const auto& [router, links] : group)
      for (const TableHop hop : links)
        if (hop < 0) open.emplace_back(router, hop);
    while (!open.empty()) {
      const auto [router, in] = open.back();
      open.pop_back();
      const auto links = group.find(router);
      if (links == group.end()) continue;
      for (const TableHop out : links->second) {
        if (out == in) continue;
        if (!visit(in, out)) return false;
        if (out >= 0 && taken.insert(out).second) open.emplace_back(hops_.leads_to(out), out ^ 1);
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
  std::uint64_t arrivals_;  ///< pairs of hosts whose route arrives
};

}  // namespace

bool speaks_of_tables(const Verdict& verdict) { return verdict.scope == tables_scope; }

CheckedVerdict check_table_verdict(const ForwardingTables& tables, const Verdict& verdict) {
  return TableVerdictCheck(tables, verdict).run();
}

}  // namespace wormcast
