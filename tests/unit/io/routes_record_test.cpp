// The fast reader of routes against the full one, which decides.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "io/records/multicast_record.hpp"
#include "io/records/plain_routes.hpp"
#include "multicast/expand.hpp"
#include "multicast/planner.hpp"
#include "topology/error.hpp"
#include "topology/random.hpp"

namespace wormcast::plain_routes_test {

namespace {

std::string written(const Routes& routes) {
  io::RecordLine line;
  std::string text(io::write_routes_record(routes, line));
  text.pop_back();
  return text;
}

/// The record by the full reader, or nothing where that refuses.
std::string fully_read(const std::string& line, const Topology& topology, Routes& routes) {
  io::JsonText json;
  try {
    json.parse(line);
    json.root().expect_object();
    if (!json.first_member() || json.first_member()->first != "kind") return "";
    io::read_routes_record(json.root(), topology, routes);
  } catch (const InputError&) {
    return "";
  }
  return written(routes);
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

TEST_CASE("what the fast reader of routes takes, the full one takes alike") {
  std::uint64_t taken = 0;
  std::uint64_t taken_changed = 0;
  std::uint64_t refused = 0;
  Random random = RandomStreams(1, "changes").stream(0);
  for (const TopologySpec& spec : {TopologySpec{"mesh", {4, 3}, 0, {}}, TopologySpec{"hypercube", {3}, 2, {}},
                                   TopologySpec{"torus", {4, 4}, 0, {}}}) {
    const auto topology = build_topology(spec);
    for (const std::string_view planner : {"separate", "dual-path", "xy-tree", "binomial"}) {
      CAPTURE(topology->name());
      CAPTURE(planner);
      io::PlainRoutes plain;
      plain.begin_segment(*topology);
      Routes routes;
      Routes full;
      for (const std::string& line : records(*topology, planner, 5)) {
        if (plain.read(line, routes)) {
          ++taken;
          REQUIRE(written(routes) == line);
        } else {
          REQUIRE(fully_read(line, *topology, full) == line);
          plain.learn(line, full);
        }
        for (int change = 0; change < 400; ++change) {
          const std::string other = changed(line, random);
          CAPTURE(other);
          const std::string expected = fully_read(other, *topology, full);
          refused += expected.empty() ? 1 : 0;
          if (!plain.read(other, routes)) continue;
          ++taken_changed;
          REQUIRE(written(routes) == expected);
        }
      }
    }
  }
  MESSAGE(taken << " records taken, " << taken_changed << " changed ones; " << refused
                << " refused by the full reader");
  CHECK(taken > 60);
  CHECK(taken_changed > 100);
  CHECK(refused > 10000);
}

TEST_CASE("the fast reader leaves to the full one what it has not seen before") {
  const auto topology = build_topology({"mesh", {3, 3}, 0, {}});
  const std::vector<std::string> lines = records(*topology, "separate", 1);
  io::PlainRoutes plain;
  plain.begin_segment(*topology);
  Routes routes;
  CHECK_FALSE(plain.read(lines[0], routes));
  Routes full;
  REQUIRE(fully_read(lines[0], *topology, full) == lines[0]);
  plain.learn(lines[0], full);
  CHECK(plain.read(lines[1], routes));
  // x_ members, and a measure that stands before the worms, are none of the shared part.
  const auto with = [&](std::string_view before, std::string_view text) {
    std::string line = lines[2];
    return line.insert(line.find(before), text);
  };
  for (const std::string& line :
       {with(",\"worms\"", ",\"x_a\":1"), with(",\"worms\"", ",\"facts\":{\"a\":1}")}) {
    CHECK_FALSE(plain.read(line, routes));
    REQUIRE_FALSE(fully_read(line, *topology, full).empty());
    plain.learn(line, full);
    CHECK_FALSE(plain.read(line, routes));
    CHECK(plain.read(lines[3], routes));
  }
}

TEST_CASE("the fast reader takes numbers of any length, wherever they stand, and no others") {
  const auto topology = build_topology({"mesh", {3, 3}, 0, {}});
  const std::string line = records(*topology, "separate", 1)[1];
  io::PlainRoutes plain;
  plain.begin_segment(*topology);
  Routes routes;
  Routes full;
  REQUIRE(fully_read(line, *topology, full) == line);
  plain.learn(line, full);
  std::uint64_t taken = 0;
  for (const std::string_view key : {"\"id\":", "\"start_cycle\":", "\"longest_chain_hops\":"}) {
    const std::size_t from = line.find(key) + key.size();
    const std::size_t to = line.find_first_of(",}", from);
    for (const std::string_view digits :
         {"12345678901234567890", "99999999999999999999", "00000000000000000000", "10000000000000000000",
          "9007199254740991", "9007199254740993"})
      for (std::size_t count = 0; count <= digits.size(); ++count)
        for (const std::string_view behind : {"", "/", ":", "\x7f", "\xb9"}) {
          const std::string other = line.substr(0, from) + std::string(digits.substr(0, count)) +
                                    std::string(behind) + line.substr(to);
          CAPTURE(other);
          const std::string expected = fully_read(other, *topology, full);
          if (!plain.read(other, routes)) continue;
          ++taken;
          REQUIRE(written(routes) == expected);
        }
  }
  CHECK(taken > 150);
}

}  // namespace wormcast::plain_routes_test
