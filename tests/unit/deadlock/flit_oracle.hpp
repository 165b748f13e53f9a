// Everything a few worms can do, flit by flit, with no reductions: a worm starts, one output is granted, one
// flit crosses one hop, each at any moment and in any order. Written from the rules alone (FORMAT-reference:
// router parameters, replication, vc_reuse); shares nothing with checker, search, exploration or engines.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "multicast/routes.hpp"
#include "router/router_model.hpp"

namespace wormcast::hand_made {

/// What a worm answers: the worm and its consumption hop at the answer's source. An answer starts when that
/// worm's tail has been consumed there, and until its own tail has left its source no other gets the hop's
/// consumption channel.
struct AskedAt {
  std::size_t worm = 0;
  std::size_t hop = 0;
};

/// Where rings are entered by bubbles, ports are as many as on the tori at hand, all of whose dimensions are
/// rings.
/// Under atomic allocation a request stands in a queue from the moment it is made: the first for a hop's
/// resource gets it first, also where a lock-step node waits for another output. Not for hosts with links,
/// relays.
class FlitOracle {
 public:
  FlitOracle(const RouterModel& model, const std::vector<WormRoute>& routes, std::uint64_t flits,
             std::vector<std::optional<AskedAt>> asked = {})
      : model_(model), asked_(std::move(asked)) {
    for (const WormRoute& route : routes) add(route, flits);
  }
  /// Multicasts of one worm each.
  FlitOracle(const RouterModel& model, const std::vector<Routes>& multicasts, std::uint32_t ports = 0)
      : model_(model), ports_(ports) {
    for (const Routes& routes : multicasts)
      add(routes.worms.front(), routes.plan.request.length_flits + model.header_flits);
  }

  /// Whether a state can be reached in which nothing can happen although a tail has not arrived; nothing if
  /// there are more states than `limit`. Two-step: in which nothing need happen, as a flit enters a register
  /// before a full buffer in time or not at all. (Arbiters that are locked are not looked at.)
  std::optional<bool> deadlocks(std::size_t limit) {
    std::unordered_set<State, HashOfBytes> seen{State{}};
    std::vector<const State*> open{&*seen.begin()};
    while (!open.empty()) {
      const State& state = *open.back();
      open.pop_back();
      if (seen.size() > limit) return std::nullopt;
      std::vector<State> next = events(state, 0);
      if (next.empty() && !delivered(state)) return true;
      if (model_.allocation == Allocation::two_step)
        for (const State& one : events(state, 1)) next.push_back(one);
      for (const State& one : next)
        if (const auto [place, is_new] = seen.insert(one); is_new) open.push_back(&*place);
    }
    return false;
  }

 private:
  enum class Copy : std::uint8_t { path, together, asynchronous, per_flit, serial };
  struct OneWorm {
    WormRoute route;
    Copy copy;
    std::size_t first;  ///< its first hop among those of all
    std::uint8_t flits;
    std::vector<std::vector<std::size_t>> outputs;  ///< of the source, then of each hop
  };

  /// Under cut-through every buffer holds the whole worm, whatever its length, and outputs are asked for
  /// apart.
  void add(const WormRoute& route, std::uint64_t flits) {
    const bool per_flit = model_.copies == Copies::per_flit;
    const bool serial = model_.copies == Copies::serial;
    Copy copy = per_flit ? Copy::per_flit : serial ? Copy::serial : Copy::asynchronous;
    if (!per_flit && !serial && route.replication == Copies::lock_step) copy = Copy::together;
    if (!per_flit && !serial && route.is_path()) copy = Copy::path;
    if (model_.allocation == Allocation::two_step) copy = Copy::together;
    if (model_.cut_through) copy = Copy::asynchronous;
    OneWorm worm{route, copy, hops_,
                 static_cast<std::uint8_t>(model_.cut_through ? model_.buffer_flits : flits),
                 std::vector<std::vector<std::size_t>>(route.hops.size() + 1)};
    for (std::size_t h = 0; h < route.hops.size(); ++h) {
      worm.outputs[static_cast<std::size_t>(hop(worm, h).parent + 1)].push_back(h);
      takers_[name(worm, h)].emplace_back(worms_.size(), h);
    }
    worms_.push_back(std::move(worm));
    hops_ += route.hops.size();
    if (hops_ > most_hops || worms_.size() > most_worms) throw std::length_error("too many hops for a state");
  }

