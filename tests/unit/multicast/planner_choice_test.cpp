// Planners and options as a command line names them.
// SPDX-License-Identifier: MIT
#include "multicast/planner_choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "topology/error.hpp"

namespace wormcast::planner_choice_test {

namespace {

const OfferedOption& offered(const std::vector<OfferedOption>& options, std::string_view name) {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const auto& option) { return option.name == name; });
  REQUIRE(found != options.end());
  return *found;
}

}  // namespace

TEST_CASE("planner options: every value of every planner is offered, once") {
  const std::vector<OfferedOption> options = planner_options();
  for (const Planner* planner : planners())
    for (const PlannerParameter& parameter : planner->parameters) {
      CAPTURE(planner->name);
      CAPTURE(parameter.name);
      const OfferedOption& option = offered(options, parameter.name);
      for (const std::string_view value : parameter.values)
        CHECK(std::count(option.values.begin(), option.values.end(), value) == 1);
      CHECK(option.summary.find(parameter.summary) != std::string::npos);
    }
  for (const OfferedOption& option : options)
    CHECK(std::count_if(options.begin(), options.end(),
                        [&](const auto& o) { return o.name == option.name; }) == 1);
}

TEST_CASE("planner options: what planners say differently is told apart") {
  const std::vector<OfferedOption> options = planner_options();
  CHECK(offered(options, "tie").values == std::vector<std::string_view>{"none", "longest", "traffic"});
  CHECK(offered(options, "tie").summary.starts_with("ocms: longest: "));
  CHECK(offered(options, "tie").summary.find("; otms: traffic: ") != std::string::npos);
  // Said by several planners in the same words, it stands there once.
  CHECK(offered(options, "first-hop").summary.starts_with("strict: "));
}

TEST_CASE("planner choices: shared options go to those that take them and do not state them") {
  const std::vector<PlannerChoice> choices = parse_planner_choices(
      "otms:first-hop=free,ocms,dual-path", {{"first-hop", "strict"}, {"tie", "traffic"}}, "PLANNERS");
  REQUIRE(choices.size() == 3);
  CHECK(choices[0].planner->name == "otms");
  CHECK(choices[0].options == PlanOptions{{"first-hop", "free"}, {"tie", "traffic"}});
  CHECK(choices[1].options == PlanOptions{{"first-hop", "strict"}, {"tie", "traffic"}});
  CHECK(choices[2].options.empty());
}

TEST_CASE("planner choices: a routing function of one planner's own") {
  const std::vector<PlannerChoice> choices =
      parse_planner_choices("ocms:routing=label-shortest:tie=longest,ocms", {}, "PLANNERS");
  REQUIRE(choices.size() == 2);
  CHECK(choices[0].routing_or("label") == "label-shortest");
  CHECK(choices[0].options == PlanOptions{{"tie", "longest"}});
  CHECK(choices[1].routing_or("label") == "label");
}

TEST_CASE("planner choices: what is refused") {
  const auto refused_at = [](std::string_view words, const PlanOptions& shared) {
    try {
      parse_planner_choices(words, shared, "PLANNERS");
    } catch (const InputError& error) {
      return error.field;
    }
    return std::string("nowhere");
  };
  CHECK(refused_at("", {}) == "PLANNERS");
  CHECK(refused_at("otms,", {}) == "PLANNERS");
  CHECK(refused_at(",otms", {}) == "PLANNERS");
  CHECK(refused_at("otms,,ocms", {}) == "PLANNERS");
  CHECK(refused_at("otms:", {}) == "PLANNERS");
  CHECK(refused_at("otms:tie", {}) == "PLANNERS");
  CHECK(refused_at("mots", {}) == "PLANNERS");
  CHECK(refused_at("dual-path", {{"tie", "none"}}) == "--tie");
  CHECK(refused_at("dual-path", {{"flit-bits", "16"}}) == "--flit-bits");
  CHECK(refused_at("dual-path", {{"header-encoding", "own"}, {"flit-bits", "16"}}) == "nowhere");
}

}  // namespace wormcast::planner_choice_test
