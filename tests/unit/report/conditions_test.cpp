// Conditions of --where.
// SPDX-License-Identifier: MIT
#include "report/collector.hpp"

#include <doctest/doctest.h>

#include "topology/error.hpp"

namespace wormcast::conditions_test {

TEST_CASE("conditions: a planner's name is that of its variants, with a colon of the plain one") {
  for (const char* const wanted : {"otms", "ocms,otms", "otms:first-hop=free"})
    CHECK(fits("otms:first-hop=free", {"planner", wanted}));
  CHECK(fits("otms", {"planner", "otms:"}));
  CHECK_FALSE(fits("otms:first-hop=free", {"planner", "otms:"}));
  CHECK_FALSE(fits("otms:first-hop=free", {"planner", "otm"}));
  CHECK_FALSE(fits("4:8", {"destinations", "4"}));
}

TEST_CASE("conditions: one of several values is enough, a value with a comma in it fits as a whole") {
  CHECK(fits("0.1", {"rate", "0.1"}));
  CHECK(fits("0.1", {"rate", "0.05,0.1"}));
  CHECK(fits("0.05", {"rate", "0.05,0.1"}));
  CHECK(fits("a,b", {"rate", "a,b"}));
  CHECK_FALSE(fits("0.0", {"rate", "0.05,0.1"}));
  CHECK_FALSE(fits("0.05,0.1", {"rate", "0.05"}));
  CHECK_FALSE(fits("", {"rate", "a,,b"}));
  CHECK(fits("", {"rate", ""}));
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
