// Destination patterns against their definitions, and every way to ask for what cannot be.
// SPDX-License-Identifier: MIT
#include "multicast/workload/pattern.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "topology/error.hpp"
#include "topology/generator.hpp"
#include "unit/networks.hpp"

namespace wormcast::pattern_test {

using testing::make;

namespace {

std::vector<std::uint32_t> draw(const DestinationPattern& pattern, std::uint32_t source,
                                std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<std::uint32_t> result;
  for (const HostId host : pattern.destinations(HostId{source}, random)) result.push_back(host.value);
  return result;
}

PatternOptions count(std::string k) {
  PatternOptions options;
  options.destinations = std::move(k);
  return options;
}

/// "field: message" of the refusal, or "" if it was accepted.
std::string refusal(std::string_view pattern, const Topology& topology, const PatternOptions& options) {
  try {
    bind_pattern(pattern, topology, options);
    return "";
  } catch (const InputError& error) {
    return error.field + ": " + error.what();
  }
}

}  // namespace

TEST_CASE("every registered pattern says what it is, and names are unique") {
  std::set<std::string_view> names;
  for (const PatternEntry* pattern : destination_patterns()) {
    CHECK_FALSE(pattern->summary.empty());
    CHECK_FALSE(pattern->topologies.empty());
    CHECK_FALSE(pattern->cite.empty());
    CHECK(names.insert(pattern->name).second);
    CHECK(find_destination_pattern(pattern->name) == pattern);
  }
  CHECK(find_destination_pattern("no-such") == nullptr);
}

TEST_CASE("whatever the pattern, destinations are sorted, different, in the network, without the source") {
  for (const auto& topology :
       {make("mesh", {4, 4}), make("mesh", {3, 3, 3}), make("mesh", {1, 6}), make("hypercube", {4})}) {
    for (const PatternEntry* entry : destination_patterns()) {
      if (entry->fixed_sources) continue;  // groups_test.cpp
      PatternOptions options;
      if (entry->name == "explicit") options.to = {"2", "0"};
      if (entry->name == "hotspot") options.hotspot = {"3", "5"};
      if (entry->name == "uniform" || entry->name == "clustered") options.destinations = "1:4";
      DestinationPattern pattern;
      try {
        pattern = entry->bind(*topology, options);
      } catch (const InputError&) {
        continue;  // does not fit this topology
      }
      CAPTURE(topology->name());
      CAPTURE(entry->name);
      for (std::uint32_t source = 0; source < topology->hosts(); ++source) {
        if (!pattern.sends(HostId{source})) continue;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
          const auto set = draw(pattern, source, seed);
          REQUIRE_FALSE(set.empty());
          CHECK(std::ranges::is_sorted(set));
          CHECK(std::ranges::adjacent_find(set) == set.end());
          CHECK(set.back() < topology->hosts());
          CHECK(std::ranges::find(set, source) == set.end());
          CHECK(set == draw(pattern, source, seed));
        }
      }
    }
  }
}

TEST_CASE("patterns of address bits: the digits of the address, written out and moved") {
  const auto digits = [](std::uint32_t address, std::size_t bits) {  // the last bit first
    std::string text;
    for (std::size_t i = 0; i < bits; ++i, address /= 2) text += address % 2 == 0 ? '0' : '1';
    return text;
  };
  for (const std::size_t bits : {2, 3, 4, 6}) {
    const auto line = make("mesh", {std::uint64_t{1} << bits});
    for (std::uint32_t source = 0; source < line->hosts(); ++source) {
      const std::string from = digits(source, bits);
      std::string swapped = from;
      std::swap(swapped.front(), swapped.back());
      const std::map<std::string, std::string> expected = {
          {"bit-reverse", std::string(from.rbegin(), from.rend())},
          {"shuffle", from.back() + from.substr(0, bits - 1)},
          {"bit-rotation", from.substr(1) + from.front()},
          {"butterfly", swapped}};
      for (const auto& one : expected) {
        const auto& name = one.first;  // no structured binding: clang 14 captures none
        const auto& to = one.second;
        CAPTURE(name);
        const auto pattern = bind_pattern(name, *line, {});
        CHECK(pattern.sends(HostId{source}) == (to != from));
        CHECK(digits(draw(pattern, source).front(), bits) == to);
      }
    }
  }
  CHECK(refusal("shuffle", *make("mesh", {3, 3}), {}) ==
        "--pattern: 'shuffle' moves the bits of an address: it needs 4, 8, 16, ... nodes, mesh-3x3 has 9");
  CHECK(refusal("bit-reverse", *make("mesh", {2}), {}).find("it needs 4, 8, 16") != std::string::npos);
}

