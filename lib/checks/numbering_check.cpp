// Linear check of a numbering against single worms.
//
// Which pairs (held, wanted) a worm can have stands in PlainWorm::can_hold_and_wait. Here the same is
// said by extremes. On a path everything asked for in earlier turns may be held: its largest number
// must lie below the next turn's. In a tree what lies above may be held, so numbers rise from parent to
// child; and of two branches of a node that wait for each other, the largest number held in one must lie
// below the smallest that is waited for in the other. Only when that fails are the pairs gone through,
// to name one.
// Cost: linear in the hops; near-linear for joining what is asked for together.
// SPDX-License-Identifier: MIT
#include "checks/numbering_check.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "router/router_rules.hpp"

namespace wormcast {

namespace {

constexpr std::uint32_t no_worm_waits = std::numeric_limits<std::uint32_t>::max();

/// The largest value of a node's children, and the largest of the others.
struct TopTwo {
  std::uint32_t first = 0, second = 0;
  std::size_t child = 0;

  void take(std::uint32_t value, std::size_t from) {
    if (value > first) {
      second = first;
      first = value;
      child = from;
    } else {
      second = std::max(second, value);
    }
  }
  std::uint32_t without(std::size_t one) const { return child == one ? second : first; }
};

}  // namespace

NumberingCheck::NumberingCheck(const Topology& topology, const RouterModel& model,
                               const std::vector<ResourceId>& numbering)
    : topology_(topology), model_(model), resources_(topology, model) {
  std::uint32_t bound = 0;
  for (const ResourceId resource : numbering) bound = std::max(bound, resource.value + 1);
  number_.assign(bound, none);
  for (std::size_t i = 0; i < numbering.size(); ++i) {
    Number& at = number_[numbering[i].value];
    if (at != none && fault_.empty())
      fault_ = describe_resource(topology_, resources_.describe(numbering[i])) + " is numbered twice";
    at = static_cast<Number>(i + 1);
  }
  if (model.discipline().slots_differ()) number_rings(numbering);
}

/// Packets of one length: a ring of buffers for several of them has room for one more as long as each that
/// enters leaves room for one more. In flits it is so for any lengths. A packet in the ring waits for the
/// ring or for what comes later: that moves, and then some buffer of the ring has room, and one before it
/// is not empty. So a ring counts as one, if nothing is numbered between its parts: its channels, and
/// consumption channels of theirs alone, for which only the worm at the head of a buffer asks.
void NumberingCheck::number_rings(const std::vector<ResourceId>& numbering) {
  std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> spans;  // by ring: its first channel, its last
  const auto ring = [&](ResourceId resource) { return bubble_ring(topology_, model_, resources_, resource); };
  for (std::size_t i = 0; i < numbering.size(); ++i)
    if (const std::uint32_t of = ring(numbering[i]);
        of != 0 && resources_.kind(numbering[i]) == Resource::Kind::network)
      spans.try_emplace(of, i, i).first->second.second = i;
  ring_number_ = number_;
  for (const auto& entry : spans) {
    const auto part_of = [&](ResourceId resource) { return ring(resource) == entry.first; };
    auto first = numbering.begin() + static_cast<std::ptrdiff_t>(entry.second.first);
    auto last = numbering.begin() + static_cast<std::ptrdiff_t>(entry.second.second + 1);
    if (!std::all_of(first, last, part_of)) continue;
    while (first != numbering.begin() && part_of(first[-1])) --first;
    while (last != numbering.end() && part_of(*last)) ++last;
    const Number number = number_[first->value];
    for (auto part = first; part != last; ++part) ring_number_[part->value] = number;
    rings_.insert(number);
  }
}

void NumberingCheck::ask_together(const WormRoute& route, std::uint64_t flits) {
  joint_.add(topology_, model_, route, flits);
  group_number_.clear();
}

void NumberingCheck::ask_together(ResourceId one, ResourceId other) {
  joint_.join(one, other);
  group_number_.clear();
}

void NumberingCheck::number_groups() {
  group_number_.assign(number_.size(), no_worm_waits);
  for (std::uint32_t r = 0; r < number_.size(); ++r) {
    Number& least = group_number_[joint_.group(ResourceId{r}).value];
    if (number_[r] != none) least = std::min(least, number_[r]);
  }
}

void NumberingCheck::take_numbers(const PlainWorm& worm) {
  held_.resize(worm.positions());
  wanted_.resize(worm.positions());
  for (std::size_t p = 0; p < worm.positions(); ++p) {
    Number held = none, wanted = no_worm_waits;
    worm.each_resource(p, [&](ResourceId resource) {
      // Without a number nothing can be held and nothing waited for.
      const Number own = number(resource);
      held = std::max(held, own == none ? no_worm_waits : own);
      wanted = std::min(wanted, awaited(resource));
    });
    held_[p] = held;
    wanted_[p] = wanted;
  }
}

bool NumberingCheck::path_rises(const PlainWorm& worm) const {
  Number before = 0, turn = 0;
  std::size_t at = 0;  // number of the turn
  const auto take = [&](std::size_t p) {
    if (worm.turn(p) != at) {
      before = std::max(before, turn);
      turn = 0;
      at = worm.turn(p);
    }
    turn = std::max(turn, held_[p]);
    return p == 0 || rises(before, wanted_[p]);
  };
  // In order: channels follow each other, and a node's consumption channels come before the next channel.
  std::vector<std::size_t> order(worm.positions());
  for (std::size_t p = 0; p < order.size(); ++p) order[p] = p;
  const auto earlier = [&](std::size_t p, std::size_t q) { return worm.turn(p) < worm.turn(q); };
  if (!std::is_sorted(order.begin(), order.end(), earlier))
    std::stable_sort(order.begin(), order.end(), earlier);
  return std::all_of(order.begin(), order.end(), take);
}

bool NumberingCheck::tree_rises(const PlainWorm& worm) {
  const std::size_t positions = worm.positions();
  for (std::size_t p = 1; p < positions; ++p)
    if (!rises(held_[worm.parent(p)], wanted_[p])) return false;
  std::vector<Number> most = held_;  // held in the subtree
  std::vector<Number> least(positions, no_worm_waits), below(positions, no_worm_waits);  // waited for in it
  std::vector<TopTwo> branches(positions), outputs(positions);
  for (std::size_t p = positions; p-- > 1;) {
    const std::size_t node = worm.parent(p);
    least[p] = std::min(below[p], worm.private_consumption(p) ? no_worm_waits : wanted_[p]);
    branches[node].take(most[p], p);
    outputs[node].take(held_[p], p);
    most[node] = std::max(most[node], most[p]);
    below[node] = std::min(below[node], least[p]);
  }
  for (std::size_t p = 1; p < positions; ++p) {
    const std::size_t node = worm.parent(p);
    if (!worm.branches_wait_for_each_other(node)) continue;
    const bool itself = !worm.copies_together() || worm.may_stand_behind(p);
    if (!rises(branches[node].without(p), itself ? least[p] : below[p])) return false;
    const bool one_by_one = worm.copies_together() && !model_.discipline().grants_nodes;
    if (one_by_one && !worm.private_consumption(p) && !rises(outputs[node].without(p), wanted_[p]))
      return false;
  }
  return true;
}

std::string NumberingCheck::refuse(const WormRoute& route, std::uint64_t flits) {
  if (!joint_.none() && group_number_.empty()) number_groups();
  const PlainWorm worm(topology_, model_, route, flits);
  if (model_.discipline().slots_differ() && worm.travels()) {
    if (std::string fault = too_long_for_slots(topology_, model_, flits); !fault.empty())
      return "a worm is " + fault;
    lengths_.insert(flits);
  }
  take_numbers(worm);
  if (model_.discipline().grants_ways) {
    const bool all = std::none_of(wanted_.begin(), wanted_.end(), [](Number n) { return n == none; });
    return all ? "" : name_violation(worm);
  }
  if (worm.port()) {  // it has that before it asks for what else its source takes
    const std::vector<ResourceId> source = worm.resources(0);
    for (std::size_t i = 1; i < source.size(); ++i)
      if (std::string fault = refuse(source[i - 1], source[i]); !fault.empty()) return fault;
  }
  const auto rises = [&] { return worm.is_path() ? path_rises(worm) : tree_rises(worm); };
  bool rise = rises();
  if (!rise && !rings_.empty()) {
    by_rings_ = true;
    take_numbers(worm);
    rise = rises();
    needs_rings_ = needs_rings_ || rise;
    by_rings_ = false;
  }
  if (!rise) return name_violation(worm);
  const bool may_fill = needs_rings_ && model_.discipline().rings_of_one_length && lengths_.size() > 1;
  return may_fill ? "worms have several lengths, so rings may fill" : "";
}

std::string NumberingCheck::refuse(ResourceId held, ResourceId wanted) {
  if (!joint_.none() && group_number_.empty()) number_groups();
  const auto name = [&](ResourceId r) { return describe_resource(topology_, resources_.describe(r)); };
  for (const ResourceId resource : {held, wanted})
    if (number(resource) == none) return refuse_unnumbered(resource);
  if (number(held) < awaited(wanted) || (joint_.none() && allows(held, wanted))) return "";
  const bool together = number(held) < number(wanted);
  return "a worm can hold " + name(held) + " while it waits for " + name(wanted) +
         (together ? " and what is asked for with it" : "") + ", which does not come later";
}

std::string NumberingCheck::refuse_unnumbered(ResourceId resource) const {
  return number(resource) == none
             ? describe_resource(topology_, resources_.describe(resource)) + " has no number"
             : "";
}

/// The first pair that the numbering does not allow.
std::string NumberingCheck::name_violation(const PlainWorm& worm) const {
  NumberingCheck single = *this;
  for (std::size_t p = 0; p < worm.positions(); ++p)
    for (const ResourceId resource : worm.resources(p))
      if (number(resource) == none) return single.refuse(resource, resource);
  for (std::size_t wanted = 1; wanted < worm.positions(); ++wanted) {
    for (std::size_t held = 0; held < worm.positions(); ++held) {
      if (!worm.can_hold_and_wait(held, wanted)) continue;
      for (const ResourceId from : worm.resources(held)) {
        std::string fault = single.refuse(from, worm.resources(wanted).front());
        if (!fault.empty()) return fault;
      }
    }
  }
  return "a worm can hold a resource while it waits for one that does not come later";
}

std::string refuse_numbering(const Topology& topology, const RouterModel& model,
                             const std::vector<ResourceId>& numbering,
                             const std::vector<StoredRoute>& routes) {
  NumberingCheck check(topology, model, numbering);
  std::string fault = check.fault();
  for (const StoredRoute& stored : routes) check.ask_together(stored.route, stored.flits);
  for (std::size_t r = 0; r < routes.size() && fault.empty(); ++r)
    fault = check.refuse(routes[r].route, routes[r].flits);
  return fault;
}

}  // namespace wormcast
