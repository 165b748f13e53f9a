// Codec of routes records: the plan's keys, and in each worm its hops.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "io/records/certificate_members.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/worm_members.hpp"
#include "multicast/check.hpp"
#include "multicast/header.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<Member, 3> own_routes_members = {{{"worms"}, {"front", false}, {"certificate", false}}};
constexpr auto routes_members = join(join(request_members, planner_members), own_routes_members);
constexpr std::array<Member, 5> hop_members = {{{"hops", false},
                                                {"hop_parents", false},
                                                {"vcs", false},
                                                {"relay_hops", false},
                                                {"not_before_cycle", false}}};
constexpr auto routed_worm_members = join(worm_members, hop_members);

/// The hops of one worm; arrays beside `hops` are applied once all members are known.
struct HopArrays {
  std::optional<Value> hops, parents, vcs, relays, not_before;
};

/// A hop's parent where none is written: the nearest channel hop before it.
void set_default_parents(std::vector<RouteHop>& hops) {
  std::int32_t last_channel = -1;
  for (std::size_t h = 0; h < hops.size(); ++h) {
    hops[h].parent = last_channel;
    if (hops[h].is_channel()) last_channel = static_cast<std::int32_t>(h);
  }
}

std::vector<RouteHop> read_hops(const HopArrays& arrays, const Topology& topology) {
  std::vector<RouteHop> hops;
  if (!arrays.hops) {
    for (const auto* array : {&arrays.parents, &arrays.vcs, &arrays.relays, &arrays.not_before})
      if (*array) (*array)->fail("the worm has no hops");
    return hops;
  }
  const auto hosts = static_cast<std::int64_t>(topology.hosts());
  const auto channels = static_cast<std::int64_t>(topology.channel_bound());
  arrays.hops->each([&](const Value& value) {
    const std::int64_t target = value.signed_integer(-hosts, channels - 1);
    RouteHop hop;
    hop.kind = target < 0 ? RouteHop::Kind::deliver : RouteHop::Kind::channel;
    hop.target = static_cast<std::uint32_t>(target < 0 ? ~target : target);
    hops.push_back(hop);
  });
  if (hops.empty())
    arrays.hops->fail("a worm without hops; one that is routed on the way leaves the key out");
  if (arrays.parents)
    read_parallel(*arrays.parents, hops.size(), -1, INT32_MAX, [&](std::size_t h, std::int64_t parent) {
      hops[h].parent = static_cast<std::int32_t>(parent);
    });
  else
    set_default_parents(hops);
  if (arrays.vcs)
    read_parallel(*arrays.vcs, hops.size(), 0, 254,
                  [&](std::size_t h, std::int64_t vc) { hops[h].vc = static_cast<std::uint32_t>(vc); });
  if (arrays.relays)
    arrays.relays->each([&](const Value& index) {
      const std::uint64_t h = index.integer(0);
      if (h >= hops.size() || hops[h].kind != RouteHop::Kind::deliver)
        index.fail(fmt::format("{} is no index of a consumption hop listed once", h));
      hops[h].kind = RouteHop::Kind::relay;
    });
  if (arrays.not_before)
    read_parallel(
        *arrays.not_before, hops.size(), 0, static_cast<std::int64_t>(max_integer),
        [&](std::size_t h, std::int64_t cycle) { hops[h].not_before_cycle = static_cast<Cycle>(cycle); });
  return hops;
}

void read_routed_worm(const Value& value, const Topology& topology, Routes& routes) {
  WormReader reader(topology, routes.plan.worms.emplace_back());
  HopArrays arrays;
  read_members(value, routed_worm_members, [&](int member, const Value& v) {
    const auto index = static_cast<std::size_t>(member);
    if (index < worm_members.size()) return reader.member(index, v);
    std::optional<Value>* const slots[] = {&arrays.hops, &arrays.parents, &arrays.vcs, &arrays.relays,
                                           &arrays.not_before};
    *slots[index - worm_members.size()] = v;
  });
  reader.finish();
  const Worm& worm = routes.plan.worms.back();
  routes.worms.push_back(
      {worm.source, worm.after, worm.replication, read_hops(arrays, topology), worm.header_flits});
  routes.worms.back().settle_replication();
}

