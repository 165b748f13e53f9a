// Progress on a terminal.
// SPDX-License-Identifier: MIT
#include "io/command_line/progress.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace wormcast::io {
namespace {

/// Bytes of all inputs, or 0 where one of them is no regular file.
std::uint64_t bytes_of(std::vector<std::string> inputs) {
  if (inputs.empty()) inputs.emplace_back("-");
  std::uint64_t sum = 0;
  for (const std::string& input : inputs) {
    struct stat status {};
    const int failed = input == "-" ? fstat(STDIN_FILENO, &status) : stat(input.c_str(), &status);
    if (failed != 0 || !S_ISREG(status.st_mode)) return 0;
    sum += static_cast<std::uint64_t>(status.st_size);
  }
  return sum;
}

}  // namespace

Progress::Progress(std::string_view tool, const std::vector<std::string>& inputs)
    : shown_(isatty(STDERR_FILENO) == 1),
      tool_(tool),
      begin_(std::chrono::steady_clock::now()),
      last_(begin_) {
  if (shown_) total_bytes_ = bytes_of(inputs);
}

Progress::~Progress() { wipe(); }

void Progress::wipe() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::show(std::uint64_t cycle) {
  if (!is_time()) return;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(last_ - begin_).count();
  std::string text = fmt::format("\r\033[K{}: cycle {}, {} records, {:.0f} records/s", tool_, cycle, records_,
                                 static_cast<double>(records_) / seconds);
  if (total_bytes_ > bytes_)
    text += fmt::format(", {:.0f} s left",
                        seconds * static_cast<double>(total_bytes_ - bytes_) / static_cast<double>(bytes_));
  std::fputs(text.c_str(), stderr);
}

bool Progress::is_time() {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(200)) return false;
  last_ = now;
  return true;
}

void Progress::say_at_times(std::string_view what) {
  if (shown_ && is_time()) say(what);
}

void Progress::say(std::string_view what, bool stays) {
  if (!shown_) return;
  wipe();
  drawn_ = !stays;
  std::fputs(fmt::format("{}: {}{}", tool_, what, stays ? "\n" : "").c_str(), stderr);
}

}  // namespace wormcast::io
