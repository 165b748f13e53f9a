// The list of disciplines.
// SPDX-License-Identifier: MIT
#include "router/discipline.hpp"

namespace wormcast {

std::span<const Discipline* const> disciplines() {
  static constexpr const Discipline* all[] = {
#define DISCIPLINE(entry) &discipline_##entry,
#include "router/disciplines.def"
#undef DISCIPLINE
  };
  return all;
}

const Discipline& RouterModel::discipline() const {
  for (const Discipline* one : disciplines())
    if (one->chosen(*this)) return *one;
  return *disciplines().back();
}

}  // namespace wormcast