TEST_CASE("random-permutation: every node is sent to once; every permutation, by its seed alone") {
  const auto line = make("mesh", {3});
  std::map<std::vector<std::uint32_t>, int> seen;
  for (int seed = 0; seed < 6000; ++seed) {
    PatternOptions options;
    options.permutation_seed = std::to_string(seed);
    const auto pattern = bind_pattern("random-permutation", *line, options);
    std::vector<std::uint32_t> to;
    for (std::uint32_t source = 0; source < 3; ++source) {
      to.push_back(draw(pattern, source).front());
      CHECK(draw(pattern, source, 2) == draw(pattern, source, 1));
      CHECK(pattern.sends(HostId{source}) == (to.back() != source));
    }
    ++seen[to];
  }
  CHECK(seen.size() == 6);
  for (const auto& [to, times] : seen) {
    CHECK(times > 850);
    CHECK(times < 1150);
  }
  PatternOptions options;
  options.permutation_seed = "x";
  CHECK(refusal("random-permutation", *line, options).find("--permutation-seed: ") == 0);
  CHECK(refusal("shuffle", *make("mesh", {4}), options) ==
        "--permutation-seed: pattern 'shuffle' does not take it; patterns that do: random-permutation");
}

TEST_CASE("next-group: all nodes of the group after the source's") {
  const auto dragonfly = build_topology(
      generate(*find_generator("dragonfly"), {{"group-routers", 2}, {"hosts", 2}, {"global-links", 1}}));
  const auto pattern = bind_pattern("next-group", *dragonfly, {});
  for (std::uint32_t source = 0; source < dragonfly->hosts(); ++source) {
    std::set<std::uint32_t> reached;
    for (std::uint64_t seed = 0; seed < 100; ++seed) reached.insert(draw(pattern, source, seed).front());
    std::set<std::uint32_t> expected;
    for (std::uint32_t host = 0; host < dragonfly->hosts(); ++host)
      if (host / 4 == (source / 4 + 1) % 3) expected.insert(host);
    CHECK(reached == expected);
  }
  CHECK(
      refusal("next-group", *make("mesh", {4}), {}) ==
      "--pattern: 'next-group' needs groups of routers, as in a dragonfly of gen-topology; mesh-4 has none");
}

TEST_CASE("names of other simulators mean the patterns here") {
  for (const auto& [alias, name] :
       std::map<std::string_view, std::string_view>{{"bitcomp", "bit-complement"},
                                                    {"bitrev", "bit-reverse"},
                                                    {"neighbor", "neighbour"},
                                                    {"randperm", "random-permutation"},
                                                    {"bad_dragon", "next-group"},
                                                    {"uniform_random", "uniform"},
                                                    {"random", "uniform"},
                                                    {"bit_complement", "bit-complement"},
                                                    {"bit_reverse", "bit-reverse"},
                                                    {"bit_rotation", "bit-rotation"},
                                                    {"bitreversal", "bit-reverse"}})
    CHECK(find_destination_pattern(alias) == find_destination_pattern(name));
}

