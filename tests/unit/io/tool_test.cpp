// No exception leaves a tool: what it was about is one line on stderr, and the status says "no answer".
// SPDX-License-Identifier: MIT
#include "io/command_line/tool.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>

#include "topology/error.hpp"

namespace wormcast::tool_test {

namespace {

struct Options {};

/// What is written to stderr meanwhile.
class StderrAsText {
 public:
  StderrAsText() : file_(std::tmpfile()), kept_(::dup(STDERR_FILENO)) {
    std::fflush(stderr);
    ::dup2(::fileno(file_), STDERR_FILENO);
  }
  ~StderrAsText() {
    ::dup2(kept_, STDERR_FILENO);
    ::close(kept_);
    std::fclose(file_);
  }
  StderrAsText(const StderrAsText&) = delete;
  StderrAsText& operator=(const StderrAsText&) = delete;

  std::string text() const {
    std::fflush(stderr);
    std::array<char, 1000> bytes{};
    return {bytes.data(), static_cast<std::size_t>(::pread(::fileno(file_), bytes.data(), bytes.size(), 0))};
  }

 private:
  std::FILE* file_;
  int kept_;
};

/// Of a tool whose work ends by throwing that.
template <class Exception>
std::string said(Exception (*thrown)()) {
  static Exception (*make)() = nullptr;
  make = thrown;
  constexpr io::ToolText text = {.name = "a-tool", .summary = "Throw.", .details = ""};
  std::string name = text.name.data();
  std::array<char*, 2> arguments = {name.data(), nullptr};
  const StderrAsText stderr_as_text;
  const int status = io::run_tool<Options>(
      1, arguments.data(), text, [](io::CommandLine&, Options&, io::CommonOptions&) {},
      [](const Options&, const io::CommonOptions&, io::Output&) -> int { throw make(); });
  return std::to_string(status) + " " + stderr_as_text.text();
}

}  // namespace

TEST_CASE("a tool says in one line what ended it") {
  CHECK(said<InputError>([] { return InputError("--seed", "is odd"); }) == "2 a-tool: --seed: is odd\n");
  CHECK(said<io::SystemError>([] { return io::SystemError("a.jsonl: not there"); }) ==
        "2 a-tool: a.jsonl: not there\n");
  CHECK(said<std::bad_alloc>([] { return std::bad_alloc(); }) == "2 a-tool: out of memory\n");
}

TEST_CASE("an exception that is no refusal is an internal error, and no answer") {
  const std::string rest = "; no answer: please report the command and its input\n";
  CHECK(said<std::logic_error>([] { return std::logic_error("numbering refused:\nchannel 3"); }) ==
        "2 a-tool: internal error: numbering refused: channel 3" + rest);
  CHECK(said<std::out_of_range>([] { return std::out_of_range("at"); }) ==
        "2 a-tool: internal error: at" + rest);
}

}  // namespace wormcast::tool_test
