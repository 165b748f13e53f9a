// How a tool is used, taken from its option definitions: what help, man pages and completions are made of.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wormcast::io {

/// What a tool is and does, for --help.
struct ToolText {
  std::string_view name;     ///< gen-topology
  std::string_view summary;  ///< one sentence
  std::string_view details;  ///< kinds read and written, exit status, an example
};

/// Names that an argument can have: planners, topologies. The argument's type name says which list.
struct NameList {
  std::string argument;  ///< PLANNERS
  std::string title;     ///< "Planners:" above it in --help; "" = not there
  std::vector<std::pair<std::string, std::string>> entries;  ///< name, summary
  bool several = false;                                      ///< separated by commas
};

/// An option or an operand.
struct OptionUsage {
  std::vector<std::string> flags;  ///< -o, --output; none for an operand
  std::string argument;            ///< FILE, N, strict|free (words that can be typed); "" for a flag
  bool many = false;               ///< takes several values
  std::string help;
  std::string relations;  ///< " Needs --x. Not with --y, --z."
  std::string group;      ///< heading; "" for a tool's own
};

struct Usage {
  std::string name;
  std::string version;
  std::string summary;
  std::string details;
  std::vector<OptionUsage> operands;
  std::vector<OptionUsage> options;
  std::vector<NameList> lists;
};

/// --help: one screen. Options of a group are named only, with full_help to explain them.
std::string short_help(const Usage& usage);
/// --help-all: every option in full.
std::string full_help(const Usage& usage);
/// All of it as JSON, of which data/package/describe makes the man page and completions.
std::string described(const Usage& usage);

/// "it is gen-multicast --rate" for an option that another tool has, or other simulators under that name; ""
/// for others.
std::string_view option_by_other_word(std::string_view option);

/// "it is flattened-butterfly" for a network that others call so, or that has no family of its own; "" for
/// others.
std::string_view network_by_other_word(std::string_view network);

/// Refuses an operand that stands where a file should, is none, and is a name: `meant` says of which thing,
/// or "".
void refuse_names_as_files(const std::vector<std::string>& files,
                           std::string (*meant)(std::string_view name));

}  // namespace wormcast::io
