// Readers of graphs: edge lists and Graphviz text in the forms people have them, and what they refuse.
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
  return import_network(std::vector<ImportFile>{{"net", text}}, format);
}

/// "a-b b-c": the links by names, and what was left out behind it.
std::string links_of(const std::string& text, const std::string& format = "auto") {
  const Imported found = import(text, format);
  std::string links;
  for (const GraphLink& link : found.spec.graph.links)
    links += (links.empty() ? "" : " ") + found.spec.graph.names[link.ends[0]] + "-" +
             found.spec.graph.names[link.ends[1]];
  for (const auto& [what, count] : found.notes) links += "; " + what + " " + count;
  return links;
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

TEST_CASE("an edge list is the same network however its columns stand apart") {
  for (const char* text : {"a b\nb c\n", "a\tb\r\nb\tc\r\n", "# x\na,b\n% y\nb,c\n", "a; b\nb ;c",
                           "a b {}\nb c {}\n", "source,target\na,b\nb,c\n", "\"To\";\"From\"\nb;a\nc;b\n",
                           "\"a\",\"b\"\n\"b\",\"c\"\n", "  a   b  \n\n  b c\n", "a b\nb a\nb c\nc b\n"})
    CHECK_MESSAGE(links_of(text) == "a-b b-c", text);
}

TEST_CASE("what an edge list says besides is counted") {
  CHECK(links_of("1 2 7\n2 3 -1.5e3\n") == "1-2 2-3; left-out-weights 2");
  CHECK(links_of("1 2\n1 2\n2 1\n2 2\n") == "1-2; left-out-loop-links 1; left-out-repeated-links 1");
  CHECK(links_of("a b {'w': 3}\nb c {}\n") == "a-b b-c; left-out-attributes 1");
  CHECK(links_of("id,from,to,w\n0,a,b,3\n1,b,c,4\n") == "a-b b-c; left-out-columns 2");
}

TEST_CASE("what is no edge list is not taken for one") {
  for (const char* text : {"a b c\n", "hello\n", "a b\nc,d\n", "%%MatrixMarket matrix\n3 3 1\n1 2\n",
                           "a b\nb {\n", "is this?\nno it\n", "a,\n", ",\n", "source,target\n"})
    CHECK_THROWS_AS(import(text), InputError);
  CHECK(refusal("a,b\nb,c,x\n", "edge-list").find("net: line 2") != std::string::npos);
}

TEST_CASE("a METIS graph is told from an edge list by what it counts") {
  CHECK(refusal("3 2\n2\n1 3\n2\n", "auto").find("metis FILE | gen-topology import") != std::string::npos);
  CHECK(links_of("3 4\n4 5\n5 6\n6 3\n") == "3-4 4-5 5-6 6-3");
}

TEST_CASE("Graphviz text: chains, subgraphs, ports, comments, quotes and keywords in any case") {
  for (const char* text :
       {"graph{a--b--c}", "Graph x { a -- b; b -- c; }", "strict graph { a -- b b -- a b -- c }",
        "digraph { a -> b -> a; c -> b b -> c [x=1]}", "graph { a:p:ne -- b:\"q\" -- c:s }",
        "// one\n/* two\n */ graph \"g\" {\n# three\n a [label=<<b>x</b>>] a -- b b -- c}",
        "graph { subgraph s { a -- b } { node [class=host] } b -- c }",
        "graph { node [label=\"\\N\"]; \"a\" -- \"\" + \"b\" -- c [label=\"\"] }"})
    if (std::string(text).find("b:") != std::string::npos)
      CHECK_MESSAGE(links_of(text) == "a-b b-c; left-out-port-names of 2 edges", text);
    else if (std::string(text).find("digraph") == std::string::npos)
      CHECK_MESSAGE(links_of(text) == "a-b b-c", text);
    else
      CHECK_MESSAGE(links_of(text) == "a-b c-b; left-out-edge-attributes x of 1 edge", text);
  CHECK(links_of("graph {\n a -- { b c }\n}") == "a-b a-c");
  CHECK(links_of("graph {\n { b c } -- a -- subgraph s { d -- e }; subgraph s -- { subgraph s2 { f } } }") ==
        "d-e b-a c-a a-d a-e d-f e-f");
  CHECK(links_of("digraph { a -> b -> c -> b }") == "a-b b-c; one-way-links 1");
  CHECK(links_of("digraph { a -> b [dir=both] b -> c [dir=none] c -> a [dir=back] c -> a }") ==
        "a-b b-c a-c");
  CHECK(links_of("graph { a -- b -- a -- a }") == "a-b b-a; left-out-loop-links 1");
}

TEST_CASE("Graphviz text that says no network is refused with its line") {
  const std::pair<const char*, const char*> cases[] = {
      {"graph {\n a -> b\n}", "line 2: '->' in a graph that is not a digraph"},
      {"digraph {\n a -- b\n}", "line 2: '--' in a digraph"},
      {"graph {\n a -- 1b\n}", "line 2: '1b' is neither a number nor a name"},
      {"graph {\n a -- \"b\n}", "line 2: a text in quotes does not end"},
      {"graph {\n /* a\n}", "line 2: a comment does not end"},
      {"graph {\n a -- <b\n}", "line 2: an HTML text does not end"},
      {"graph {\n a -- b\n", "line 3: a closing brace is missing"},
      {"graph { a }\ngraph { b }", "line 2: something follows the graph"},
      {"graph {\n a [label=]\n}", "line 2: a name is missing before ']'"},
      {"graph {\n a @ b\n}", "line 2: '@' has no place here"},
      {"graph {\n a -- b [hop_cycles=\"1,\"]\n}", "line 2: hop_cycles: '' is not a number"},
      {"graph { virtual_channels=256; a }", "virtual_channels: '256' is not between 1 and 255"},
      {"graph { spanning_tree_root=b; a }", "there is no router 'b'"},
      {"graph { a [path_label=0]; b; a -- b }", "some routers have one and some have none"},
      {"graph { }", "no node is a router"}};
  for (const auto& [text, message] : cases) {
    const std::string said = refusal(text, "dot");
    CHECK_MESSAGE(said.find(message) != std::string::npos, said);
  }
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "{";
  CHECK(refusal("graph " + deep, "dot").find("nested too deep") != std::string::npos);
  std::string set;
  for (int i = 0; i < 1100; ++i) set += " n" + std::to_string(i);
  CHECK(refusal("graph { {" + set + "} -- {" + set + "} }", "dot").find("edges between two sets") !=
        std::string::npos);
}

TEST_CASE("the export to Graphviz is read back whole") {
  const ExportFormat* dot = find_export_format("dot");
  REQUIRE(dot != nullptr);
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
      if (random.below(2) == 0) link.hop_cycles = pair(9);
      if (random.below(2) == 0) link.width = static_cast<std::uint32_t>(1 + random.below(12));
      if (random.below(2) == 0) link.speed = word();
      graph.links.push_back(link);
    }
    const std::uint64_t hosts = 1 + random.below(5);
    const bool host_links = random.below(2) == 0;
    for (std::uint64_t h = 0; h < hosts; ++h) {
      graph.hosts.push_back(static_cast<std::uint32_t>(random.below(graph.routers)));
      if (!host_links) continue;
      graph.host_links.emplace_back().hop_cycles = pair(9);
      if (random.below(2) == 0) graph.host_links.back().speed = word();
    }
    if (random.below(2) == 0) {
      for (std::uint32_t r = 0; r < graph.routers; ++r) graph.names.push_back(word());
      for (std::uint64_t h = 0; h < hosts; ++h) graph.host_names.push_back(word());
    }
    if (random.below(2) == 0) spec.root = static_cast<std::uint32_t>(random.below(graph.routers));
    if (random.below(2) == 0) spec.virtual_channels = static_cast<std::uint32_t>(1 + random.below(255));
    const std::string text = dot->write(spec, "a \"name\"");
    CHECK_MESSAGE(record_of(import(text).spec) == record_of(spec), text);
  }
  const auto mesh = testing::make("mesh", {3, 2});
  CHECK(record_of(import(dot->write(as_graph(*mesh), "mesh")).spec) == record_of(as_graph(*mesh)));
}

}  // namespace wormcast::import_test
