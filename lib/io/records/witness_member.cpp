// Witnesses of deadlocks as members of records.
// SPDX-License-Identifier: MIT
#include "io/records/verdict_record.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "io/records/worm_members.hpp"
#include "multicast/check.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

using Way = std::optional<std::vector<RouteHop>>;

/// A worm with what its record says of its multicast and of its way.
struct WitnessRecord {
  WitnessWorm worm;
  std::optional<HostId> source;
  std::optional<std::vector<HostId>> destinations;
  PlannedMulticast planned;  ///< the rest of it
  Way hops;                  ///< up to the one that the worm waits for
};

/// Channels, and −1 − host for what is consumed on the way.
struct WayHops {
  static void read(const Value& array, Way& to, const Scope& scope) {
    HopTaker taker(*scope.network, to.emplace());
    array.each([&](const Value& value) {
      taker.take(value.signed_integer(taker.least(), taker.most()));
      const RouteHop& hop = to->back();
      if (hop.is_channel() && !scope.network->ends(ChannelId{hop.target}))
        value.fail("there is no such channel");
    });
  }
  static void write(const Way& hops, RecordLine& line, const Scope&) { write_hops(*hops, line); }
  static std::string form() { return array_form(hop_form()); }
};
struct WayVcs : Optional<Beside<&RouteHop::vc, 0, 254>> {
  static void read(const Value& array, Way& hops, const Scope& scope) {
    if (!hops) array.fail("vcs are those of hops");
    Beside<&RouteHop::vc, 0, 254>::read(array, *hops, scope);
  }
  static void clear(Way&) {}
};

constexpr auto witness_name_rows =
    table(always<&WormRef::multicast, Number<>>("multicast",
                                                "id in the stream; all multicasts: number in the witness"),
          always<&WormRef::worm, Number32>("worm", "index in its plan"));
constexpr auto witness_worm_rows =
    table(rows_of<Part<&WitnessWorm::name>, witness_name_rows>(),
          always<&WitnessWorm::start_cycle, Number<>>("start_cycle", "when it starts"),
          where_stated<&WitnessWorm::start_cycles, List<Number<>>>("start_cycles",
                                                                   "of a reduction: of its parts, by source"),
          always<&WitnessWorm::length_flits, Number<1>>("length_flits", "enough to be blocked as said"),
          always<&WitnessWorm::holds, List<Signed<-2, INT32_MAX>>>(
              "holds",
              "indices in `hops` held for good. −1: at its source; of an answer −2: the consumption channel "
              "of what it answers"),
          always<&WitnessWorm::waits, List<Signed<-1, INT32_MAX>>>(
              "waits", "indices in `hops` never granted; −1: an answer that cannot leave its source"),
          where_stated<&WitnessWorm::answers, Number<>>(
              "answers", "the multicast that it answers (`consumption_release`)"));
constexpr auto planned_multicast_rows = table(
    where_stated<&PlannedMulticast::unicast, Flag>("unicast", "`true`: one of the unicasts beside them"),
    where_stated<&PlannedMulticast::reply_to, Optional<Host>>(
        "reply_to",
        "the worm is a request that its last destination does not take, and the reply from there to this "
        "node"));
constexpr auto class_rows = table(where_stated<&PlannedMulticast::classes, List<Number32>>(
    "classes", "of the multicast's worms, where drawn"));
constexpr auto witness_rows =
    table(rows_of<Part<&WitnessRecord::worm>, witness_worm_rows>(),
          where_stated<&WitnessRecord::source, Optional<Host>>(
              "source", "all multicasts: of its multicast, which can be planned again"),
          where_stated<&WitnessRecord::destinations, Optional<List<Host>>>(
              "destinations", "all multicasts: of its multicast"),
          rows_of<Part<&WitnessRecord::planned>, planned_multicast_rows>(),
          where_stated<&WitnessRecord::hops, WayHops>(
              "hops", "where routers chose: channels, and −1 − node for deliveries, to the one waited for"),
          always<&WitnessRecord::hops, WayVcs>("vcs", "virtual channels of `hops`; omitted: all 0")
              .only_if([](const WitnessRecord& record) {
                const auto other = [](const RouteHop& hop) { return hop.vc != 0; };
                return record.hops && std::any_of(record.hops->begin(), record.hops->end(), other);
              })
              .after_others(),
          rows_of<Part<&WitnessRecord::planned>, class_rows>());

constexpr char witness_rules[] = R"("dependentRequired":{"vcs":["hops"]})";

WitnessRecord record_of_worm(const WitnessWorm& worm) {
  WitnessRecord record{worm, {}, {}, {}, {}};
  if (worm.planned) {
    record.source = worm.planned->source;
    record.destinations = worm.planned->destinations;
    record.planned = *worm.planned;
  }
  if (worm.says_hops) {
    const auto first = worm.route.hops.begin();
    record.hops.emplace(first, first + worm.waits.front() + 1);
  }
  return record;
}

WitnessWorm as_worm(WitnessRecord record, const Value& object) {
  if (record.source.has_value() != record.destinations.has_value())
    object.fail("names a source or destinations, not both");
  if (!record.source && !record.planned.classes.empty()) object.fail("names classes of no multicast");
  WitnessWorm worm = std::move(record.worm);
  if (record.hops) {
    worm.says_hops = true;
    worm.route.hops = std::move(*record.hops);
  }
  if (!record.source) return worm;
  worm.route.source = *record.source;
  Request request;
  request.source = *record.source;
  request.destinations = *record.destinations;
  try {
    check_request(request);
  } catch (const InputError& error) {
    object.fail(error.field + ": " + error.what());
  }
  record.planned.source = *record.source;
  record.planned.destinations = std::move(*record.destinations);
  worm.planned = std::move(record.planned);
  return worm;
}

}  // namespace

void Witness::read(const Value& array, std::vector<WitnessWorm>& witness, const Scope& scope) {
  array.each([&](const Value& value) {
    WitnessRecord record;
    read_object<witness_rows>(value, record, scope);
    witness.push_back(as_worm(std::move(record), value));
  });
}
void Witness::write(const std::vector<WitnessWorm>& witness, RecordLine& line, const Scope& scope) {
  line.array(witness, [&](const WitnessWorm& worm) {
    Object<witness_rows>::write(record_of_worm(worm), line, scope);
  });
}
std::string Witness::form() { return List<Object<witness_rows, witness_rules>>::form(); }

}  // namespace wormcast::io
