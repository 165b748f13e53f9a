// Worms come from the stream, retire, and are counted; nodes that answer, and parts of reductions.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "multicast/check.hpp"
#include "simulation/engines/engine_core.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

RouteNeeds EngineCore::prepare(Routes& routes) {
  const RouteNeeds needs = check_simulable(pool_.resources(), routes);
  const Discipline& discipline = model().discipline();
  if (!discipline.routers_copy()) check_links_once(*topology_, model(), routes);
  for (std::size_t w = 0; discipline.slots_differ() && w < routes.worms.size(); ++w)
    check_slots(*topology_, model(), routes.worms[w],
                routes.worms[w].flits(routes.plan.request.length_flits, model().header_flits), w);
  const bool reduces = routes.plan.request.reduces();
  if (const char* const why = reduces ? join_lack(model()) : nullptr)
    refuse("start_cycles", "a reduction: {}", why);
  if (may_hand_over_ && (reduces || uses_second_vc(routes))) hand_over(routes.plan.request.start_cycle);
  return needs;
}

std::uint32_t EngineCore::add_worm(const Routes& routes, std::uint32_t index, const MulticastState& state) {
  const std::uint32_t slot = pool_.add(state.delivery.plan.request, routes.worms, index, state.slot);
  motion_->worm_added(slot);
  return slot;
}

void EngineCore::follow(std::uint32_t before, std::uint32_t worm) {
  pool_.worm(worm).next_follower = std::exchange(pool_.worm(before).followers, worm);
}

void EngineCore::start(std::uint32_t slot, Cycle cycle) { request_later(pool_.worm(slot).first, cycle); }

void EngineCore::added(const Request& request, const std::vector<WormRoute>& worms) {
  if (request.reduces()) take_reduction(request, worms);
  if (answers_) take_answer(request, worms);
}

void EngineCore::end_stream() {
  find_standstill();
  if (answers_ && !stopped_) answers_->refuse_unanswered();
}

/// Worms that have released all before `end` make room for others. Nothing follows from it: it is no event.
void EngineCore::retire_before(Cycle end) {
  Summary& totals = ledger_.totals();
  while (!retiring_.empty() && retiring_.first().cycle < end) {
    const auto [cycle, slot] = retiring_.first();
    retiring_.pop();
    const WormState& worm = pool_.worm(slot);
    totals.last_cycle = std::max(totals.last_cycle, cycle);
    totals.flit_hops += worm.flits * worm.channels;
    ++totals.finished_worms;
    if (options_.channel_loads) load(worm);
    --unfinished_worms_;
    for (std::uint32_t at = worm.first; answers_ && at < worm.first + worm.hops; ++at)
      grants_.handovers().erase(at);
    pool_.remove(slot);
  }
}

/// What the worm has carried over channels: it has released everything, or the run has ended. In a closed
/// run channels count that it has passed entirely.
void EngineCore::load(const WormState& worm) {
  for (std::uint32_t at = worm.first + 1; at < worm.first + worm.hops; ++at) {
    const Hop& hop = pool_.hop(at);
    if (!hop.is_network() || hop.state != HopState::held) continue;
    if (options_.window || hop.until < end_)
      count_load({hop.target, hop.vc, {worm.id, worm.index}}, hop.since, hop.until, &ChannelLoad::held_cycles,
                 options_.window ? motion_->crossed_in_window(at, end_) : worm.flits);
  }
}

void EngineCore::settle_rest() {
  Summary& totals = ledger_.totals();
  const auto for_each = [&](auto visit) {
    for (std::uint32_t slot = 0; slot < pool_.worm_slots(); ++slot)
      if (pool_.worm(slot).under_way) visit(pool_.worm(slot));  // else its slots are free or another's
  };
  for_each([&](const WormState& worm) {
    if (options_.channel_loads) load(worm);
    for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at)
      if (pool_.hop(at).until < end_) totals.last_cycle = std::max(totals.last_cycle, pool_.hop(at).until);
  });
  if (options_.observer == nullptr) return;
  const Cycle end = stopped_ ? end_ : totals.last_cycle + 1;
  for_each([&](const WormState& worm) {
    for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at) {
      const Hop& hop = pool_.hop(at);
      if (hop.state == HopState::held && hop.since < end && hop.until >= end)
        options_.observer->still_held({worm.id, worm.index}, hop.resource, hop.since, end);
    }
  });
}

// Nodes that are busy until they have answered (--consumption-release). The consumption channel that
// took a multicast is not released when it would be by itself, but goes over to the node's answer,
// which releases it as it does an injection channel: when its tail leaves the source. What waits for the
// channel waits for the answer (GrantTable::keeper). Engines that work out when tails come report both ahead
// of time, and so all of this is known ahead, too. Cost: O(log) a destination that answers.

/// Notes what the multicast, whose worms have just been taken (slots_), awaits, or what it answers.
void EngineCore::take_answer(const Request& request, const std::vector<WormRoute>& worms) {
  const std::optional<Answered> answered = answers_->add(request, worms);
  if (is_answered(request))
    for (const HostId host : request.destinations)
      if (host != request.source) awaited_[{request.id, host.value}] = {};
  if (!answered) return;
  const std::pair key(answered->multicast, request.source.value);
  const std::uint32_t first = pool_.worm(slots_[answered->starter]).first;
  Awaited& awaited = awaited_.at(key);
  awaited.answer = first;
  answering_.emplace(first, key);
  if (awaited.port != kNone) grants_.handovers()[awaited.port] = {first, awaited.cycle};
}