  static constexpr std::size_t most_hops = 96, most_worms = 16;
  /// Bytes alone, by hop or worm of all. `granted`: 0, or as which one of those that have been granted the
  /// same.
  struct State {
    std::array<std::uint8_t, most_hops> entered{}, granted{};
    std::array<std::uint8_t, most_worms> started{};
    /// Atomic: requests that are not granted, by their first hops, in order; from 1, then 0.
    std::array<std::uint8_t, most_hops> asked{};
    bool operator==(const State& other) const { return std::memcmp(this, &other, sizeof *this) == 0; }
  };
  struct HashOfBytes {
    std::size_t operator()(const State& state) const {
      return std::hash<std::string_view>()({reinterpret_cast<const char*>(&state), sizeof state});
    }
  };
  /// What a hop takes: kind, node or channel, virtual channel or input.
  using Name = std::array<std::int64_t, 3>;

  const RouteHop& hop(const OneWorm& worm, std::size_t h) const { return worm.route.hops[h]; }

  Name name(const OneWorm& worm, std::size_t h) const {
    const RouteHop& own = hop(worm, h);
    if (own.is_channel()) return {0, own.target, own.vc};
    if (model_.consumption_channels > 0 || own.parent < 0) return {1, own.target, -1};
    return {2, hop(worm, static_cast<std::size_t>(own.parent)).target,
            hop(worm, static_cast<std::size_t>(own.parent)).vc};
  }

  const std::vector<std::size_t>& outputs(const OneWorm& worm, std::int32_t node) const {
    return worm.outputs[static_cast<std::size_t>(node + 1)];
  }

  std::uint8_t entered(const State& state, const OneWorm& worm, std::int32_t node) const {
    return node < 0 ? worm.flits : state.entered[worm.first + static_cast<std::size_t>(node)];
  }

  /// Flits that have left the buffer in every branch.
  std::uint8_t left(const State& state, const OneWorm& worm, std::int32_t node) const {
    std::uint8_t least = entered(state, worm, node);
    for (const std::size_t h : outputs(worm, node)) least = std::min(least, state.entered[worm.first + h]);
    return least;
  }

  template <class Visit>
  void each_holder(const State& state, const Name& wanted, Visit visit) const {
    for (const auto& [w, h] : takers_.at(wanted))
      if (state.granted[worms_[w].first + h] != 0) visit(worms_[w], h);
  }

  bool awaits_answer(const State& state, const OneWorm& worm, std::size_t h) const {
    for (std::size_t w = 0; w < asked_.size(); ++w)
      if (asked_[w] && &worms_[asked_[w]->worm] == &worm && asked_[w]->hop == h &&
          left(state, worms_[w], -1) < worms_[w].flits)
        return true;
    return false;
  }

  bool is_free(const State& state, const Name& wanted) const {
    std::uint32_t held = 0;
    each_holder(state, wanted, [&](const OneWorm& worm, std::size_t h) {
      const bool by_buffer = hop(worm, h).is_channel() && model_.vc_reuse == VcReuse::drained;
      const std::uint8_t done =
          by_buffer ? left(state, worm, static_cast<std::int32_t>(h)) : state.entered[worm.first + h];
      held += done < worm.flits || awaits_answer(state, worm, h) ? 1 : 0;
    });
    return held < (wanted[0] == 1 && model_.consumption_channels > 0 ? model_.consumption_channels : 1);
  }

  /// Nobody's flits are before those of this worm in the buffer at the node.
  bool first_in_buffer(const State& state, const OneWorm& worm, std::int32_t node) const {
    if (node < 0) return true;
    const auto own = static_cast<std::size_t>(node);
    bool first = true;
    each_holder(state, name(worm, own), [&](const OneWorm& other, std::size_t h) {
      first = first && (state.granted[other.first + h] >= state.granted[worm.first + own] ||
                        left(state, other, static_cast<std::int32_t>(h)) == other.flits);
    });
    return first;
  }

