// Formats of networks: how files are known that converters read.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "io/import/format.hpp"
#include "topology/error.hpp"

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
  CHECK(known("{\"nodes\":[{\"id\":1}],\"links\":[]}") == "node-link");
  CHECK(known("3 2\n2\n1 3\n2\n") == "metis");
  CHECK(known("router 0 node 0 router 1\n") == "anynet");
  CHECK(known("# a\nSwitch 8 \"a\"\n[1] \"b\"[1]\n") == "ibnetdiscover");
  for (const char* text : {"3 4\n4 5\n5 6\n6 3\n", "graphs {", "digraph", "graph x y {", "/*", "//", "#"})
    CHECK_MESSAGE(known(text) == "edge-list", text);  // its converter says what it is not
  CHECK(refusal("3 2\n2\n1 3\n2\n", "auto").find("metis FILE | gen-topology import") != std::string::npos);
  CHECK(refusal("a b\nb c\n", "auto").find("perhaps in format edge-list, which a converter") !=
        std::string::npos);
}

}  // namespace wormcast::import_test
