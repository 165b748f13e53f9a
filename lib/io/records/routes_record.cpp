// Codec of routes records: the plan's keys, and in each worm its hops.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "io/records/certificate_members.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/worm_members.hpp"
#include "multicast/check.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

constexpr std::string_view routes_head = "{\"kind\":\"routes\"";

constexpr auto routes_members = join(join(request_members, planner_members_before_worms), worms_members);
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

/// Takes hops as a record numbers them, their parents the usual ones; false for one out of range.
class HopTaker {
 public:
  HopTaker(const Topology& topology, std::vector<RouteHop>& hops)
      : hosts_(topology.hosts()), channels_(topology.channel_bound()), hops_(hops) {
    hops.clear();
  }
  bool operator()(std::int64_t target) {
    if (target < -hosts_ || target >= channels_) return false;
    const bool channel = target >= 0;
    hops_.push_back({static_cast<std::uint32_t>(channel ? target : ~target), last_channel_, 0,
                     channel ? RouteHop::Kind::channel : RouteHop::Kind::deliver, 0});
    branches_ |= !channel & (last_channel_ != index_ - 1);
    last_channel_ = channel ? index_ : last_channel_;
    ++index_;
    return true;
  }
  /// True if two consumption channels follow one channel, or the source. Nothing else branches.
  bool branches() const { return branches_; }

 private:
  std::int64_t hosts_;
  std::int64_t channels_;
  std::vector<RouteHop>& hops_;
  std::int32_t last_channel_ = -1;
  std::int32_t index_ = 0;
  bool branches_ = false;
};

/// Takes the arrays, of which `hops` has been read where it was plain.
void read_hops(const HopArrays& arrays, const Topology& topology, std::vector<RouteHop>& hops) {
  if (arrays.hops) {
    const auto hosts = static_cast<std::int64_t>(topology.hosts());
    const auto channels = static_cast<std::int64_t>(topology.channel_bound());
    hops.clear();
    arrays.hops->each([&](const Value& value) {
      const std::int64_t target = value.signed_integer(-hosts, channels - 1);
      RouteHop& hop = hops.emplace_back();
      hop.kind = target < 0 ? RouteHop::Kind::deliver : RouteHop::Kind::channel;
      hop.target = static_cast<std::uint32_t>(target < 0 ? ~target : target);
    });
    set_default_parents(hops);
    if (hops.empty())
      arrays.hops->fail("a worm without hops; one that is routed on the way leaves the key out");
  }
  if (hops.empty())
    for (const auto* array : {&arrays.parents, &arrays.vcs, &arrays.relays, &arrays.not_before})
      if (*array) (*array)->fail("the worm has no hops");
  if (arrays.parents)
    read_parallel(*arrays.parents, hops.size(), -1, INT32_MAX, [&](std::size_t h, std::int64_t parent) {
      hops[h].parent = static_cast<std::int32_t>(parent);
    });
  if (arrays.vcs)
    read_parallel(*arrays.vcs, hops.size(), 0, 254,
                  [&](std::size_t h, std::int64_t vc) { hops[h].vc = static_cast<std::uint32_t>(vc); });
  if (arrays.relays)
    arrays.relays->each([&](const Value& index) {
      const std::uint64_t h = index.integer(0);
      if (h >= hops.size() || hops[h].kind != RouteHop::Kind::deliver)
        index.fail(fmt::format("{} is not the index of a consumption hop, or is listed twice", h));
      hops[h].kind = RouteHop::Kind::relay;
    });
  if (arrays.not_before)
    read_parallel(
        *arrays.not_before, hops.size(), 0, static_cast<std::int64_t>(max_integer),
        [&](std::size_t h, std::int64_t cycle) { hops[h].not_before_cycle = static_cast<Cycle>(cycle); });
}

/// What the worm of the routes has in common with that of the plan.
void take_over(const Worm& worm, WormRoute& route) {
  route.source = worm.source;
  route.after = worm.after;
  route.replication = worm.replication;
  route.header_flits = worm.header_flits;
}

void read_routed_worm(const Value& value, const Topology& topology, Worm& worm, WormRoute& route) {
  WormReader reader(topology, worm);
  HopArrays arrays;
  bool branches = true;  // as far as is known
  route.hops.clear();
  read_frequent_members<routed_worm_members>(value, [&](auto member, const Value& v) {
    const auto index = static_cast<std::size_t>(member);
    if (index < worm_members.size()) return reader.member(index, v);
    const std::size_t array = index - worm_members.size();
    if (array == 0) {
      HopTaker taker(topology, route.hops);
      if (v.plain_integers([&](std::int64_t target) { return taker(target); })) {
        branches = taker.branches();
        return;
      }
    }
    std::optional<Value>* const slots[] = {&arrays.hops, &arrays.parents, &arrays.vcs, &arrays.relays,
                                           &arrays.not_before};
    *slots[array] = v;
  });
  reader.finish();
  take_over(worm, route);
  read_hops(arrays, topology, route.hops);
  if (branches || arrays.parents) route.settle_replication();
}

