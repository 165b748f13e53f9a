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
constexpr std::size_t of_three = 3, of_two = 2;
constexpr std::size_t choices = of_three * of_three * of_three * of_two * of_two * of_two;
static_assert(std::size_t(Copies::asynchronous) == of_three,
              "a fourth way in which routers copy takes more digits");

std::size_t place_of(const RouterModel& m) {
  std::size_t place = static_cast<std::size_t>(m.allocation);
  place = place * of_three + static_cast<std::size_t>(m.copies);
  place = place * of_three + static_cast<std::size_t>(m.ring_entry);
  place = place * of_two + static_cast<std::size_t>(m.vc_allocation);
  place = place * of_two + static_cast<std::size_t>(m.path_reservation);
  return place * of_two + static_cast<std::size_t>(m.cut_through);
}

RouterModel model_at(std::size_t place) {
  const auto next = [&](std::size_t base) { return std::exchange(place, place / base) % base; };
  RouterModel m;
  m.cut_through = next(of_two) == 1;
  m.path_reservation = next(of_two) == 1;
  m.vc_allocation = static_cast<VcAllocation>(next(of_two));
  m.ring_entry = static_cast<RingEntry>(next(of_three));
  m.copies = static_cast<Copies>(next(of_three));
  m.allocation = static_cast<Allocation>(next(of_three));
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
