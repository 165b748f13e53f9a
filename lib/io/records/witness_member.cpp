// Witnesses of deadlocks as members of records.
// SPDX-License-Identifier: MIT
#include "io/records/witness_member.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "io/text/members.hpp"
#include "multicast/check.hpp"
#include "topology/error.hpp"

namespace wormcast::io {

namespace {

constexpr std::array<Member, 14> witness_members = {{{"multicast"},
                                                     {"worm"},
                                                     {"start_cycle"},
                                                     {"length_flits"},
                                                     {"holds"},
                                                     {"waits"},
                                                     {"source", false},
                                                     {"destinations", false},
                                                     {"unicast", false},
                                                     {"reply_to", false},
                                                     {"hops", false},
                                                     {"vcs", false},
                                                     {"classes", false},
                                                     {"answers", false}}};

/// Hops up to the one that the worm waits for: channels, and −1 − host for what is consumed on the way.
void write_way(const WitnessWorm& worm, RecordLine& line) {
  const std::vector<RouteHop> way(worm.route.hops.begin(), worm.route.hops.begin() + worm.waits.front() + 1);
  line.key("hops").array(way, [&](const RouteHop& hop) {
    line.signed_number(hop.is_channel() ? std::int64_t{hop.target} : -1 - std::int64_t{hop.target});
  });
  if (std::any_of(way.begin(), way.end(), [](const RouteHop& hop) { return hop.vc != 0; }))
    line.key("vcs").array(way, [&](const RouteHop& hop) { line.number(hop.vc); });
}

void read_way(const std::optional<Value>& hops, const std::optional<Value>& vcs, const Topology& topology,
              const Value& object, WitnessWorm& worm) {
  if (!hops && vcs) object.fail("vcs are those of hops");
  if (!hops) return;
  worm.says_hops = true;
  std::int32_t last = -1;
  hops->each([&](const Value& value) {
    const std::int64_t number =
        value.signed_integer(-std::int64_t{topology.hosts()}, topology.channel_bound() - 1);
    RouteHop hop;
    hop.parent = last;
    hop.kind = number < 0 ? RouteHop::Kind::deliver : RouteHop::Kind::channel;
    hop.target = static_cast<std::uint32_t>(number < 0 ? -1 - number : number);
    if (hop.is_channel() && !topology.ends(ChannelId{hop.target})) value.fail("there is no such channel");
    if (hop.is_channel()) last = static_cast<std::int32_t>(worm.route.hops.size());
    worm.route.hops.push_back(hop);
  });
  std::size_t at = 0;
  if (vcs)
    vcs->each([&](const Value& value) {
      const auto vc = static_cast<std::uint32_t>(value.integer(0, topology.virtual_channel_bound() - 1));
      if (at < worm.route.hops.size()) worm.route.hops[at].vc = vc;
      ++at;
    });
  if (vcs && at != worm.route.hops.size()) vcs->fail("they are as many as hops");
}

}  // namespace

void write_witness_member(const std::vector<WitnessWorm>& witness, RecordLine& line) {
  line.key("witness").array(witness, [&](const WitnessWorm& worm) {
    line.raw("{");
    line.key("multicast").number(worm.name.multicast);
    line.key("worm").number(worm.name.worm);
    line.key("start_cycle").number(worm.start_cycle);
    line.key("length_flits").number(worm.length_flits);
    line.key("holds").array(worm.holds, [&](std::int32_t hop) { line.signed_number(hop); });
    line.key("waits").array(worm.waits, [&](std::int32_t hop) { line.signed_number(hop); });
    if (worm.answers) line.key("answers").number(*worm.answers);
    if (worm.planned) {
      line.key("source").number(worm.planned->source.value);
      line.key("destinations").array(worm.planned->destinations, [&](HostId host) {
        line.number(host.value);
      });
      if (worm.planned->unicast) line.key("unicast").boolean(true);
      if (worm.planned->reply_to) line.key("reply_to").number(worm.planned->reply_to->value);
    }
    if (worm.says_hops) write_way(worm, line);
    if (worm.planned && !worm.planned->classes.empty())
      line.key("classes").array(worm.planned->classes, [&](std::uint32_t drawn) { line.number(drawn); });
    line.raw("}");
  });
}

WitnessWorm read_witness_worm(const Value& object, const Topology& topology) {
  WitnessWorm worm;
  PlannedMulticast planned;
  bool source = false, destinations = false;
  std::optional<Value> hops, vcs;
  const std::uint64_t last = topology.hosts() - 1;
  const auto read_hops = [](const Value& array, std::int64_t least, std::vector<std::int32_t>& list) {
    array.each([&](const Value& hop) {
      list.push_back(static_cast<std::int32_t>(hop.signed_integer(least, INT32_MAX)));
    });
  };
  read_members<witness_members>(object, [&](int index, const Value& value) {
    switch (index) {
      case 0:
        worm.name.multicast = value.integer(0);
        break;
      case 1:
        worm.name.worm = static_cast<std::uint32_t>(value.integer(0, UINT32_MAX));
        break;
      case 2:
        worm.start_cycle = value.integer(0);
        break;
      case 3:
        worm.length_flits = value.integer(1);
        break;
      case 4:
        read_hops(value, -2, worm.holds);
        break;
      case 5:
        read_hops(value, -1, worm.waits);
        break;
      case 6:
        planned.source = HostId{static_cast<std::uint32_t>(value.integer(0, last))};
        source = true;
        break;
      case 7:
        value.each([&](const Value& host) {
          planned.destinations.push_back(HostId{static_cast<std::uint32_t>(host.integer(0, last))});
        });
        destinations = true;
        break;
      case 8:
        planned.unicast = value.boolean();
        break;
      case 9:
        planned.reply_to = HostId{static_cast<std::uint32_t>(value.integer(0, last))};
        break;
      case 10:
        hops = value;
        break;
      case 11:
        vcs = value;
        break;
      case 12:
        value.each([&](const Value& drawn) {
          planned.classes.push_back(static_cast<std::uint32_t>(drawn.integer(0, UINT32_MAX)));
        });
        break;
      case 13:
        worm.answers = value.integer(0);
        break;
      default:
        break;
    }
  });
  read_way(hops, vcs, topology, object, worm);
  if (source != destinations) object.fail("names a source or destinations, not both");
  if (!source && !planned.classes.empty()) object.fail("names classes of no multicast");
  worm.route.source = planned.source;
  if (source) {
    Request request;
    request.source = planned.source;
    request.destinations = planned.destinations;
    try {
      check_request(request);
    } catch (const InputError& error) {
      object.fail(error.field + ": " + error.what());
    }
    worm.planned = std::move(planned);
  }
  return worm;
}

}  // namespace wormcast::io
