// Codec of routes records: the plan's keys, and in each worm its hops.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "io/records/multicast_record.hpp"
#include "multicast/check.hpp"
#include "routing/routing_function.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

using Hops = std::vector<RouteHop>;

/// Channels, and −1 − host for a consumption channel.
struct HopTargets {
  static void read(const Value& array, Hops& hops, const Scope& scope) {
    HopTaker taker(*scope.network, hops);
    array.each([&](const Value& value) { taker.take(value.signed_integer(taker.least(), taker.most())); });
    if (hops.empty()) array.fail("a worm without hops; one that is routed on the way leaves the key out");
  }
  [[gnu::always_inline]] static bool read_written(WrittenText& text, Hops& hops, const Scope& scope) {
    HopTaker taker(*scope.network, hops);
    return text.signed_numbers([&](std::int64_t target) {
      if (!taker.in_range(target)) return false;
      taker.take(target);
      return true;
    });
  }
  static void write(const Hops& hops, RecordLine& line, const Scope&) { write_hops(hops, line); }
  static std::string form() { return array_form(hop_form(), {.least = 1}); }
};

/// An array beside `hops`, which a worm that is routed on the way has none of.
template <class Shape>
struct OfHops : Shape {
  static void read(const Value& array, Hops& hops, const Scope& scope) {
    if (hops.empty()) array.fail("the worm has no hops");
    Shape::read(array, hops, scope);
  }
  static void clear(Hops&) {}
};

struct RelayHops : Indices<&WormRoute::hops, &RouteHop::kind, RouteHop::Kind::relay> {
  static void read(const Value& array, Hops& hops, const Scope&) {
    array.each([&](const Value& index) {
      const std::uint64_t h = index.integer(0);
      if (h >= hops.size() || hops[h].kind != RouteHop::Kind::deliver)
        index.fail(fmt::format("{} is not the index of a consumption hop, or is listed twice", h));
      hops[h].kind = RouteHop::Kind::relay;
    });
  }
};

bool other_parents(const WormRoute& worm) {
  std::int32_t last_channel = -1;
  for (std::int32_t h = 0; const RouteHop& hop : worm.hops) {
    if (hop.parent != last_channel) return true;
    if (hop.is_channel()) last_channel = h;
    ++h;
  }
  return false;
}
template <auto member>
bool any_hop(const WormRoute& worm) {
  return std::any_of(worm.hops.begin(), worm.hops.end(),
                     [](const RouteHop& hop) { return hop.*member != 0; });
}

/// Has a member beside `hops`; most have none.
bool is_unusual(const WormRoute& worm) {
  std::uint64_t unusual = 0;  // any bit: without a branch for each member
  std::int32_t last_channel = -1;
  for (std::int32_t h = 0; const RouteHop& hop : worm.hops) {
    unusual |= static_cast<std::uint32_t>(hop.parent ^ last_channel) | hop.vc | hop.not_before_cycle |
               (hop.kind == RouteHop::Kind::relay ? 1 : 0);
    last_channel = hop.is_channel() ? h : last_channel;
    ++h;
  }
  return unusual != 0;
}

constexpr auto hop_rows =
    table(where_stated<&WormRoute::hops, HopTargets>(
              "hops",
              "h ≥ 0: channel h; h < 0: consumption channel of node −1−h (`~h`); omitted: routed on the way"),
          always<&WormRoute::hops, OfHops<Beside<&RouteHop::parent, -1, INT32_MAX>>>(
              "hop_parents",
              "index of the channel hop before each, −1 for the source; parents first; omitted: the nearest "
              "channel hop before it in the array, −1 for the first")
              .only_if(other_parents)
              .after_others(),
          always<&WormRoute::hops, OfHops<Beside<&RouteHop::vc, 0, 254>>>(
              "vcs", "virtual channel of each hop, 0 for consumption; omitted: all 0")
              .only_if(any_hop<&RouteHop::vc>)
              .after_others(),
          always<&WormRoute::hops, OfHops<RelayHops>>(
              "relay_hops", "consumption hops of relays; all others are destinations")
              .only_if(RelayHops::any<WormRoute>)
              .after_others(),
          always<&WormRoute::hops, OfHops<Beside<&RouteHop::not_before_cycle, 0, max_integer>>>(
              "not_before_cycle", "earliest request of each hop (witnesses); omitted: all 0")
              .only_if(any_hop<&RouteHop::not_before_cycle>)
              .after_others());

/// A worm of the plan and its hops: one object of the record.
struct RoutedWorm {
  Worm* worm;
  WormRoute* route;
};
constexpr auto routed_worm_rows =
    table(rows_of<Part<&RoutedWorm::worm>, worm_rows>(), rows_of<Part<&RoutedWorm::route>, hop_rows>());

