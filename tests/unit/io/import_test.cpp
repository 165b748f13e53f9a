// Formats of networks: how files are known that converters read, and what node-link JSON keeps.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "io/export/format.hpp"
#include "io/import/format.hpp"
#include "io/records/topology_record.hpp"
#include "topology/error.hpp"
#include "topology/faults.hpp"
#include "topology/random.hpp"
#include "topology/topology.hpp"
#include "unit/networks.hpp"

namespace wormcast::import_test {

using namespace wormcast::io;

namespace {

Imported import(const std::string& text, const std::string& format = "auto") {
  return import_network(std::vector<ImportFile>{{"net", text, false}}, format);
}

std::string refusal(const std::string& text, const std::string& format) {
  try {
    import(text, format);
  } catch (const InputError& error) {
    return error.place + (error.field.empty() ? ": " : ": " + error.field + ": ") + error.what();
  }
  return "accepted";
}

std::string record_of(TopologySpec spec) {
  spec.generator.clear();
  RecordLine line;
  return std::string(write_topology_record(*build_topology(std::move(spec)), line));
}

}  // namespace

TEST_CASE("what a converter reads is known by its looks") {
  const auto known = [](const std::string& text) {
    return format_of(std::vector<ImportFile>{{"net", text, false}}, "auto").name;
  };
  for (const char* text :
       {"graph{a--b}", "Graph x { a }", "strict graph { a }", "digraph { a -> b }", "DIGRAPH \"a \\\" {\" {}",
        "// one\n/* two\n */ graph \"g\" {\n# three\n a}", "# one\n strict digraph 7 { }", "digraph/**/g{"})
    CHECK_MESSAGE(known(text) == "dot", text);
  for (const char* text : {"graph [ node [ id 1 ] ]", "# one\ngraph\n[", "Version 1\ngraph [ directed 1"})
    CHECK_MESSAGE(known(text) == "gml", text);
  CHECK(known("3 2\n2\n1 3\n2\n") == "metis");
  CHECK(known("router 0 node 0 router 1\n") == "anynet");
  CHECK(known("# a\nSwitch 8 \"a\"\n[1] \"b\"[1]\n") == "ibnetdiscover");
  for (const char* text : {"3 4\n4 5\n5 6\n6 3\n", "graphs {", "digraph", "graph x y {", "/*", "//", "#"})
    CHECK_MESSAGE(known(text) == "edge-list", text);  // its converter says what it is not
  CHECK(refusal("3 2\n2\n1 3\n2\n", "auto").find("metis FILE | gen-topology import") != std::string::npos);
  CHECK(refusal("a b\nb c\n", "auto").find("perhaps in format edge-list, which a converter") !=
        std::string::npos);
}

TEST_CASE("the export to node-link JSON is read back whole") {
  const ExportFormat* json = find_export_format("node-link");
  REQUIRE(json != nullptr);
  Random random(11);
  for (int run = 0; run < 60; ++run) {
    TopologySpec spec;
    spec.family = "graph";
    GraphSpec& graph = spec.graph;
    graph.routers = static_cast<std::uint32_t>(random.between(2, 9));
    const auto pair = [&](std::uint64_t most) {
      return std::array{static_cast<std::uint32_t>(1 + random.below(most)),
                        static_cast<std::uint32_t>(1 + random.below(most))};
    };
    const char* words[] = {"", "a \"b\"", "back\\slash\\", "two\nlines", "\\N", "é", "x{}[]--;"};
    const auto word = [&] { return std::string(words[random.below(std::size(words))]); };
    for (std::uint32_t r = 1; r < graph.routers; ++r) {
      GraphLink link;
      link.ends = {static_cast<std::uint32_t>(random.below(r)), r};
      for (LinkValues::Both& both : link.own.of)
        if (random.below(2) == 0) both = pair(9);
      link.own[LinkValue::virtual_channels] = {};  // the network says how many are the most
      link.own[LinkValue::flit_cycles] = pair(9);  // or the import works them out
      if (random.below(2) == 0) link.width = static_cast<std::uint32_t>(1 + random.below(12));
      if (random.below(2) == 0) link.speed = word();
      graph.links.push_back(link);
    }
    const std::uint64_t hosts = 1 + random.below(5);
    const bool host_links = random.below(2) == 0;
    for (std::uint64_t h = 0; h < hosts; ++h) {
      graph.hosts.push_back(static_cast<std::uint32_t>(random.below(graph.routers)));
      if (!host_links) continue;
      graph.host_links.emplace_back().own[LinkValue::hop_cycles] = pair(9);
      graph.host_links.back().own[LinkValue::flit_cycles] = pair(9);
      if (random.below(2) == 0) graph.host_links.back().speed = word();
    }
    if (random.below(2) == 0) {
      for (std::uint32_t r = 0; r < graph.routers; ++r) graph.names.push_back(word());
      for (std::uint64_t h = 0; h < hosts; ++h) graph.host_names.push_back(word());
    }
    const std::string text = json->write(spec, "a \"name\"");
    CHECK_MESSAGE(record_of(import(text).spec) == record_of(spec), text);
  }
  const auto mesh = testing::make("mesh", {3, 2});
  CHECK(record_of(import(json->write(as_graph(*mesh), "mesh")).spec) == record_of(as_graph(*mesh)));
}

}  // namespace wormcast::import_test
