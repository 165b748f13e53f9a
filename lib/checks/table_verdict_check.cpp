// Every route followed switch by switch from its host, every tree from its members.
//
//   safe     along each of them numbers rise
//   loop     each dependency of the cycle is on the route, or in the tree, that it names
//   unknown  the same; without a cycle the tables route nothing, and no more than that is checked
//
// Why rising numbers exclude a loop: dependency_graph.hpp. From a channel that has been passed on the way to
// the same destination at the same service level, a route is not followed again. Where service levels choose
// virtual channels, a message without one may have any; a loop needs each of its dependencies at all of them.
// Cost: O((channels + hosts) · hosts) steps, times levels; for a loop also the routes and trees it names.
// SPDX-License-Identifier: MIT
#include "checks/table_verdict_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <mutex>
#include <span>
#include <tuple>
#include <variant>
#include <vector>

#include "checks/certificate_check.hpp"
#include "checks/numbering_check.hpp"
#include "deadlock/worms/table_hops.hpp"
#include "topology/in_parallel.hpp"

namespace wormcast {
namespace {

class TableVerdictCheck {
 public:
  TableVerdictCheck(const ForwardingTables& tables, const Verdict& verdict)
      : tables_(tables),
        topology_(tables.topology()),
        verdict_(verdict),
        hops_(tables.topology(), verdict.model),
        lanes_(std::max(tables.virtual_channels(), std::uint32_t{1})),
        numbering_(tables.topology(), verdict.model, verdict.numbering()) {
    follow_routes();
  }

  CheckedVerdict run() {
    std::string fault = refuse_model();
    if (fault.empty()) fault = refuse_counts();
    if (fault.empty() && routes_nothing() && verdict_.cycle.empty()) {
      if (verdict_.answer() == Answer::unknown)
        return undecided("nothing arrives by these tables; whether they hold a loop is left open");
      if (verdict_.answer() == Answer::safe) fault = "nothing arrives by these tables: the answer is unknown";
    }
    if (fault.empty()) fault = verdict_.answer() == Answer::safe ? refuse_numbering() : refuse_cycles();
    return refused_if(std::move(fault));
  }

 private:
  /// The levels that a message may have of which that is stated; without SL2VL tables one stands for all.
  std::span<const std::uint8_t> levels_of(std::uint8_t stated) const {
    static constexpr std::array<std::uint8_t, service_levels> all = {0, 1, 2,  3,  4,  5,  6,  7,
                                                                     8, 9, 10, 11, 12, 13, 14, 15};
    if (!tables_.has_lanes()) return {all.data(), 1};
    return stated < service_levels ? std::span(all).subspan(stated, 1) : std::span(all);
  }
  std::uint32_t lane(std::uint32_t came, TableLinks::Port out, std::uint8_t level) const {
    return tables_.has_lanes() ? tables_.lane(came, out, level) : 0;
  }

  /// Every route, at every level that its messages may have: how many pairs arrive at some, and, where
  /// something is numbered, the first fault of the numbers.
  void follow_routes() {
    if (!tables_.has_unicast()) return;
    followed_.assign(std::size_t{topology_.routers()} * lanes_, 0);
    std::vector<ColumnSet> rising((topology_.hosts() + block_width - 1) / block_width);
    if (verdict_.answer() == Answer::safe)
      in_parallel(rising.size(), [&](std::size_t, std::size_t first, std::size_t end) {
        Columns<TableLinks::Port> ports = tables_.ports();
        Columns<std::uint8_t> level_of = tables_.levels();
        for (std::size_t block = first, d = first * block_width; block < end; ++block, d += block_width)
          rising[block] = all_rise(d, ports.at(d), level_of.at(d));
      });
    Columns<TableLinks::Port> ports = tables_.ports();
    Columns<std::uint8_t> level_of = tables_.levels();
    std::vector<std::uint32_t> arrived(topology_.hosts(), UINT32_MAX);  // by source: last destination
    for (std::uint32_t d = 0; d < topology_.hosts(); ++d) {
      if ((rising[d / block_width] >> d % block_width & 1U) != 0) {
        arrivals_ += topology_.hosts() - 1;
        continue;
      }
      ports_ = ports.at(d);
      const std::span<const std::uint8_t> stated = level_of.at(d);
      std::array<std::vector<HostId>, service_levels> sources;
      for (std::uint32_t s = 0; s < topology_.hosts(); ++s)
        if (s != d)
          for (const std::uint8_t level : levels_of(stated[s * block_width]))
            sources[level].push_back(HostId{s});
      for (std::uint8_t level = 0; level < service_levels; ++level) {
        if (sources[level].empty()) continue;
        round_ += 2;  // the last bit is free
        for (const HostId source : sources[level])
          if (arrives(source, HostId{d}, level) && std::exchange(arrived[source.value], d) != d) ++arrivals_;
      }
    }
  }