  /// `more`: in a register before the buffer.
  bool has_slot(const State& state, const OneWorm& worm, std::size_t h, std::uint32_t more = 0,
                std::uint32_t needed = 1) const {
    if (!hop(worm, h).is_channel()) return true;
    std::uint32_t used = 0;
    each_holder(state, name(worm, h), [&](const OneWorm& other, std::size_t g) {
      used += static_cast<std::uint32_t>(state.entered[other.first + g] -
                                         left(state, other, static_cast<std::int32_t>(g)));
    });
    return used + needed <= model_.buffer_flits + more;
  }

  /// Slots that a header must find behind the hop.
  std::uint32_t asked_slots(const OneWorm& worm, std::size_t h) const {
    const RouteHop& own = hop(worm, h);
    const RouteHop* before = own.parent < 0 ? nullptr : &hop(worm, static_cast<std::size_t>(own.parent));
    const bool same_ring = before != nullptr && before->vc == own.vc && ports_ > 0 &&
                           before->target % ports_ == own.target % ports_;
    if (model_.ring_entry == RingEntry::packet_bubble) return worm.flits * (same_ring ? 1U : 2U);
    if (model_.ring_entry == RingEntry::flit_bubble) return same_ring ? 1U : worm.flits + 1U;
    return model_.allocation == Allocation::two_step ||
                   model_.output_arbitration == OutputArbitration::rotating
               ? 1
               : 0;
  }

  bool header_is_at(const State& state, const OneWorm& worm, std::int32_t node, std::size_t index) const {
    return node < 0 ? state.started[index] != 0
                    : entered(state, worm, node) > 0 && first_in_buffer(state, worm, node);
  }

  /// In which turn a copy is made: on a 2-D mesh +x, −x, −y, +y, then consumption.
  static std::uint32_t turn(const RouteHop& one) {
    constexpr std::array<std::uint32_t, 4> order{0, 1, 3, 2};
    return one.is_channel() ? order[one.target % 4] : 4;
  }

  bool may_ask(const State& state, const OneWorm& worm, std::size_t h) const {
    if (worm.copy == Copy::serial)
      for (const std::size_t beside : outputs(worm, hop(worm, h).parent))
        if (std::pair(turn(hop(worm, beside)), beside) < std::pair(turn(hop(worm, h)), h) &&
            state.entered[worm.first + beside] < worm.flits)
          return false;
    if (worm.copy != Copy::path || !hop(worm, h).is_channel()) return true;
    for (const std::size_t beside : outputs(worm, hop(worm, h).parent))
      if (!hop(worm, beside).is_channel() && state.granted[worm.first + beside] == 0) return false;
    return true;
  }

  bool can_cross(const State& state, const OneWorm& worm, std::size_t index, std::size_t h,
                 std::uint32_t more) const {
    const std::int32_t node = hop(worm, h).parent;
    const std::uint8_t number = state.entered[worm.first + h];
    return state.granted[worm.first + h] != 0 && header_is_at(state, worm, node, index) &&
           number < entered(state, worm, node) && has_slot(state, worm, h, more) &&
           (worm.copy != Copy::serial || node >= 0 ||
            number < left(state, worm, node) + model_.buffer_flits) &&
           (worm.copy != Copy::per_flit || number == left(state, worm, node));
  }

  void grant(State& state, const OneWorm& worm, std::size_t h) const {
    std::uint8_t last = 0;
    each_holder(state, name(worm, h), [&](const OneWorm& other, std::size_t g) {
      last = std::max(last, state.granted[other.first + g]);
    });
    state.granted[worm.first + h] = static_cast<std::uint8_t>(last + 1);
  }

  /// What is asked for with the hop: in an atomic node all outputs.
  std::vector<std::size_t> request(const OneWorm& worm, std::size_t h) const {
    const bool at_once = model_.allocation != Allocation::incremental && worm.copy == Copy::together;
    return at_once ? outputs(worm, hop(worm, h).parent) : std::vector<std::size_t>{h};
  }

