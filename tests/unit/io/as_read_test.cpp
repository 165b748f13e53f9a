// What is copied from one record into the next instead of being written anew: only where both are the same.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "io/records/multicast_record.hpp"
#include "unit/io/copy_records.hpp"
#include "unit/networks.hpp"

namespace wormcast::as_read_test {

using namespace wormcast::io;

namespace {

constexpr std::string_view usual_request =
    R"(,"id":7,"source":0,"destinations":[1,11],"length_flits":16,"start_cycle":3,"depends_on":[2])"
    R"(,"workload":{"pattern":"uniform","rate":"0.15"})";
constexpr std::string_view usual_planner =
    R"(,"planner":"mine","options":{"a":"b"},"routing":"dimension-order")";

std::string replaced(std::string_view text, std::string_view part, std::string_view by) {
  std::string result(text);
  const std::size_t at = result.find(part);
  REQUIRE(at != std::string::npos);
  return result.replace(at, part.size(), by);
}

/// What read(record) gives to be copied, which has to be what is written anew. Read twice: the second time
/// what repeats is known.
template <class Read>
std::string copied(const std::string& record, Read read) {
  const auto topology = testing::make("mesh", {4, 3});
  JsonText json;
  std::string members;
  for (int time = 0; time < 2; ++time) {
    json.parse(record);
    members = read(json.root(), *topology);
  }
  return members;
}

std::string copied_request(const std::string& members) {
  return copied(R"({"kind":"multicast")" + members + "}", [](const Value& record, const Topology& topology) {
    Request request;
    const VerbatimMembers as_read = read_multicast_record(record, topology, request);
    CHECK_NOTHROW(check_as_read(request, as_read));
    return as_read;
  });
}

std::string copied_plan(const std::string& members) {
  return copied(R"({"kind":"plan")" + members + R"(,"worms":[{"stops":[1,11]}],"traffic_channels":5})",
                [](const Value& record, const Topology& topology) {
                  Plan plan;
                  RouteCheck check(topology);
                  const VerbatimMembers as_read = read_plan_record(record, check, plan);
                  CHECK_NOTHROW(check_as_read(plan, as_read));
                  return as_read;
                });
}

}  // namespace

TEST_CASE("a record as tools write it is copied") {
  CHECK(copied_request(std::string(usual_request)) == usual_request);
  const std::string plan = std::string(usual_request) + std::string(usual_planner);
  CHECK(copied_plan(plan) == plan + R"(,"worms":)");
}

TEST_CASE("a record that says the same in other bytes is written anew") {
  const std::string_view others[][2] = {{R"("id":7)", R"("id": 7)"},
                                        {R"(,"source":0)", R"( ,"source":0)"},
                                        {"[1,11]", "[1, 11]"},
                                        {R"("source":0)", R"("source":-0)"},
                                        {"[2]", "[]"},
                                        {R"(,"id":7,"source":0)", R"(,"source":0,"id":7)"},
                                        {R"("source":0)", R"("source":0,"x_mine":1)"},
                                        {R"("uniform")", R"("unif\u006frm")"},
                                        {R"("0.15")", R"("0.15 \u00fc")"},
                                        {R"("rate":)", R"("rate" :)"},
                                        {R"({"pattern":"uniform","rate":"0.15"})", "{}"}};
  for (const auto& [part, by] : others) {
    const std::string said(by);
    CAPTURE(said);
    const std::string request = replaced(usual_request, part, by);
    CHECK(copied_request(request).empty());
    CHECK(copied_plan(request + std::string(usual_planner)).empty());
  }
  const std::string from_another = replaced(usual_request, R"("source":0)", R"("source":1)");
  CHECK(copied_request(replaced(from_another, "[1,11]", "[-0,11]")).empty());
  for (const std::string_view planner : {R"(,"planner":"mine","routing":"dor")",
                                         R"(,"planner":"mine","options":{},"routing":"dimension-order")",
                                         R"(,"routing":"dimension-order","planner":"mine")"}) {
    const std::string said(planner);
    CAPTURE(said);
    CHECK(copied_plan(std::string(usual_request) + said).empty());
  }
}

}  // namespace wormcast::as_read_test
