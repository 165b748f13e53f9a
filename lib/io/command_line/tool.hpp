// What every tool's main is made of: options, one-line errors, exit codes, checked output.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/command_line/command_line.hpp"
#include "io/command_line/usage.hpp"
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

}  // namespace wormcast::io