struct RoutedWorms {
  static void read(const Value& array, Routes& routes, const Scope& scope) {
    std::size_t count = 0;
    array.each([&](const Value& value) {
      RoutedWorm worm = at(routes, count++);
      read_object<routed_worm_rows>(value, worm, scope);
      settle(worm);
    });
    end(routes, count);
  }
  static bool read_written(WrittenText& text, Routes& routes, const Scope& scope) {
    if (!text.stands('[')) return false;
    std::size_t count = 0;
    do {
      RoutedWorm worm = at(routes, count++);
      if (!Object<routed_worm_rows>::read_written(text, worm, scope)) return false;
      settle(worm);
    } while (text.stands(','));
    end(routes, count);
    return text.stands(']');
  }
  static void write(const Routes& routes, RecordLine& line, const Scope& scope) {
    std::size_t w = 0;
    line.array(routes.worms, [&](const WormRoute& route) {
      line.raw("{");
      if (w < routes.plan.worms.size()) {
        write_members<worm_rows>(routes.plan.worms[w++], line, scope);
      } else {  // imported
        Worm worm;
        worm.source = route.source;
        worm.after = route.after;
        worm.replication = route.replication;
        worm.header_flits = route.header_flits;
        write_members<worm_rows>(worm, line, scope);
      }
      write_members<hop_rows, 0, 1>(route, line, scope);
      if (is_unusual(route)) write_members<hop_rows, 1>(route, line, scope);
      line.raw("}");
    });
  }
  static std::string form() { return array_form(Object<routed_worm_rows>::form(), {.least = 1}); }

 private:
  /// Worm `index`, whose buffers are used again.
  static RoutedWorm at(Routes& routes, std::size_t index) {
    if (routes.plan.worms.size() == index) routes.plan.worms.emplace_back();
    if (routes.worms.size() == index) routes.worms.emplace_back();
    return {&routes.plan.worms[index], &routes.worms[index]};
  }
  static void end(Routes& routes, std::size_t count) {
    routes.plan.worms.resize(count);
    routes.worms.resize(count);
  }
  /// What the worm of the routes has in common with that of the plan.
  static void settle(const RoutedWorm& worm) {
    worm.route->source = worm.worm->source;
    worm.route->after = worm.worm->after;
    worm.route->replication = worm.worm->replication;
    worm.route->header_flits = worm.worm->header_flits;
    worm.route->settle_replication();
  }
};

using PlanOfRoutes = Part<&Routes::plan>;
constexpr auto proof_rows =
    table(where_stated<&Plan::front, Front<FrontWorms::none>>("front", front_meaning),
          where_stated<&Plan::certificate, Certificate>("certificate", certificate_meaning));

constexpr auto routes_rows =
    table(rows_of<Part<&Routes::plan, &Plan::request>, request_rows>(), rows_of<PlanOfRoutes, planner_rows>(),
          row<Self<Routes>, RoutedWorms>("worms", "of the plan, with hops"),
          rows_of<PlanOfRoutes, measure_rows>(), rows_of<PlanOfRoutes, proof_rows>());
constexpr std::size_t rows_before_worms = request_rows.size() + planner_rows.size();

/// What worms that are routed on the way take is not known before they have arrived.
void refuse_measures(const Plan& plan) {
  refuse_stated({{"traffic_channels", plan.traffic_channels.has_value()},
                 {"longest_path_hops", plan.longest_path_hops.has_value()},
                 {"longest_chain_hops", plan.longest_chain_hops.has_value()}},
                "worms that are routed on the way have no measures before they arrive");
}

}  // namespace

void read_routes_record(const Value& record, RouteCheck& check, Routes& routes) {
  Plan& plan = routes.plan;
  read_record<routes_rows>(record, "{\"kind\":\"routes\"", routes, plan.request.extras, {&check.topology()});
  set_default_sources(plan.request.source, plan.worms);
  set_default_sources(plan.request.source, routes.worms);
  check_request(plan.request);
  check.check(routes);
  if (routes.routed_on_the_way()) refuse_measures(plan);
}

std::string_view write_routes_record(const Routes& routes, RecordLine& line, VerbatimMembers plan) {
  line.begin("routes");
  if (plan.empty()) {
    write_members<routes_rows>(routes, line);
  } else {
    RoutedWorms::write(routes, line.raw(plan), {});
    write_members<routes_rows, rows_before_worms + 1>(routes, line);
  }
  return line.end(routes.plan.request.extras);
}

RecordForm routes_form() {
  std::string names;
  for (const RoutingEntry* function : routing_functions())
    if (function->adaptive) names += fmt::format("{}\"{}\"", names.empty() ? "" : ",", function->name);
  // Every worm has its hops; or the routers choose them, and what follows from the hops is left out.
  const std::string rules = fmt::format(
      R"("anyOf":[{{"properties":{{"worms":{{"items":{{"required":["hops"]}}}}}}}},)"
      R"({{"description":"routed on the way","properties":{{"routing":{{"enum":[{}]}},)"
      R"("worms":{{"items":{{"properties":{{"hops":false,"hop_parents":false,"vcs":false,)"
      R"("relay_hops":false,"not_before_cycle":false}},"required":["stops"]}}}},"traffic_channels":false,)"
      R"("longest_path_hops":false,"longest_chain_hops":false}},"required":["routing"]}}])",
      names);
  return {"routes", "The exact channels of each worm of a multicast", row_forms<routes_rows>(), rules};
}

}  // namespace wormcast::io
