// The list of disciplines.
// SPDX-License-Identifier: MIT
#include "router/discipline.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace wormcast {

std::span<const Discipline* const> disciplines() {
  static constexpr const Discipline* all[] = {
#define DISCIPLINE(entry) &discipline_##entry,
#include "router/disciplines.def"
#undef DISCIPLINE
  };
  return all;
}

namespace {

// Asked for every worm, so worked out once for all that can choose: these parameters, as digits of one
// number.
constexpr std::size_t words = 3, flags = 2, choices = words * words * words * flags * flags * flags;
static_assert(std::size_t(Copies::asynchronous) == words,
              "a fourth way in which routers copy takes more digits");

std::size_t place_of(const RouterModel& m) {
  std::size_t place = static_cast<std::size_t>(m.allocation);
  place = place * words + static_cast<std::size_t>(m.copies);
  place = place * words + static_cast<std::size_t>(m.ring_entry);
  place = place * flags + static_cast<std::size_t>(m.vc_allocation);
  place = place * flags + static_cast<std::size_t>(m.path_reservation);
  return place * flags + static_cast<std::size_t>(m.cut_through);
}

RouterModel model_at(std::size_t place) {
  const auto next = [&](std::size_t base) { return std::exchange(place, place / base) % base; };
  RouterModel m;
  m.cut_through = next(flags) == 1;
  m.path_reservation = next(flags) == 1;
  m.vc_allocation = static_cast<VcAllocation>(next(flags));
  m.ring_entry = static_cast<RingEntry>(next(words));
  m.copies = static_cast<Copies>(next(words));
  m.allocation = static_cast<Allocation>(next(words));
  return m;
}

}  // namespace

const Discipline& RouterModel::discipline() const {
  static const auto chosen = [] {
    std::array<const Discipline*, choices> table{};
    for (std::size_t place = 0; place < choices; ++place)
      table[place] = *std::find_if(disciplines().begin(), disciplines().end(),
                                   [m = model_at(place)](const Discipline* one) { return one->chosen(m); });
    return table;
  }();
  return *chosen[place_of(*this)];
}

}  // namespace wormcast
