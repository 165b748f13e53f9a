// Multicast, plan and routes records as tools write them, which straight code reads with what it knows of the
// record before, against the same with blanks, which it leaves to the code for the general case: both are
// read alike.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "io/records/multicast_record.hpp"
#include "multicast/check.hpp"
#include "multicast/expansion/expand.hpp"
#include "multicast/planner.hpp"
#include "topology/error.hpp"
#include "topology/random.hpp"

namespace wormcast::usual_records_test {

namespace {

std::string written(const Routes& routes) {
  io::RecordLine line;
  std::string text(io::write_routes_record(routes, line));
  text.pop_back();
  return text;
}

/// The same JSON with blanks around every mark, so that no key and no array stands as tools write them.
std::string spaced(std::string_view text) {
  std::string result;
  bool inside = false;  // a string
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') inside = !inside;
    const bool mark = !inside && std::string_view("{}[],:").find(c) != std::string_view::npos;
    if (mark) result += ' ';
    result += c;
    if (mark) result += ' ';
    if (inside && c == '\\' && i + 1 < text.size()) result += text[++i];
  }
  return result;
}

/// What a reader says of a line: what read(record) makes of it, or what is wrong.
template <class Read>
std::string outcome(io::JsonText& json, const std::string& line, Read read) {
  try {
    json.parse(line);
    json.root().expect_object();
    const auto kind = json.first_member();
    if (!kind || kind->first != "kind") return "no kind";
    const std::string_view name = kind->second.text();
    if (name != "multicast" && name != "plan" && name != "routes") return "another kind";
    return read(json.root());
  } catch (const InputError& error) {
    const std::string what = error.what();
    return error.field + ": " + what.substr(0, what.find(" at byte"));
  }
}
std::string outcome(io::JsonText& json, const std::string& line, RouteCheck& check, Routes& routes) {
  return outcome(json, line, [&](const io::Value& record) {
    io::read_routes_record(record, check, routes);
    return written(routes);
  });
}
std::string outcome(const std::string& line, RouteCheck& check, Routes& routes) {
  io::JsonText json;
  return outcome(json, line, check, routes);
}

/// Records of one planner on a topology.
std::vector<std::string> records(const Topology& topology, std::string_view name, std::uint64_t seed) {
  const BoundPlanner planner(*find_planner(name), topology, PlanOptions{});
  Random random = RandomStreams(seed, "plain").stream(0);
  std::vector<std::string> lines;
  for (std::uint64_t id = 0; id < 12; ++id) {
    Request request;
    request.id = id * 7;
    request.start_cycle = 3 * id;
    request.length_flits = 1 + random.below(30);
    request.workload = {{"pattern", "uniform"}, {"seed", "7"}};
    request.source = HostId{static_cast<std::uint32_t>(random.below(topology.hosts()))};
    for (std::uint32_t host = 0; host < topology.hosts(); ++host)
      if (host != request.source.value && random.below(4) == 0) request.destinations.push_back(HostId{host});
    if (request.destinations.empty()) request.destinations.push_back(request.source);
    lines.push_back(written(Expander(planner.context().routing).expand(planner.plan(std::move(request)))));
  }
  return lines;
}

/// A few bytes changed, doubled, dropped, or the end cut off.
std::string changed(std::string line, Random& random) {
  static constexpr std::string_view bytes = "0123456789-,:[]{}\" .ex";
  for (std::uint64_t i = 0, n = 1 + random.below(3); i < n; ++i) {
    const std::size_t at = random.below(line.size());
    switch (random.below(5)) {
      case 0:
        line.erase(at, 1 + random.below(4));
        break;
      case 1:
        line.insert(at, 1, bytes[random.below(bytes.size())]);
        break;
      case 2:
        line.insert(at, line.substr(at, 1 + random.below(12)));
        break;
      case 3:
        line.resize(line.size() - random.below(3));
        break;
      default:
        line[at] = bytes[random.below(bytes.size())];
        break;
    }
    if (line.empty()) return "x";
  }
  return line;
}

}  // namespace

TEST_CASE("routes are read alike whether they stand as tools write them or not" *
          doctest::test_suite("long")) {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  Random random = RandomStreams(1, "changes").stream(0);
  for (const TopologySpec& spec : {TopologySpec{"mesh", {4, 3}, 0, {}}, TopologySpec{"hypercube", {3}, 2, {}},
                                   TopologySpec{"torus", {4, 4}, 0, {}}}) {
    const auto topology = build_topology(spec);
    for (const std::string_view planner : {"separate", "dual-path", "xy-tree", "binomial"}) {
      CAPTURE(topology->name());
      CAPTURE(planner);
      RouteCheck check(*topology);
      Routes routes;  // as records before have left it
      io::JsonText json;
      for (const std::string& line : records(*topology, planner, 5)) {
        REQUIRE(outcome(json, line, check, routes) == line);
        for (int change = 0; change < 400; ++change) {
          const std::string other = changed(line, random);
          CAPTURE(other);
          const std::string result = outcome(json, other, check, routes);
          RouteCheck fresh_check(*topology);
          Routes fresh;
          REQUIRE(outcome(spaced(other), fresh_check, fresh) == result);
          const bool taken = result.starts_with(R"({"kind")");
          ++(taken ? accepted : refused);
          if (taken) REQUIRE_NOTHROW(check_routes(routes, *topology));
        }
      }
    }
  }
  MESSAGE(accepted << " changed records accepted, " << refused << " refused");
  CHECK(accepted > 1000);
  CHECK(refused > 10000);
}

