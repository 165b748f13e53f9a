// Names that look alike.
// SPDX-License-Identifier: MIT
#include "topology/name_table.hpp"

#include <doctest/doctest.h>

using namespace wormcast;

TEST_CASE("what was perhaps meant: another spelling, a beginning, a word of it, few edits") {
  const std::vector<std::string_view> known = {"xy-tree",      "u-tree", "ocms",
                                               "ocms-up-down", "--list", "--destinations"};
  CHECK(did_you_mean("OCMS", known) == "did you mean 'ocms'?");
  CHECK(did_you_mean("xy_tree", known) == "did you mean 'xy-tree'?");
  CHECK(did_you_mean("ocms-up", known) == "did you mean 'ocms-up-down'?");
  CHECK(did_you_mean("tree", known) == "did you mean 'xy-tree' or 'u-tree'?");
  CHECK(did_you_mean("--dest", known) == "did you mean '--destinations'?");  // two edits from --list
  CHECK(did_you_mean("--lisst", known) == "did you mean '--list'?");
  CHECK(did_you_mean("oc", known) == "did you mean 'ocms' or 'ocms-up-down'?");
  CHECK(did_you_mean("ocms-updn", known) == "did you mean 'ocms-up-down'?");
  CHECK(did_you_mean("ree", known).empty());
  CHECK(did_you_mean("", known).empty());
  CHECK(did_you_mean("--", known).empty());
  CHECK(did_you_mean(std::string(100000, 'x'), known).empty());
}

TEST_CASE("at most two names are offered, and a long list is left to the command that prints it") {
  CHECK(did_you_mean("a-", {"a-1", "a-2"}).empty());  // one letter begins too much
  CHECK(did_you_mean("ab", {"ab1", "ab2", "ab3", "ab4", "ab5"}) == "did you mean 'ab1' or 'ab2'?");
  CHECK(unknown_name_message("thing", "ab", {"ab1", "c"}, "tool --list") ==
        "unknown thing 'ab'; did you mean 'ab1'? (known: ab1 c)");
  const std::string longest(101, 'c');
  CHECK(unknown_name_message("thing", "x", {longest}, "tool --list") ==
        "unknown thing 'x' (tool --list names all)");
  CHECK(unknown_name_message("thing", "ab", {"ab1", longest}) == "unknown thing 'ab'; did you mean 'ab1'?");
  CHECK(unknown_name_message("thing", "x", {longest}) == "unknown thing 'x' (known: " + longest + ")");
}
