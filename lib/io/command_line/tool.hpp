// What every tool's main is made of: options, one-line errors, exit codes, checked output.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "io/command_line/command_line.hpp"
#include "io/records/record_stream.hpp"
#include "io/text/output.hpp"

namespace wormcast::io {

/// Exit status (README.md, "The tools").
enum : int {
  exit_yes = 0,     ///< done, and the answer is good
  exit_no = 1,      ///< done, and the answer is no
  exit_failure = 2  ///< could not answer: usage, input, I/O
};

/// Options that every tool has.
struct CommonOptions {
  std::string output_path;          ///< -o; "" = standard output
  std::vector<std::string> inputs;  ///< FILE operands, where the tool reads records
  bool verbose = false;             ///< -v: diagnostics on stderr
  std::vector<NameList> lists;      ///< what arguments can be, for help and completions
  bool described = false;           ///< --describe, hidden
  bool listed = false;              ///< --list, where the tool has one that needs no other option
  void (*list)(Output&) = nullptr;  ///< what it writes, in place of the tool's work
};

/// Names of a registry that an argument whose type name is `argument` can be.
template <class Registry>
void add_names(CommonOptions& common, std::string argument, std::string title, const Registry& registry,
               bool several = false) {
  NameList list{std::move(argument), std::move(title), {}, several};
  for (const auto* entry : registry) list.entries.emplace_back(entry->name, entry->summary);
  common.lists.push_back(std::move(list));
}

/// Declares the FILE operands of a tool that reads records.
void add_inputs(CommandLine& line, CommonOptions& common);
/// Declares --list.
void add_list(CommandLine& line, CommonOptions& common, const std::string& help, void (*list)(Output&));

namespace detail {
int run(int argc, char** argv, const ToolText& text, CommonOptions& common,
        const std::function<void(CommandLine&)>& declare, const std::function<int(Output&)>& work);
}

/// Parses argv, runs the tool and returns its exit status. `declare(line, options, common)` adds the
/// tool's options and does no work; `work(options, common, output)` starts when all are valid. The
/// output is finished, and a named file put in its place, only if `work` returns.
template <class Options>
int run_tool(int argc, char** argv, const ToolText& text,
             void (*declare)(CommandLine&, Options&, CommonOptions&),
             int (*work)(const Options&, const CommonOptions&, Output&)) {
  Options options;
  CommonOptions common;
  return detail::run(
      argc, argv, text, common, [&](CommandLine& line) { declare(line, options, common); },
      [&](Output& output) { return work(options, common, output); });
}

/// On a terminal: how far, how fast, how long still, and after two silent seconds for how long. Silent
/// everywhere else.
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
  using Clock = std::chrono::steady_clock;
  void show(std::uint64_t cycle);
  void watch();
  void write(std::string_view what, bool stays);

  bool shown_;
  std::string tool_;
  std::uint64_t total_bytes_ = 0;  ///< 0: not known
  std::uint64_t records_ = 0;
  std::uint64_t bytes_ = 0;
  Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  // Under the mutex:
  bool drawn_ = false, ends_ = false;
  Clock::time_point last_ = begin_;  ///< something has been said
  std::condition_variable wake_;
  std::thread watch_;  ///< libc++ 14 has no jthread
};

}  // namespace wormcast::io