/// What worms that are routed on the way take is not known before they have arrived.
void refuse_measures(const Plan& plan) {
  const auto refuse = [](const std::optional<std::uint64_t>& stated, const char* field) {
    if (stated)
      throw InputError(field, "worms that are routed on the way have no measures before they arrive");
  };
  refuse(plan.traffic_channels, "traffic_channels");
  refuse(plan.longest_path_hops, "longest_path_hops");
  refuse(plan.longest_chain_hops, "longest_chain_hops");
}

void write_hop_members(const WormRoute& worm, RecordLine& line) {
  const std::vector<RouteHop>& hops = worm.hops;
  if (hops.empty()) return;  // routed on the way
  line.key("hops").array(hops, [&](const RouteHop& hop) {
    line.signed_number(hop.is_channel() ? std::int64_t{hop.target} : ~std::int64_t{hop.target});
  });
  std::int32_t last_channel = -1;
  bool default_parents = true;
  bool any_vc = false;
  bool any_not_before = false;
  std::vector<std::size_t> relays;
  for (std::size_t h = 0; h < hops.size(); ++h) {
    default_parents = default_parents && hops[h].parent == last_channel;
    if (hops[h].is_channel()) last_channel = static_cast<std::int32_t>(h);
    any_vc = any_vc || hops[h].vc != 0;
    any_not_before = any_not_before || hops[h].not_before_cycle != 0;
    if (hops[h].kind == RouteHop::Kind::relay) relays.push_back(h);
  }
  if (!default_parents)
    line.key("hop_parents").array(hops, [&](const RouteHop& hop) { line.signed_number(hop.parent); });
  if (any_vc) line.key("vcs").array(hops, [&](const RouteHop& hop) { line.number(hop.vc); });
  if (!relays.empty()) line.key("relay_hops").array(relays, [&](std::size_t h) { line.number(h); });
  if (any_not_before)
    line.key("not_before_cycle").array(hops, [&](const RouteHop& hop) { line.number(hop.not_before_cycle); });
}

}  // namespace

void read_routes_record(const Value& record, const Topology& topology, Routes& routes) {
  routes.plan = Plan{};
  routes.worms.clear();
  Plan& plan = routes.plan;
  plan.request.extras = read_record(record, routes_members, [&](int member, const Value& value) {
    const auto own = read_planned_member(static_cast<std::size_t>(member), value, topology, plan);
    if (own == 0U) value.each([&](const Value& worm) { read_routed_worm(worm, topology, routes); });
    if (own == 1U) read_front(value, topology, FrontWorms::none, plan.front);
    if (own == 2U) read_certificate(value, topology, plan.certificate);
  });
  check_request(plan.request);
  set_default_sources(plan.request.source, plan.worms);
  set_default_sources(plan.request.source, routes.worms);
  check_routes(routes, topology);
  if (routes.routed_on_the_way()) refuse_measures(plan);
  const bool planned = !plan.worms.empty() && !plan.worms.front().stops.empty();
  if (!planned) return;
  check_plan(plan, topology);
  HeaderSizes(topology).check(plan);
}

std::string_view write_routes_record(const Routes& routes, RecordLine& line) {
  line.begin("routes");
  write_request_members(routes.plan.request, line);
  write_planner_members(routes.plan, line);
  std::size_t w = 0;
  line.key("worms").array(routes.worms, [&](const WormRoute& worm) {
    line.raw("{");
    Worm imported;
    imported.source = worm.source;
    imported.after = worm.after;
    imported.replication = worm.replication;
    imported.header_flits = worm.header_flits;
    write_worm_members(w < routes.plan.worms.size() ? routes.plan.worms[w] : imported, line);
    write_hop_members(worm, line);
    line.raw("}");
    ++w;
  });
  write_measure_members(routes.plan, line);
  if (!routes.plan.front.empty()) write_front(routes.plan.front, FrontWorms::none, line);
  if (!routes.plan.certificate.empty()) write_certificate(routes.plan.certificate, line);
  return line.end(routes.plan.request.extras);
}

}  // namespace wormcast::io