namespace {

/// Reads `line`, changed a little, with read(record, of another record), and the same with blanks: both say
/// the same.
template <class Made, class Read>
void read_changes(const std::string& line, Random& random, std::uint64_t& accepted, Read read) {
  io::JsonText json;
  Made made;
  const auto read_this = [&](const io::Value& record) { return read(record, made); };
  REQUIRE(outcome(json, line, read_this) == line);
  for (int change = 0; change < 400; ++change) {
    const std::string other = changed(line, random);
    CAPTURE(other);
    const std::string result = outcome(json, other, read_this);
    io::JsonText by_members;
    Made fresh;
    REQUIRE(outcome(by_members, spaced(other),
                    [&](const io::Value& record) { return read(record, fresh); }) == result);
    accepted += result.starts_with("{") ? 1 : 0;
  }
}

}  // namespace

TEST_CASE("multicasts and plans are read alike whether they stand as tools write them or not") {
  const auto topology = build_topology({"mesh", {4, 3}, 0, {}});
  std::uint64_t accepted = 0;
  Random random = RandomStreams(2, "changes").stream(0);
  io::RecordLine line;
  const auto whole = [](std::string_view text) { return std::string(text.substr(0, text.size() - 1)); };
  for (const std::string_view planner : {"separate", "dual-path", "xy-tree"}) {
    CAPTURE(planner);
    for (const std::string& text : records(*topology, planner, 6)) {
      RouteCheck check(*topology);
      Routes routes;
      REQUIRE(outcome(text, check, routes) == text);
      const std::string plan = whole(io::write_plan_record(routes.plan, line));
      read_changes<Plan>(plan, random, accepted, [&](const io::Value& record, Plan& made) {
        const io::VerbatimMembers members = io::read_plan_record(record, check, made);
        routes.plan = made;
        const std::string copied(io::write_routes_record(routes, line, members));
        REQUIRE(io::write_routes_record(routes, line) == copied);
        return whole(io::write_plan_record(made, line));
      });
      const std::string multicast = whole(io::write_multicast_record(routes.plan.request, line));
      read_changes<Request>(multicast, random, accepted, [&](const io::Value& record, Request& made) {
        const io::VerbatimMembers members = io::read_multicast_record(record, *topology, made);
        routes.plan.request = made;
        const std::string copied(io::write_plan_record(routes.plan, line, members));
        REQUIRE(io::write_plan_record(routes.plan, line) == copied);
        return whole(io::write_multicast_record(made, line));
      });
    }
  }
  CHECK(accepted > 1000);
}

TEST_CASE("numbers of any length are read, or refused, alike wherever they stand") {
  const auto topology = build_topology({"mesh", {3, 3}, 0, {}});
  const std::string line = records(*topology, "separate", 1)[1];
  RouteCheck check(*topology);
  Routes routes;
  io::JsonText json;
  outcome(json, line, check, routes);
  std::uint64_t accepted = 0;
  for (const std::string_view key : {"\"id\":", "\"start_cycle\":", "\"longest_chain_hops\":"}) {
    const std::size_t from = line.find(key) + key.size();
    const std::size_t to = line.find_first_of(",}", from);
    for (const std::string_view digits :
         {"12345678901234567890", "99999999999999999999", "00000000000000000000", "10000000000000000000",
          "9007199254740991", "9007199254740993"})
      for (std::size_t count = 0; count <= digits.size(); ++count)
        for (const std::string_view behind : {"", "/", ":", "\x7f", "\xb9", ".0", "e0"}) {
          const std::string number(digits.substr(0, count));
          const std::string other = line.substr(0, from) + number + std::string(behind) + line.substr(to);
          CAPTURE(other);
          const bool whole = count > 0 && behind.empty() && (count == 1 || number[0] != '0') &&
                             (count < 16 || (count == 16 && number <= "9007199254740991"));
          const std::string result = outcome(json, other, check, routes);
          REQUIRE((result == other) == whole);
          REQUIRE(outcome(spaced(other), check, routes) == result);
          accepted += whole ? 1 : 0;
        }
  }
  CHECK(accepted > 150);
}

TEST_CASE("a path that comes by one channel twice is taken on another virtual channel alone") {
  const auto topology = build_topology({"mesh", {2, 1}, 0, {}});
  RouteCheck check(*topology);
  Routes routes;
  const auto record = [](const char* hops, const char* vcs) {
    return R"({"kind":"routes","id":0,"source":0,"destinations":[1],"length_flits":1,"start_cycle":0,)"
           R"("worms":[{"hops":[)" +
           std::string(hops) + "]" + vcs + "}]}";
  };
  const std::string there = std::to_string(topology->channel(NodeId{0}, PortId{0}).value);
  const std::string back = std::to_string(topology->channel(NodeId{1}, PortId{1}).value);
  const std::string twice = there + "," + back + "," + there + ",-2";
  CHECK(outcome(record((there + ",-2").c_str(), ""), check, routes).starts_with("{"));
  CHECK(outcome(record(twice.c_str(), ""), check, routes) ==
        "worms[0].hops: channel " + there + " with virtual channel 0 is used twice by the same worm");
  CHECK(outcome(record(twice.c_str(), R"(,"vcs":[0,0,1,0])"), check, routes).starts_with("{"));
}

}  // namespace wormcast::usual_records_test