  /// By link the number of what a message of that level waits for that leaves by it, if that is one place
  /// whatever it came by, and allowed to all hosts there; else, and at the end for no link, none.
  const std::vector<std::uint32_t>& numbers_at(std::uint8_t level) {
    const TableLinks& links = tables_.links();
    std::vector<std::uint32_t>& numbers = numbers_[level];
    const std::lock_guard<std::mutex> one_thread(numbers_lock_);
    if (!numbers.empty()) return numbers;
    for (std::uint32_t out = 0; out < links.count(); ++out) {
      const NodeId at = links.leads_to(links.back(out));
      const std::uint32_t first = links.link(at, 0);
      std::optional<std::uint32_t> number;
      for (std::uint32_t in = first; in < first + links.ports(at); ++in) {
        const std::uint32_t vc = lane(in, static_cast<TableLinks::Port>(out - first), level);
        const ResourceId place = hops_.out(links.hop(out), vc % no_lane);
        const bool comes = links.hop(in) >= 0 || numbering_.allows(hops_.in(links.hop(in)), place);
        const auto one = vc != no_lane && comes ? numbering_.number(place) : NumberingCheck::none;
        if (in != out) number = number.value_or(one) == one ? one : NumberingCheck::none;
      }
      numbers.push_back(number.value_or(NumberingCheck::none));
    }
    numbers.push_back(NumberingCheck::none);
    return numbers;
  }

  /// Hosts of the block from `first` on to which every switch has a hop and numbers rise from each to the
  /// next at all levels that messages to them have: then no route turns back, and all end where the host is.
  ColumnSet all_rise(std::size_t first, std::span<const TableLinks::Port> ports,
                     std::span<const std::uint8_t> stated) {
    const TableLinks& links = tables_.links();
    std::array<ColumnSet, service_levels> sent{};  // by level
    if (!tables_.has_lanes()) sent[0] = ~ColumnSet{0};
    for (std::uint32_t s = 0; tables_.has_lanes() && s < topology_.hosts(); ++s)
      for (std::uint32_t i = 0; i < block_width; ++i)
        if (s != first + i)
          for (const std::uint8_t level : levels_of(stated[s * block_width + i]))
            sent[level] |= ColumnSet{1} << i;
    ColumnSet rising = ~ColumnSet{0};
    for (std::uint8_t level = 0; level < service_levels; ++level) {
      if ((sent[level] & rising) == 0) continue;
      const std::vector<std::uint32_t>& numbers = numbers_at(level);
      for (std::uint32_t r = 0; r < topology_.routers(); ++r)
        for (ColumnSet open = sent[level] & rising; open != 0; open &= open - 1) {
          const auto i = static_cast<std::uint32_t>(std::countr_zero(open));
          const auto link_from = [&](NodeId at) {
            const TableLinks::Port port = ports[std::size_t{at.value} * block_width + i];
            return port == TableLinks::no_port ? links.count() : links.link(at, port);
          };
          const std::uint32_t link = link_from(NodeId{r}), number = numbers[link];
          if (number == NumberingCheck::none ||
              (links.hop(link) >= 0 && number >= numbers[link_from(links.leads_to(link))]))
            rising &= ~(ColumnSet{1} << i);
        }
    }
    return rising;
  }

  bool arrives(HostId source, HostId destination, std::uint8_t level) {
    const std::uint32_t end = tables_.links().link(~static_cast<TableHop>(destination.value));
    bool result = false;
    trail_.clear();
    const auto port_at = [&](NodeId at) { return ports_[std::size_t{at.value} * block_width]; };
    const auto take = [&](ResourceId held, ResourceId wanted, NodeId at, std::uint32_t next, auto vc) {
      if (verdict_.answer() == Answer::safe && fault_.empty() && !numbering_.allows(held, wanted)) {
        fault_ = numbering_.refuse(held, wanted);
        if (!fault_.empty()) fault_.insert(0, route_name(source, destination) + ": ");
      }
      const std::size_t place = std::size_t{at.value} * lanes_ + vc;
      std::uint32_t& here = followed_[place];
      const bool known = (here | 1U) == (round_ | 1U);
      result = known ? here != round_ : next == end;
      here = round_ | (result ? 1U : 0U);  // of a channel: lost, as it stays if the route comes by again
      trail_.push_back(place);
      return known;
    };
    each_turn(source, destination, level, port_at, take);
    for (const std::size_t passed : trail_) followed_[passed] = round_ | (result ? 1U : 0U);
    return result;
  }

