// What is asked of a check: routers, lengths of worms, and limits.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "topology/router_model.hpp"

namespace wormcast {

struct SearchLimits {
  std::uint64_t partial_sets = 1'000'000;  ///< that the search looks at
  std::uint64_t states = 100'000;          ///< that an exploration of one set looks at
  /// Hears now and then how many partial sets and states have been looked at; may be empty.
  std::function<void(std::uint64_t partial_sets, std::uint64_t states)> tell{};
  /// Of all sets together.
  std::uint64_t all_states() const { return most_explorations * states; }

 private:
  static constexpr std::uint64_t most_explorations = 10;  ///< that meet their limit
};

struct CheckOptions {
  RouterModel model;
  /// Every worm as long as this, the model's header flits included, or longer or shorter by a header of its
  /// own; nothing: as the records say.
  std::optional<std::uint64_t> flits;
  SearchLimits limits;
  std::size_t route_limit = 200'000;  ///< distinct routes it keeps
  bool assumptions = false;           ///< a proof names the rules that it leans on
  bool allocating = false;            ///< the model stands for routers that allocate virtual channels
};

}  // namespace wormcast
