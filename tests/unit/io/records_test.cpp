// Codecs and segments: what is written is read back the same, and what cannot be is refused.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "topology/error.hpp"
#include "unit/io/copy_records.hpp"

namespace wormcast::records_test {

using namespace wormcast::io;

namespace {

/// A file with the given content that goes away with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    static int count = 0;
    path_ =
        std::filesystem::temp_directory_path() / ("wormcast-records-test-" + std::to_string(++count) + "-" +
                                                  std::to_string(reinterpret_cast<std::uintptr_t>(this)));
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

const std::string mesh = R"({"kind":"topology","format":1,"family":"mesh","dims":[4,3]})"
                         "\n";
const std::string end = "{\"kind\":\"end\"}\n";

/// Reads every record with its codec and writes it again.
std::string copy(const std::string& stream) {
  TemporaryFile file(stream);
  RecordStream in({file.path()});
  return copy_records(in, [](Kind, const Topology&, const Plan&) {});
}

std::string refusal(const std::string& stream) {
  try {
    copy(stream);
  } catch (const InputError& error) {
    const std::size_t line = error.place.find("line");  // an empty file has none
    return (line == std::string::npos ? "" : error.place.substr(line)) + ": " + error.field + ": " +
           error.what();
  }
  return "";
}

std::string refused_record(const std::string& record) { return refusal(mesh + record + "\n" + end); }

}  // namespace

TEST_CASE("records come back byte for byte") {
  for (
      const std::string record : {
          R"({"kind":"multicast","id":0,"source":5,"destinations":[1,9],"length_flits":32,"start_cycle":0})",
          R"({"kind":"multicast","id":7,"source":5,"destinations":[5],"length_flits":1,"start_cycle":9,"depends_on":[1,2],"x_a":[1.50,{"b":"\u00e9"}]})",
          R"({"kind":"plan","id":0,"source":0,"destinations":[1,5],"length_flits":2,"start_cycle":0,"planner":"p","options":{"first-hop":"free"},"routing":"label","worms":[{"first_port":0,"stops":[1]},{"source":1,"after":0,"class":1,"stops":[5]}],"traffic_channels":2,"longest_path_hops":1,"longest_chain_hops":2})",
          R"({"kind":"plan","id":0,"source":0,"destinations":[2,5],"length_flits":2,"start_cycle":0,"planner":"p","routing":"dimension-order","worms":[{"replication":"lock-step","stops":[1,2,5],"parents":[-1,0,0],"branches":[0]}]})",
          R"({"kind":"plan","id":0,"source":0,"destinations":[5],"length_flits":2,"start_cycle":0,"planner":"p","routing":"dimension-order","worms":[{"stops":[1],"relays":[0]},{"source":1,"after":0,"stops":[5]}]})",
          R"({"kind":"routes","id":0,"source":0,"destinations":[1,2],"length_flits":2,"start_cycle":0,"planner":"p","routing":"dimension-order","worms":[{"stops":[1,2],"hops":[0,-2,4,-3],"vcs":[0,0,1,0]}],"traffic_channels":2})",
          R"({"kind":"routes","id":0,"source":0,"destinations":[2,5],"length_flits":2,"start_cycle":0,"worms":[{"hops":[0,4,-3,6,-6],"hop_parents":[-1,0,1,0,3],"not_before_cycle":[0,0,0,7,0]}]})",
          R"({"kind":"routes","id":0,"source":0,"destinations":[0],"length_flits":2,"start_cycle":0,"worms":[{"hops":[-1]}]})",
      }) {
    CAPTURE(record);
    CHECK(copy(mesh + record + "\n" + end) == mesh + record + "\n" + end);
  }
}

TEST_CASE("whole streams concatenate, everything else is refused with its line") {
  CHECK(copy(mesh + end + mesh + end) == mesh + end + mesh + end);
  CHECK(copy(mesh + end.substr(0, end.size() - 1)) == mesh + end);
  CHECK(refusal("") == ": : it is empty; a stream has at least a topology and an end record");
  CHECK(refusal(mesh) == "line 1: : the input stops here without an 'end' record: it was truncated");
  CHECK(refusal(mesh + mesh + end) ==
        "line 2: kind: a topology inside an open segment: the 'end' record before it is missing");
  CHECK(refusal(end) == "line 1: kind: a record of kind 'end' outside a segment: a topology must come first");
  CHECK(refusal(mesh + "\n" + end) == "line 2: : an empty line where a record should be");
  CHECK(refusal(mesh + "[1]\n" + end) == "line 2: : an array is not an object");
  CHECK(refusal(mesh + "{\"id\":1}\n" + end) == "line 2: kind: a record must begin with the key \"kind\"");
  CHECK(refusal(mesh + "{\"kind\":\"pln\"}\n" + end)
            .starts_with("line 2: kind: unknown kind of record 'pln'; did you mean 'plan'?"));
}

TEST_CASE("a stream cut at any byte is refused, the last newline excepted") {
  const std::string stream =
      mesh + R"({"kind":"multicast","id":0,"source":5,"destinations":[1],"length_flits":3,"start_cycle":0})" +
      "\n" + end;
  for (std::size_t bytes = 0; bytes + 1 < stream.size(); ++bytes)
    CHECK_FALSE(refusal(stream.substr(0, bytes)).empty());
}

TEST_CASE("multicasts that cannot be are refused") {
  const auto multicast = [](const std::string& source, const std::string& destinations) {
    return refused_record(R"({"kind":"multicast","id":0,"source":)" + source + R"(,"destinations":)" +
                          destinations + R"(,"length_flits":1,"start_cycle":0})");
  };
  CHECK(multicast("5", "[1,9,11]").empty());
  CHECK(multicast("5", "[1,12]") ==
        "line 2: destinations[1]: node 12 is not in topology mesh-4x3 (12 nodes)");
  CHECK(multicast("12", "[1]") == "line 2: source: node 12 is not in topology mesh-4x3 (12 nodes)");
  CHECK(multicast("5", "[1,5]") ==
        "line 2: destinations[1]: node 5 is the source, which may only be a destination on its own");
  CHECK(multicast("5", "[]") == "line 2: destinations: no destination");
  CHECK(multicast("5", "[3,1]") ==
        "line 2: destinations[1]: node 1 comes after node 3; destinations must ascend");
  CHECK(multicast("5", "[3,3]") == "line 2: destinations[1]: node 3 appears twice");
  CHECK(multicast("5", "[3.7]") == "line 2: destinations[0]: 3.7 is not an integer");
  CHECK(multicast("true", "[3]") == "line 2: source: true is not an integer");
  CHECK(multicast("1e30", "[3]") == "line 2: source: 1e30 is not an integer");
}

TEST_CASE("plans and routes that do not fit are refused") {
  const std::string head = R"("id":0,"source":0,"destinations":[2,5],"length_flits":2,"start_cycle":0)";
  const auto plan = [&](const std::string& worms) {
    return refused_record(R"({"kind":"plan",)" + head + R"(,"planner":"p","routing":"xy","worms":)" + worms +
                          "}");
  };
  CHECK(plan(R"([{"stops":[2,5]}])").empty());
  CHECK(plan(R"([{"stops":[2]}])") == "line 2: worms: destination 5 is not delivered to");
  CHECK(plan(R"([{"stops":[2,5,2]}])") == "line 2: worms: host 2 is delivered to twice");
  CHECK(plan(R"([{"stops":[2,3,5]}])") == "line 2: worms: host 3 is delivered to but is not a destination");
  CHECK(plan(R"([{"stops":[2]},{"source":3,"after":0,"stops":[5]}])") ==
        "line 2: worms[1].source: host 3 does not receive the message from worm 0");
  CHECK(plan(R"([{"stops":[2,5],"parents":[-1,1]}])") ==
        "line 2: worms[0].parents[1]: stop 1 is not before stop 1");
  CHECK(plan(R"([{"stops":[2,5],"parents":[-1]}])") ==
        "line 2: worms[0].parents: has 1 elements where 2 are needed");
  CHECK(plan(R"([{"first_port":1,"stops":[2,5]}])") ==
        "line 2: worms[0].first_port: router 0 has no link at port 1");
  const auto routes = [&](const std::string& hops) {
    return refused_record(R"({"kind":"routes",)" + head + R"(,"worms":[{"hops":)" + hops + "}]}");
  };
  CHECK(routes("[0,4,-3,10,22,13,-6]") ==
        "line 2: worms[0].hops[4]: channel 22 leaves node 5, but the worm is at node 6");
  CHECK(routes("[0,4,-3,10,25,-6]").empty());
  CHECK(routes("[0,4,-3,10,25]") ==
        "line 2: worms[0].hops[4]: the worm ends on channel 25, where no host consumes it");
  CHECK(routes("[1,-6]") == "line 2: worms[0].hops[0]: mesh-4x3 has no channel 1");
  CHECK(routes("[0,-3,-6]") == "line 2: worms[0].hops[1]: host 2 consumes, but the worm is at node 1");
  CHECK(routes("[0,5,0,4,-3,10,25,-6]") ==
        "line 2: worms[0].hops: channel 0 with virtual channel 0 is used twice by the same worm");
}

TEST_CASE("a named output appears whole or not at all") {
  const std::string path = (std::filesystem::temp_directory_path() / "wormcast-output-test").string();
  std::filesystem::remove(path);
  {
    io::Output abandoned(path);
    abandoned.write("half");
  }
  CHECK_FALSE(std::filesystem::exists(path));
  {
    io::Output output(path);
    output.write("whole");
    output.finish();
  }
  CHECK(std::filesystem::file_size(path) == 5);
  std::filesystem::remove(path);
  if (std::filesystem::exists("/dev/full")) {
    io::Output full("/dev/full");
    full.write("lost");
    CHECK_THROWS_AS(full.finish(), SystemError);
  }
}

}  // namespace wormcast::records_test