TEST_CASE("uniform: every set of K others is equally likely, and so is every K of a range") {
  const auto mesh = make("mesh", {3, 2});
  const auto pairs = bind_pattern("uniform", *mesh, count("2"));
  Random random(1);
  std::map<std::vector<HostId>, int> seen;
  for (int i = 0; i < 20000; ++i) ++seen[pairs.destinations(HostId{2}, random)];
  CHECK(seen.size() == 10);
  for (const auto& [set, times] : seen) {
    CHECK(times > 1800);
    CHECK(times < 2200);
  }
  const auto ranged = bind_pattern("uniform", *mesh, count("2:5"));
  std::map<std::size_t, int> sizes;
  for (int i = 0; i < 20000; ++i) ++sizes[ranged.destinations(HostId{0}, random).size()];
  CHECK(sizes.size() == 4);
  for (const auto& [size, times] : sizes) {
    CHECK(times > 4700);
    CHECK(times < 5300);
  }
}

TEST_CASE("clustered: destinations come from the smallest ball that holds enough, but not below the radius") {
  const auto mesh = make("mesh", {9, 9});
  const auto spread = [&](const DestinationPattern& pattern, std::uint64_t seed) {
    // The least radius, over all centres, of a ball that holds the whole set.
    const auto set = draw(pattern, 40, seed);
    std::uint32_t best = 100;
    for (std::uint32_t centre = 0; centre < 81; ++centre) {
      std::uint32_t worst = 0;
      for (std::uint32_t node : set) worst = std::max(worst, mesh->distance(NodeId{centre}, NodeId{node}));
      best = std::min(best, worst);
    }
    return best;
  };
  const auto tight = bind_pattern("clustered", *mesh, count("4"));
  PatternOptions wide = count("4");
  wide.radius = "4";
  const auto loose = bind_pattern("clustered", *mesh, wide);
  std::uint64_t tight_sum = 0;
  std::uint64_t loose_sum = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CHECK(spread(tight, seed) <= 3);  // a corner has 5 others within 2 hops, the source may be one
    CHECK(spread(loose, seed) <= 4);
    tight_sum += spread(tight, seed);
    loose_sum += spread(loose, seed);
  }
  CHECK(tight_sum < loose_sum);
  // A single destination is the centre itself, unless that is the source.
  const auto one = bind_pattern("clustered", *mesh, count("1"));
  std::set<std::uint32_t> reached;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) reached.insert(draw(one, 40, seed).front());
  CHECK(reached.size() == 80);
}

TEST_CASE("rectangle: all nodes of a box of the size asked for, every place equally likely") {
  const auto mesh = make("mesh", {5, 4});
  PatternOptions options;
  options.rectangle = "3x2";
  const auto pattern = bind_pattern("rectangle", *mesh, options);
  Random random(1);
  std::map<std::vector<HostId>, int> seen;
  for (int i = 0; i < 9000; ++i) ++seen[pattern.destinations(HostId{19}, random)];
  CHECK(seen.size() == 9);
  for (const auto& [set, times] : seen) {
    CHECK(times > 850);
    CHECK(times < 1150);
    const std::uint32_t low = set.front().value;
    std::vector<HostId> box;
    for (std::uint32_t node : {low, low + 1, low + 2, low + 5, low + 6, low + 7})
      if (node != 19) box.push_back(HostId{node});
    CHECK(set == box);
  }
  options.rectangle = "1x1";  // drawn again until it is not the source
  const auto dot = bind_pattern("rectangle", *mesh, options);
  std::set<std::uint32_t> reached;
  for (std::uint64_t seed = 0; seed < 500; ++seed) reached.insert(draw(dot, 7, seed).front());
  CHECK(reached.size() == 19);
  options.rectangle.clear();
  const auto any = bind_pattern("rectangle", *mesh, options);
  std::set<std::size_t> sizes;
  for (std::uint64_t seed = 0; seed < 500; ++seed) sizes.insert(draw(any, 0, seed).size());
  CHECK(sizes.contains(19));
  CHECK(sizes.contains(1));
}

