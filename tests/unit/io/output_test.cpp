// Outputs that options name must not get into each other's way.
// SPDX-License-Identifier: MIT
#include "io/text/output.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "topology/error.hpp"

namespace wormcast::output_test {

using namespace wormcast::io;

namespace {

/// What require_separate_outputs says, with the option; "" where it accepts.
std::string refusal(const std::string& records, const std::vector<NamedOutput>& others) {
  try {
    require_separate_outputs(records, others);
  } catch (const InputError& error) {
    return error.field + ": " + error.what();
  }
  return "";
}

struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "wormcast-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

}  // namespace

TEST_CASE("outputs: standard output takes one thing") {
  CHECK(refusal("", {{"--trace", "-"}}) == "--trace: standard output is where the records go");
  CHECK(refusal("-", {{"--trace", "-"}}) == "--trace: standard output is where the records go (-o)");
  CHECK(refusal("out.jsonl", {{"--trace", "-"}}).empty());
  CHECK(refusal("", {{"--trace", ""}}).empty());
  CHECK(refusal("out.jsonl", {{"--witness", "-"}, {"--dot", "-"}}) ==
        "--dot: standard output is where --witness goes");
  CHECK(refusal("", {{"--witness", ""}, {"--dot", ""}}).empty());
}

TEST_CASE("outputs: a file is the same however it is spelled, whether it exists or not") {
  const Folder folder;
  const std::string file = folder.file("a.jsonl");
  const std::string same = (folder.path / "." / "a.jsonl").string();
  const std::string other = folder.file("b.jsonl");
  for (const bool exists : {false, true}) {
    CAPTURE(exists);
    if (exists) std::ofstream(file) << "x";
    CHECK(refusal(file, {{"--trace", same}}) == "--trace: " + same + " is where the records go (-o)");
    CHECK(refusal(file, {{"--trace", other}}).empty());
  }
  std::filesystem::create_hard_link(file, other);
  CHECK(refusal(file, {{"--trace", other}}) == "--trace: " + other + " is where the records go (-o)");
}

TEST_CASE("outputs: devices take whatever comes") {
  CHECK(refusal("/dev/null", {{"--trace", "/dev/null"}}).empty());
  CHECK(refusal("", {{"--witness", "/dev/null"}, {"--dot", "/dev/null"}}).empty());
}

}  // namespace wormcast::output_test