  std::string refuse_model() const {
    if (verdict_.answer() == Answer::deadlock || verdict_.answer() == Answer::safe_unreachable)
      return "the answer on tables is safe, loop or unknown";
    const RouterModel& model = verdict_.model;
    if (!model.cut_through) return "model.cut_through: tables are judged under it";
    if (model.discipline().grants_nodes) return "model.allocation: tables are judged incremental";
    if (model.reuses_early()) return "model.vc_reuse: tables are judged drained";
    if (model.discipline().grants_ways) return "model.path_reservation: tables are judged without";
    const bool choice = tables_.has_levels() || topology_.spec().virtual_channels > 1;
    if (verdict_.answer() == Answer::loop && choice && !tables_.has_lanes())
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
    bool nothing = arrivals_ == 0;
    for (const auto& [name, group] : tables_.groups())
      for (const std::uint8_t level : levels_of(tables_.level(name).value_or(every_level)))
        nothing = nothing && every_turn(group, level, [](auto...) { return false; });
    return nothing;
  }

  std::string refuse_numbering() {
    std::string fault = numbering_.fault().empty() ? fault_ : numbering_.fault();
    for (const auto& [name, group] : tables_.groups())
      for (const std::uint8_t level : levels_of(tables_.level(name).value_or(every_level)))
        if (fault.empty() && !every_turn(group, level, [&](ResourceId held, ResourceId wanted) {
              fault = numbering_.refuse(held, wanted);
              return fault.empty();
            }))
          fault.insert(0, group_name(name) + ": ");
    return fault;
  }

  /// A loop needs a cycle at every level that messages may have: all its dependencies at each, or of one
  /// message those that are there at a level.
  std::string refuse_cycles() const {
    const auto cycles = cycles_of(verdict_.cycle);
    if (cycles.size() > 1 && verdict_.answer() != Answer::loop) return "dependency_cycle: more than one";
    std::string fault = cycles.empty() ? "there is no dependency cycle" : "";
    const Dependency* moves = nullptr;
    for (const auto cycle : cycles) {
      if (fault.empty()) fault = refuse_each(cycle, [&](const auto& edge) { return refuse_cause(edge); });
      if (!fault.empty() || verdict_.answer() != Answer::loop) return fault;
      for (const Dependency& edge : cycle) {
        const auto levels = levels_of(edge);
        if (std::all_of(levels.begin(), levels.end(), [&](auto level) { return waits(edge, level); }))
          continue;
        if (moves != nullptr && !(moves->cause == edge.cause))
          return "dependency_cycle: two messages of it wait so at some service levels only";
        moves = &edge;
      }
    }
    if (moves == nullptr) return fault;
    for (const std::uint8_t level : levels_of(*moves))
      if (std::none_of(cycles.begin(), cycles.end(), [&](const auto cycle) {
            return std::all_of(cycle.begin(), cycle.end(), [&](const Dependency& edge) {
              return !(edge.cause == moves->cause) || waits(edge, level);
            });
          }))
        return "dependency_cycle: none is there at service level " + std::to_string(level);
    return "";
  }

  /// What is wrong with the cause by itself, or that its message waits so at no level that it may have.
  std::string refuse_cause(const Dependency& edge) const {
    std::string name, fault;
    std::optional<std::uint8_t> named;
    if (const auto* route = std::get_if<LegCause>(&edge.cause)) {
      if (route->next_destination) return "next_destination: a route has one destination";
      if (route->source == route->destination) return "its source is its destination";
      name = route_name(route->source, route->destination);
      named = route->service_level;
    } else if (const auto* cause = std::get_if<GroupCause>(&edge.cause)) {
      name = group_name(verdict_.tables.groups.at(cause->group));
      if (!tables_.groups().contains(verdict_.tables.groups[cause->group])) return "there is no " + name;
      named = cause->service_level;
    } else {
      return "it names neither a route nor a group";
    }
    std::span<const std::uint8_t> levels = levels_of(edge);
    fault = narrow(named, levels);
    if (fault.empty() &&
        std::none_of(levels.begin(), levels.end(), [&](auto level) { return waits(edge, level); }))
      fault = name + " does not wait for " + name_of(edge.to) + " while it holds " + name_of(edge.from);
    return fault;
  }