  /// Whether a request that has been made before `number` asks for the same.
  bool asked_before(const State& state, std::uint8_t number, const Name& wanted) const {
    for (const std::uint8_t earlier : state.asked) {
      if (earlier == number) return false;
      for (const OneWorm& worm : worms_) {
        if (earlier <= worm.first || earlier > worm.first + worm.route.hops.size()) continue;
        for (const std::size_t g : request(worm, earlier - 1 - worm.first))
          if (name(worm, g) == wanted) return true;
      }
    }
    return false;
  }

  /// A header asks for a hop, or gets what it has asked for.
  void ask(const State& state, const OneWorm& worm, std::size_t h, std::vector<State>& result) const {
    const std::vector<std::size_t> all = request(worm, h);
    if (all.front() != h) return;
    State next = state;
    if (model_.allocation == Allocation::atomic) {
      const auto number = static_cast<std::uint8_t>(worm.first + h + 1);
      const auto made = std::find(next.asked.begin(), next.asked.end(), number);
      if (made == next.asked.end()) {
        *std::find(next.asked.begin(), next.asked.end(), 0) = number;
        result.push_back(next);
        return;
      }
      for (const std::size_t g : all)
        if (asked_before(state, number, name(worm, g))) return;
      std::move(made + 1, next.asked.end(), made);
      next.asked.back() = 0;
    }
    for (const std::size_t g : all)
      if (!is_free(state, name(worm, g)) || !has_slot(state, worm, g, 0, asked_slots(worm, g))) return;
    for (const std::size_t g : all) grant(next, worm, g);
    result.push_back(next);
  }

  bool may_start(const State& state, std::size_t index) const {
    if (state.started[index] != 0) return false;
    if (index < asked_.size() && asked_[index] &&
        state.entered[worms_[asked_[index]->worm].first + asked_[index]->hop] <
            worms_[asked_[index]->worm].flits)
      return false;
    std::uint32_t sending = 0;
    for (std::size_t w = 0; w < worms_.size(); ++w)
      sending += state.started[w] != 0 && worms_[w].route.source == worms_[index].route.source &&
                         left(state, worms_[w], -1) < worms_[w].flits
                     ? 1
                     : 0;
    return model_.injection_channels == 0 || sending < model_.injection_channels;
  }

  /// `registers`: those alone in which a flit enters one.
  std::vector<State> events(const State& state, std::uint32_t registers) const {
    std::vector<State> result;
    for (std::size_t w = 0; w < worms_.size(); ++w) {
      const OneWorm& worm = worms_[w];
      if (registers == 0 && may_start(state, w)) {
        result.push_back(state);
        result.back().started[w] = 1;
      }
      for (std::size_t h = 0; h < worm.route.hops.size(); ++h) {
        const std::int32_t node = hop(worm, h).parent;
        if (registers == 0 && state.granted[worm.first + h] == 0 && header_is_at(state, worm, node, w) &&
            may_ask(state, worm, h))
          ask(state, worm, h, result);
        const bool alone = worm.copy != Copy::path && worm.copy != Copy::together;
        const std::span<const std::size_t> group = alone ? std::span(&h, 1) : std::span(outputs(worm, node));
        if (group.front() != h || !std::all_of(group.begin(), group.end(), [&](std::size_t g) {
              return can_cross(state, worm, w, g, registers);
            }))
          continue;
        State next = state;
        for (const std::size_t g : group) ++next.entered[worm.first + g];
        result.push_back(next);
      }
    }
    return result;
  }

  bool delivered(const State& state) const {
    for (const OneWorm& worm : worms_)
      for (std::size_t h = 0; h < worm.route.hops.size(); ++h)
        if (state.entered[worm.first + h] < worm.flits) return false;
    return true;
  }

  RouterModel model_;
  std::vector<OneWorm> worms_;
  std::vector<std::optional<AskedAt>> asked_;  ///< by worm; may be empty
  std::uint32_t ports_ = 0;
  std::map<Name, std::vector<std::pair<std::size_t, std::size_t>>> takers_;  ///< the worms and their hops
  std::size_t hops_ = 0;
};

}  // namespace wormcast::hand_made