TEST_CASE("permutations are those of the literature") {
  const auto mesh = make("mesh", {4, 4});
  const auto cube = make("hypercube", {4});
  CHECK(draw(bind_pattern("transpose", *mesh, {}), 1 + 4 * 3) == std::vector<std::uint32_t>{3 + 4 * 1});
  CHECK_FALSE(bind_pattern("transpose", *mesh, {}).sends(HostId{5}));
  CHECK(draw(bind_pattern("transpose", *cube, {}), 0b0110) == std::vector<std::uint32_t>{0b1001});
  CHECK(draw(bind_pattern("transpose", *cube, {}), 0b0111) == std::vector<std::uint32_t>{0b1101});
  CHECK(draw(bind_pattern("transpose", *make("mesh", {3, 3, 3}), {}), 1 + 3 * 0 + 9 * 2) ==
        std::vector<std::uint32_t>{2 + 3 * 0 + 9 * 1});
  CHECK(draw(bind_pattern("bit-complement", *cube, {}), 0b0010) == std::vector<std::uint32_t>{0b1101});
  CHECK(draw(bind_pattern("bit-complement", *mesh, {}), 1 + 4 * 3) == std::vector<std::uint32_t>{2 + 4 * 0});
  CHECK_FALSE(bind_pattern("bit-complement", *make("mesh", {3, 3}), {}).sends(HostId{4}));
  const auto wide = make("mesh", {8, 5});
  CHECK(draw(bind_pattern("tornado", *wide, {}), 6 + 8 * 1) == std::vector<std::uint32_t>{1 + 8 * 3});
  CHECK(draw(bind_pattern("neighbour", *wide, {}), 7 + 8 * 1) == std::vector<std::uint32_t>{0 + 8 * 2});
  CHECK_FALSE(bind_pattern("tornado", *make("mesh", {2, 2}), {}).sends(HostId{1}));
}

TEST_CASE("broadcast is every other node, explicit is what was named") {
  const auto mesh = make("mesh", {2, 2});
  CHECK(draw(bind_pattern("broadcast", *mesh, {}), 2) == std::vector<std::uint32_t>{0, 1, 3});
  PatternOptions options;
  options.to = {"1,1", "0"};
  const auto named = bind_pattern("explicit", *mesh, options);
  CHECK(draw(named, 1) == std::vector<std::uint32_t>{0, 3});
  CHECK_FALSE(named.sends(HostId{3}));
  options.to = {"2"};
  CHECK(bind_pattern("explicit", *mesh, options).sends(HostId{2}));  // a self-send
}

TEST_CASE("hotspot: the hot nodes get their share, the others are equal") {
  const auto mesh = make("mesh", {4, 4});
  PatternOptions options;
  options.hotspot = {"5", "3,2"};
  options.hotspot_share = "0.5";
  const auto pattern = bind_pattern("hotspot", *mesh, options);
  Random random(1);
  std::map<std::uint32_t, int> times;
  for (int i = 0; i < 30000; ++i) ++times[pattern.destinations(HostId{0}, random).front().value];
  CHECK(times.size() == 15);
  for (const auto& [node, seen] : times) {
    const bool hot = node == 5 || node == 3 + 4 * 2;
    CHECK(seen > (hot ? 8150 : 880));
    CHECK(seen < (hot ? 8850 : 1120));
  }
  options.hotspot_share = "0";
  CHECK_FALSE(draw(bind_pattern("hotspot", *mesh, options), 0).empty());
}

