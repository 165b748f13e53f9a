// Sets of a worm's steps, one word after the other.
// SPDX-License-Identifier: MIT
#include "router/worm_footprint.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using namespace wormcast;

TEST_CASE("sets of steps hold each of as many as were asked for") {
  for (const std::uint32_t steps : {1U, 64U, 65U, 66U, 128U, 129U}) {
    StepSet last(steps), all(steps);
    last.add(steps - 1);
    for (std::uint32_t step = 0; step < steps; ++step) {
      CHECK(last.has(step) == (step == steps - 1));
      CHECK_FALSE(all.contains(last));
      all.add(step);
    }
    CHECK(all.contains(last));
    CHECK(all.meets(last));
    all.remove(last);
    CHECK_FALSE(all.meets(last));
    CHECK(all.has(0) == (steps > 1));
  }
}
