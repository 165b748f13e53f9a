// The objects of strings inside records: a planner's options and what made a multicast.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "io/records/multicast_record.hpp"
#include "topology/error.hpp"
#include "unit/networks.hpp"

namespace wormcast::named_values_test {

using namespace wormcast::io;

namespace {

std::unique_ptr<const Topology> mesh() { return testing::make("mesh", {4, 3}); }

std::string copy(const std::string& record) {
  const auto topology = mesh();
  JsonText json;
  json.parse(record);
  RecordLine line;
  if (record.starts_with("{\"kind\":\"plan\"")) {
    Plan plan;
    RouteCheck check(*topology);
    read_plan_record(json.root(), check, plan);
    return std::string(write_plan_record(plan, line));
  }
  Request request;
  read_multicast_record(json.root(), *topology, request);
  return std::string(write_multicast_record(request, line));
}

const std::string multicast =
    R"({"kind":"multicast","id":0,"source":0,"destinations":[1],"length_flits":1,"start_cycle":0)";

}  // namespace

TEST_CASE("what made a multicast is carried through, whatever its names") {
  for (const char* workload : {R"({"pattern":"uniform","seed":"7"})", R"({"a \"quoted\" name":"b\\c\n"})"}) {
    const std::string record = multicast + ",\"workload\":" + workload + ",\"x_b\":[1, 2]}\n";
    CHECK(copy(record) == record);
  }
}

TEST_CASE("a planner's options may have any name") {
  const std::string record =
      R"({"kind":"plan","id":0,"source":0,"destinations":[1],"length_flits":1,"start_cycle":0,)"
      R"("workload":{"seed":"1"},"planner":"mine","options":{"a \"b\"":"c"},"routing":"label","worms":[{"stops":[1]}]})"
      "\n";
  CHECK(copy(record) == record);
}

TEST_CASE("names and values are refused where they are not an object of strings") {
  for (const char* workload :
       {R"({"seed":7})", R"({"a":"1","a":"2"})", R"(["a"])", R"("a")", "null", R"({"a":null})"}) {
    CAPTURE(workload);
    CHECK_THROWS_AS(copy(multicast + ",\"workload\":" + workload + "}\n"), InputError);
  }
}

TEST_CASE("a text that is not UTF-8 is refused where it would be written") {
  RecordLine line;
  line.begin_object().key("a").string("b\xc3\xa4");
  CHECK(std::string(line.end_object()) == "{\"a\":\"b\xc3\xa4\"}");
  CHECK_THROWS_AS(line.begin_object().key("a").string("b\xff"), InputError);
}

}  // namespace wormcast::named_values_test
