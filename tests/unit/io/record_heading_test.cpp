// Streams whose records say mostly the same, in all ways in which that can be said: each is read and written
// as if it stood alone.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "fuzz/memory_file.hpp"
#include "topology/error.hpp"
#include "topology/random.hpp"
#include "unit/io/copy_records.hpp"

namespace wormcast::record_heading_test {

using namespace wormcast::io;

namespace {

/// Workload, planner, options and routing as a record may have them.
constexpr std::array<std::string_view, 14> headings = {
    R"("workload":{"pattern":"uniform"},"planner":"mine","routing":"dimension-order",)",
    R"("workload":{"pattern":"uniform"},"planner":"mine","options":{"a":"b"},"routing":"dimension-order",)",
    R"("workload":{"pattern":"uniform"},"planner":"mine","options":{"a":"c"},"routing":"dimension-order",)",
    R"("workload":{"pattern":"other"},"planner":"mine","routing":"dimension-order",)",
    R"("planner":"mine","routing":"dimension-order",)",
    R"("planner":"mine2","routing":"dimension-order",)",
    R"("planner":"mine","routing":"dor",)",
    R"("planner":"mine","routing":"dimension-order","workload":{"pattern":"uniform"},)",
    R"("workload":{"pattern":"uniform"},"x_a":1,"planner":"mine","routing":"dimension-order",)",
    R"("workload": {"pattern":"uniform"},"planner":"mine","routing":"dimension-order",)",
    R"("workload":{"pattern":"unif\u006frm"},"planner":"mine","routing":"dimension-order",)",
    R"("workload":{"pattern":"\u00fc"},"planner":"mine","routing":"dimension-order",)",
    R"("depends_on":[0],"workload":{"pattern":"uniform"},"planner":"mine","routing":"dimension-order",)",
    R"("depends_on":[0],"planner":"mine","routing":"dimension-order",)"};
constexpr std::array<std::string_view, 3> worms = {
    R"("worms":[{"stops":[1]}])", R"("x_b":2,"worms":[{"stops":[1]}])", R"("worms": [{"stops":[1]}])"};
constexpr std::array<std::string_view, 4> measures = {
    "", R"(,"traffic_channels":1)", R"(,"traffic_channels":1,"longest_path_hops":1)", R"(,"x_c":{})"};

std::string record(std::string_view kind, std::size_t id, std::string_view heading, std::string_view body,
                   std::string_view behind) {
  return fmt::format(
      R"({{"kind":"{}","id":{},"source":0,"destinations":[1],"length_flits":5,"start_cycle":3,{}{}{}}})"
      "\n",
      kind, id, heading, body, behind);
}

/// Reads and writes the stream, every record by itself, too; throws std::logic_error where that differs.
std::string copy(const std::string& records) {
  const MemoryFile file(R"({"kind":"topology","format":1,"family":"mesh","dims":[2,1]})"
                        "\n" +
                        records +
                        R"({"kind":"end"})"
                        "\n");
  RecordStream in({file.path()});
  return copy_records(in, [](Kind, const Topology&, const Plan&) {});
}

}  // namespace

TEST_CASE("what a record has in common with the one before is read and written as ever") {
  Random random(5);
  const auto one_of = [&](const auto& all) { return all[random.below(all.size())]; };
  for (const std::string_view kind : {"plan", "routes"})
    for (int stream = 0; stream < 200; ++stream) {
      std::string records;
      std::string_view heading = headings[0];
      for (std::size_t id = 1; id < 12; ++id) {
        std::string body(random.below(4) == 0 ? one_of(worms) : worms[0]);
        if (kind == "routes") body.replace(body.find("]}"), 1, R"(],"hops":[0,-2])");
        records += record(kind, id, heading, body, one_of(measures));
        if (random.below(3) == 0) heading = one_of(headings);
      }
      CAPTURE(records);
      REQUIRE_NOTHROW(copy(records));
    }
}

TEST_CASE("a member that stands in the common text and again is refused") {
  for (const std::string_view behind : {R"(,"planner":"mine")", R"(,"routing":"dimension-order")",
                                        R"(,"workload":{"pattern":"uniform"})", R"(,"start_cycle":3)"}) {
    const std::string usual = record("plan", 0, headings[0], worms[0], "");
    const std::string twice = record("plan", 1, headings[0], worms[0], behind);
    CAPTURE(twice);
    CHECK_NOTHROW(copy(usual));
    try {
      copy(usual + twice);
      FAIL("accepted");
    } catch (const InputError& error) {
      CHECK(error.place.find("line 3") != std::string::npos);
      CHECK(std::string(error.what()).find("twice") != std::string::npos);
    }
  }
}

TEST_CASE("a planner that is missing is missed, whatever the record before had") {
  const std::string usual = record("plan", 0, headings[0], worms[0], "");
  for (const std::string_view heading : {"", R"("workload":{"pattern":"uniform"},)", R"("planner":"mine",)",
                                         R"("routing":"dimension-order",)"}) {
    CAPTURE(heading);
    CHECK_THROWS_AS(copy(usual + record("plan", 1, heading, worms[0], "")), InputError);
  }
}

}  // namespace wormcast::record_heading_test
