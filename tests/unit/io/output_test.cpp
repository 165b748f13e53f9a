// Outputs that options name must not get into each other's way.
// SPDX-License-Identifier: MIT
#include "io/text/output.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

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

TEST_CASE("outputs: pieces of any size arrive, one behind the other") {
  const Folder folder;
  const std::string file = folder.file("pieces");
  constexpr std::size_t buffer = std::size_t{1} << 17;
  std::string expected;
  io::Output output(file);
  char letter = 'a';
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, buffer - 2, std::size_t{1}, std::size_t{1}, buffer - 1, buffer,
        buffer + 1, std::size_t{0}, 3 * buffer, std::size_t{17}}) {
    const std::string piece(size, letter++);
    output.write(piece);
    expected += piece;
  }
  output.write({});
  CHECK(output.summary() == std::to_string(expected.size()) + " bytes to " + file);
  output.finish();
  std::ifstream in(file, std::ios::binary);
  const std::string read((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  CHECK(read == expected);
}

}  // namespace wormcast::output_test
