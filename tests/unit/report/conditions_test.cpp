// Conditions of --where.
// SPDX-License-Identifier: MIT
#include "report/conditions.hpp"

#include <doctest/doctest.h>

#include "topology/error.hpp"

namespace wormcast::conditions_test {

TEST_CASE("conditions: one of several values is enough, a value with a comma in it fits as a whole") {
  CHECK(fits("0.1", "0.1"));
  CHECK(fits("0.1", "0.05,0.1"));
  CHECK(fits("0.05", "0.05,0.1"));
  CHECK(fits("a,b", "a,b"));
  CHECK_FALSE(fits("0.0", "0.05,0.1"));
  CHECK_FALSE(fits("0.05,0.1", "0.05"));
  CHECK_FALSE(fits("", "a,,b"));
  CHECK(fits("", ""));
}

TEST_CASE("conditions: texts, and what a message says of them") {
  const Conditions conditions = parse_conditions({"planner=otms:first-hop=free", "rate="});
  CHECK(conditions == Conditions{{"planner", "otms:first-hop=free"}, {"rate", ""}});
  CHECK_THROWS_AS(parse_conditions({"planner"}), InputError);
  CHECK_THROWS_AS(parse_conditions({"=x"}), InputError);
  CHECK(condition_text({"planner", "dual-pat"}, {"dual-path"}) ==
        "planner=dual-pat (did you mean 'dual-path'?)");
  CHECK(condition_text({"planner", "xyz,dual-pat"}, {"dual-path"}) ==
        "planner=xyz,dual-pat (did you mean 'dual-path'?)");
  CHECK(condition_text({"planner", "xyz,dual-path"}, {"dual-path"}) == "planner=xyz,dual-path");
}

}  // namespace wormcast::conditions_test