  /// The levels that the message of a cause may have.
  std::span<const std::uint8_t> levels_of(const Dependency& edge) const {
    if (const auto* route = std::get_if<LegCause>(&edge.cause))
      return levels_of(tables_.level(route->source, route->destination).value_or(every_level));
    return levels_of(tables_.level(group_of(edge)).value_or(every_level));
  }

  const std::string& group_of(const Dependency& edge) const {
    return verdict_.tables.groups[std::get<GroupCause>(edge.cause).group];
  }
  /// Whether the message holds the one and waits for the other, at that level.
  bool waits(const Dependency& edge, std::uint8_t level) const {
    bool found = false;
    const auto seek = [&](ResourceId held, ResourceId wanted) {
      found = found || (held == edge.from && wanted == edge.to);
      return !found;
    };
    if (const auto* route = std::get_if<LegCause>(&edge.cause)) {
      // In a forwarding loop: twice round, since it may come back on another virtual channel.
      std::uint32_t left = 2 * topology_.routers() + 2;
      const auto port_at = [&](NodeId at) { return tables_.port(at, route->destination); };
      each_turn(route->source, route->destination, level, port_at,
                [&](ResourceId held, ResourceId to, auto...) { return !seek(held, to) || left-- == 0; });
    } else {
      every_turn(tables_.groups().at(group_of(edge)), level, seek);
    }
    return found;
  }

  /// Takes the level that a cause names out of those that its messages may have; what is wrong with it.
  std::string narrow(std::optional<std::uint8_t> named, std::span<const std::uint8_t>& levels) const {
    if (!named) return "";
    if (!tables_.has_lanes()) return "service_level: these tables choose no virtual channel by it";
    if (std::find(levels.begin(), levels.end(), *named) == levels.end())
      return "service_level: its messages have another";
    if (verdict_.answer() == Answer::loop && levels.size() > 1)
      return "service_level: it is not known, and a loop has to be there at every level";
    levels = levels_of(*named);
    return "";
  }

  /// Calls visit(held, wanted, at, next, vc) along a route until that says that it is enough: at a switch the
  /// message holds the one, waits for the other and goes on by this link and virtual channel.
  template <class PortAt, class Visit>
  void each_turn(HostId source, HostId destination, std::uint8_t level, const PortAt& port_at,
                 const Visit& visit) const {
    const TableLinks& links = tables_.links();
    const std::uint32_t end = links.link(~static_cast<TableHop>(destination.value));
    std::uint32_t came = links.link(~static_cast<TableHop>(source.value));
    for (ResourceId held = hops_.from_host(source);;) {
      const NodeId at = links.leads_to(came);
      const TableLinks::Port port = port_at(at);
      const std::uint32_t vc = port == TableLinks::no_port ? no_lane : lane(links.back(came), port, level);
      if (vc == no_lane) return;
      came = links.link(at, port);
      const ResourceId wanted = hops_.out(links.hop(came), vc);
      if (visit(held, wanted, at, came, vc) || came == end) return;
      held = wanted;
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
        const std::uint32_t vc =
            out == in ? no_lane : lane(tables_.links().link(in), tables_.links().port(out), level);
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
  std::size_t lanes_;
  NumberingCheck numbering_;
  /// By switch and lane that it is left on: the last round (a destination and level) in which a route was
  /// followed so, and in the last bit whether that arrives.
  std::vector<std::uint32_t> followed_;
  std::uint32_t round_ = 0;
  std::vector<std::size_t> trail_;
  std::array<std::vector<std::uint32_t>, service_levels> numbers_;  ///< by level: numbers_at()
  std::mutex numbers_lock_;
  std::span<const TableLinks::Port> ports_;  ///< of each switch to the destination at hand
  std::uint64_t arrivals_ = 0;               ///< pairs of hosts whose route arrives
  std::string fault_;                        ///< of the numbers along a route
};

}  // namespace

CheckedVerdict check_table_verdict(const ForwardingTables& tables, const Verdict& verdict) {
  return TableVerdictCheck(tables, verdict).run();
}

}  // namespace wormcast