/// True if the worm's consumption channel, which it would release at `cycle`, waits for an answer.
bool EngineCore::awaits_answer(const WormState& worm, std::uint32_t slot, Cycle cycle) {
  const auto found = awaited_.find({worm.id, pool_.hop(slot).target});
  if (found == awaited_.end() || found->second.port != kNone) return false;
  Awaited& awaited = found->second;
  awaited.port = slot;
  awaited.cycle = cycle;
  if (awaited.answer != kNone) grants_.handovers()[slot] = {awaited.answer, cycle};
  return true;
}

/// The worm's tail leaves its source at `cycle`: an answer then releases what it answers.
void EngineCore::answer_leaves(const WormState& worm, Cycle cycle) {
  const auto found = answering_.find(worm.first);
  if (found == answering_.end()) return;
  const auto awaited = awaited_.find(found->second);
  const auto [port, own, answer] = awaited->second;
  answering_.erase(found);
  const Cycle free = std::max(own, cycle);
  grants_.handovers()[port].until = free;
  release_due(port, free);  // while it is still awaited
  awaited_.erase(awaited);
}

// Reductions in the engine that all motions share: a join by request, as ideal routers do it. The parts of a
// reduction are one worm that runs the tree of its plan backwards. Where parts meet, the header goes on when
// all of them have come; what follows is requested, granted and held as by any worm, and a flit crosses when
// it stands at the ends of all hops before. So nothing is told apart by what a header says, and nothing comes
// between. A worm after another brings parts to a node that combines and sends them on. Cost: as of the tree.

/// Its worms have just been taken (slots_).
void EngineCore::take_reduction(const Request& request, const std::vector<WormRoute>& worms) {
  search_for_ = SearchFor::standstill;
  const std::uint32_t multicast = pool_.worm(slots_.front()).multicast;
  std::vector<std::uint32_t>& injections = parts_of_[multicast];
  for (const std::uint32_t slot : slots_) {
    const WormState& worm = pool_.worm(slot);
    for (std::uint32_t at = worm.first; at < worm.first + worm.hops; ++at)
      if (pool_.hop(at).kind == HopKind::injection) {
        injections.push_back(at);
        parts_[at] = {};
      }
  }
  for (std::size_t w = 0; w < worms.size(); ++w) {
    if (worms[w].after < 0) continue;
    const WormState& onward = pool_.worm(slots_[static_cast<std::size_t>(worms[w].after)]);
    for (std::uint32_t at = onward.first; at < onward.first + onward.hops; ++at) {
      const Hop& hop = pool_.hop(at);
      if (hop.kind != HopKind::injection || HostId{hop.target} != worms[w].source) continue;
      ++parts_[at].open;
      parts_[at].combines = true;
      combined_by_[slots_[w]] = at;
    }
  }
  // A node that only combines has no part of its own.
  std::erase_if(injections, [&](std::uint32_t at) {
    const bool own = std::binary_search(request.destinations.begin(), request.destinations.end(),
                                        HostId{pool_.hop(at).target});
    if (!own) part_ready(at, 0);
    return !own;
  });
  start_parts(multicast);
}

/// Those that wait for no other multicast are ready when they say.
void EngineCore::start_parts(std::uint32_t multicast) {
  const MulticastState& state = ledger_.at(multicast);
  const auto injections = parts_of_.find(multicast);
  if (injections == parts_of_.end()) return;
  std::erase_if(injections->second, [&](std::uint32_t at) {
    const HostId source{pool_.hop(at).target};
    const PartState& part = state.parts[place_of(source, state.delivery.plan.request.destinations)];
    if (part.open > 0) return false;
    part_ready(at, part.ready);
    return true;
  });
  if (injections->second.empty()) parts_of_.erase(injections);
}

/// Something that the part waited for is at its node: its own message, or what others bring.
void EngineCore::part_ready(std::uint32_t injection, Cycle cycle) {
  Part& part = parts_.at(injection);
  part.ready = std::max(part.ready, cycle);
  if (--part.open > 0) return;
  const Cycle ready = part.ready;
  if (!part.combines) parts_.erase(injection);
  request_later(injection, std::max(ready, now_));
}

/// The header of a part, or of joined ones, has come to the end of the hop.
void EngineCore::part_at(const Hop& from, const WormState& worm) {
  Hop& next = pool_.hop(from.parent);
  if (next.kind == HopKind::deliver) ledger_.part_came(worm.multicast, now_);
  if (--next.ungranted == 0) request_later(from.parent, now_);
}

/// What the worm brings to a node that sends it on is there.
void EngineCore::combined(std::uint32_t worm, Cycle cycle) {
  const auto onward = combined_by_.find(worm);
  if (onward == combined_by_.end()) return;
  part_ready(onward->second, cycle);
  combined_by_.erase(onward);
}

Cycle EngineCore::startup_of_part(std::uint32_t injection) const {
  const auto part = parts_.find(injection);
  const bool combines = part != parts_.end() && part->second.combines;
  return (combines ? model().relay_startup_cycles : model().startup_cycles) + model().overhead_cycles;
}

}  // namespace wormcast