void read_routed_worms(const Value& array, const Topology& topology, Routes& routes) {
  std::vector<Worm>& worms = routes.plan.worms;
  std::size_t count = 0;
  array.each([&](const Value& value) {
    if (worms.size() == count) worms.emplace_back();
    if (routes.worms.size() == count) routes.worms.emplace_back();
    read_routed_worm(value, topology, worms[count], routes.worms[count]);
    ++count;
  });
  worms.resize(count);
  routes.worms.resize(count);
}

bool read_usual_routes(const Value& record, const Topology& topology, Routes& routes) {
  AsRead before_worms;
  const auto read_hops = [&](WrittenText& text, std::size_t index) {
    if (routes.worms.size() == index) routes.worms.emplace_back();
    WormRoute& route = routes.worms[index];
    HopTaker taker(topology, route.hops);
    if (!text.stands(",\"hops\":[") ||
        !text.signed_numbers([&](std::int64_t target) { return taker(target); }))
      return false;
    take_over(routes.plan.worms[index], route);
    if (taker.branches()) route.settle_replication();
    return true;
  };
  if (!read_usual_planned(record, routes_head, topology, routes.plan, before_worms, read_hops)) return false;
  routes.worms.resize(routes.plan.worms.size());
  return true;
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
  std::int32_t h = 0;
  std::int32_t last_channel = -1;
  bool default_parents = true;
  bool any_vc = false;
  bool any_not_before = false;
  bool any_relay = false;
  line.key("hops").integers(hops, [&](const RouteHop& hop) {
    default_parents &= hop.parent == last_channel;
    if (hop.is_channel()) last_channel = h;
    any_vc |= hop.vc != 0;
    any_not_before |= hop.not_before_cycle != 0;
    any_relay |= hop.kind == RouteHop::Kind::relay;
    ++h;
    return hop.is_channel() ? std::int64_t{hop.target} : ~std::int64_t{hop.target};
  });
  if (!default_parents)
    line.key("hop_parents").array(hops, [&](const RouteHop& hop) { line.signed_number(hop.parent); });
  if (any_vc) line.key("vcs").array(hops, [&](const RouteHop& hop) { line.number(hop.vc); });
  if (any_relay) {
    std::vector<std::size_t> relays;
    for (std::size_t i = 0; i < hops.size(); ++i)
      if (hops[i].kind == RouteHop::Kind::relay) relays.push_back(i);
    line.key("relay_hops").array(relays, [&](std::size_t i) { line.number(i); });
  }
  if (any_not_before)
    line.key("not_before_cycle").array(hops, [&](const RouteHop& hop) { line.number(hop.not_before_cycle); });
}

}  // namespace

void read_routes_record(const Value& record, RouteCheck& check, Routes& routes) {
  const Topology& topology = check.topology();
  Plan& plan = routes.plan;
  if (!read_usual_routes(record, topology, routes)) {
    reset(plan);
    plan.request.extras = read_frequent_record<routes_members>(record, [&](auto member, const Value& value) {
      const auto own = read_planned_member(static_cast<std::size_t>(member), value, topology, plan);
      if (own == 0U) {
        keep_heading(value, routes_head, topology, plan);
        read_routed_worms(value, topology, routes);
      }
      if (own == 1U) read_front(value, topology, FrontWorms::none, plan.front);
      if (own == 2U) read_certificate(value, topology, plan.certificate);
    });
    set_default_sources(plan.request.source, plan.worms);
    set_default_sources(plan.request.source, routes.worms);
  }
  check_request(plan.request);
  check.check(routes);
  if (routes.routed_on_the_way()) refuse_measures(plan);
}

std::string_view write_routes_record(const Routes& routes, RecordLine& line, AsRead plan) {
  line.begin("routes");
  if (plan.empty()) {
    write_request_members(routes.plan.request, line);
    write_planner_members(routes.plan, line);
    line.key("worms");
  } else {
    line.raw(plan);
  }
  std::size_t w = 0;
  line.array(routes.worms, [&](const WormRoute& worm) {
    line.literal("{");
    if (w < routes.plan.worms.size()) {
      write_worm_members(routes.plan.worms[w++], line);
    } else {
      Worm imported;
      imported.source = worm.source;
      imported.after = worm.after;
      imported.replication = worm.replication;
      imported.header_flits = worm.header_flits;
      write_worm_members(imported, line);
    }
    write_hop_members(worm, line);
    line.literal("}");
  });
  write_measure_members(routes.plan, line);
  if (!routes.plan.front.empty()) write_front(routes.plan.front, FrontWorms::none, line);
  if (!routes.plan.certificate.empty()) write_certificate(routes.plan.certificate, line);
  return line.end(routes.plan.request.extras);
}

}  // namespace wormcast::io