TEST_CASE("what cannot be is refused with the reason") {
  const auto mesh = make("mesh", {4, 3});
  const auto cube = make("hypercube", {3});
  const auto dot = make("mesh", {1});
  const auto with = [](auto member, auto value) {
    PatternOptions options;
    options.*member = value;
    return options;
  };
  using Texts = std::vector<std::string>;
  const auto to = [&](Texts texts) { return with(&PatternOptions::to, std::move(texts)); };
  CHECK(refusal("unifrom", *mesh, {})
            .starts_with("--pattern: unknown pattern 'unifrom'; did you mean 'uniform'?"));
  CHECK(refusal("uniform", *mesh, to({"1"})) ==
        "--to: pattern 'uniform' does not take it; patterns that do: explicit");
  CHECK(refusal("broadcast", *mesh, count("3")) ==
        "--destinations: pattern 'broadcast' does not take it; patterns that do: uniform clustered mask "
        "invalidation hotspot");
  CHECK(refusal("explicit", *mesh, {}) == "--to: pattern 'explicit' needs the destinations");
  CHECK(refusal("explicit", *mesh, to({"12"})) == "--to: node 12 is not in mesh-4x3 (12 nodes)");
  CHECK(refusal("explicit", *mesh, to({"4,0"})) == "--to: '4,0' is not in mesh-4x3");
  CHECK(refusal("explicit", *mesh, to({"1,1,1"})) == "--to: '1,1,1' has 3 coordinates, mesh-4x3 has 2");
  CHECK(refusal("explicit", *cube, to({"1,1"})) ==
        "--to: '1,1' has coordinates, but hypercube-3 numbers its nodes, 0 to 7");
  CHECK(refusal("explicit", *mesh, to({"1,"})) == "--to: '' is not a whole number");
  CHECK(refusal("explicit", *mesh, to({"-1"})) == "--to: '-1' is not a whole number");
  CHECK(refusal("explicit", *mesh, to({"1e1"})) == "--to: '1e1' is not a whole number");
  CHECK(refusal("explicit", *mesh, to({"99999999999999999999"})) ==
        "--to: '99999999999999999999' is above 2^53-1");
  CHECK(refusal("explicit", *mesh, to({"1,0", "1"})) == "--to: node 1 is given twice");
  CHECK(refusal("uniform", *mesh, count("0")) ==
        "--destinations: '0' allows an empty destination set; at least 1 is needed");
  CHECK(refusal("uniform", *mesh, count("12")) ==
        "--destinations: 12 destinations beside the source need 13 nodes; mesh-4x3 has 12");
  CHECK(refusal("uniform", *mesh, count("5:3")) == "--destinations: '5:3' is an empty range");
  CHECK(refusal("uniform", *mesh, count("1:2:3")) ==
        "--destinations: '1:2:3' is neither a number nor a range such as 4:8");
  CHECK(refusal("uniform", *mesh, count("3.7")) ==
        "--destinations: '3.7' is neither a number nor a range such as 4:8");
  CHECK(refusal("uniform", *dot, {}) ==
        "--destinations: 1 destinations beside the source need 2 nodes; mesh-1 has 1");
  CHECK(refusal("broadcast", *dot, {}) == "--pattern: 'broadcast' needs two nodes, mesh-1 has one");
  CHECK(refusal("rectangle", *dot, {}) == "--pattern: 'rectangle' needs two nodes, mesh-1 has one");
  CHECK(refusal("rectangle", *cube, {}) ==
        "--pattern: 'rectangle' needs coordinates (mesh, torus), which hypercube-3 has not");
  const auto box = [&](std::string text) { return with(&PatternOptions::rectangle, std::move(text)); };
  CHECK(refusal("rectangle", *mesh, box("3")) == "--rectangle: '3' has 1 sizes for 2 dimensions (write 3x2)");
  CHECK(refusal("rectangle", *mesh, box("5x1")) ==
        "--rectangle: '5x1' is larger than the network: dimension 0 has 4 nodes");
  CHECK(refusal("rectangle", *mesh, box("0x1")) == "--rectangle: '0x1' has no nodes");
  CHECK(refusal("transpose", *mesh, {}) ==
        "--pattern: 'transpose' reverses the coordinates: it needs two or more dimensions of the same size, "
        "not mesh-4x3");
  CHECK(refusal("transpose", *cube, {}) ==
        "--pattern: 'transpose' swaps the halves of the address: it needs an even number of dimensions, "
        "hypercube-3 has 3");
  CHECK(refusal("tornado", *cube, {}) ==
        "--pattern: 'tornado' needs coordinates (mesh, torus), which hypercube-3 has not");
  CHECK(refusal("hotspot", *mesh, {}) == "--hotspot: pattern 'hotspot' needs at least one node");
  PatternOptions hot;
  hot.hotspot = {"1"};
  hot.hotspot_share = "1.5";
  CHECK(refusal("hotspot", *mesh, hot) == "--hotspot-share: 1.5 is above 1");
  hot.hotspot_share = "half";
  CHECK(refusal("hotspot", *mesh, hot) == "--hotspot-share: 'half' is not a decimal number such as 0.05");
}

}  // namespace wormcast::pattern_test
