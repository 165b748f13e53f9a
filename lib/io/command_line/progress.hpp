// Progress on a terminal: how far, how fast, how long still. Silent everywhere else.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wormcast::io {

class Progress {
 public:
  /// `inputs` are the tool's FILE operands; where all are regular files (or standard input is one)
  /// the time still needed can be told from their sizes.
  Progress(std::string_view tool, const std::vector<std::string>& inputs);
  /// Wipes the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more record of so many bytes has been dealt with; `cycle` is where the simulation stands.
  void record(std::uint64_t bytes, std::uint64_t cycle) {
    if (!shown_) return;
    ++records_;
    bytes_ += bytes;
    if (records_ % 256 == 0) show(cycle);
  }

  /// What is being done; `stays`: a line that is not wiped.
  void say(std::string_view what, bool stays = false);
  /// The same of what changes fast: not more than a few times a second.
  void say_at_times(std::string_view what);
  void wipe();

 private:
  void show(std::uint64_t cycle);
  /// True if some time has passed since it last was.
  bool is_time();

  bool shown_;
  std::string tool_;
  std::uint64_t total_bytes_ = 0;  ///< 0: not known
  std::uint64_t records_ = 0;
  std::uint64_t bytes_ = 0;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace wormcast::io
