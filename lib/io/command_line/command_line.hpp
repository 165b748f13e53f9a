// What a tool declares on its command line, and how it is used: what help, man pages and completions are made
// of. CLI11 is behind it: its header takes seconds to compile, so that one source file of the library
// includes it and no tool does.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

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
  ToolText text;
  std::string version;
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

/// Refuses an operand that stands where a file should, is none, and is a `known` name; `meant` says of which
/// thing, the name for {}.
void refuse_names_as_files(const std::vector<std::string>& files,
                           const std::function<bool(std::string_view name)>& known, std::string_view meant);

/// An option or an operand that was declared; a handle that can be copied. Every function returns it again.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// A usage error where it is given without, or together with, the other one.
  Option needs(Option other) const;
  Option excludes(Option other) const;
  /// A usage error for a value outside [least, most], or for another word.
  Option range(std::uint64_t least, std::uint64_t most) const;
  Option one_of(const std::vector<std::string>& words) const;
  /// It may be given again; each time it takes one value, or several with this between them.
  Option one_value_each() const;
  Option separated_by(char separator) const;
  /// It can stand without a value, which is then `value`.
  Option value_may_lack(const std::string& value) const;
  /// Help shows the value that the variable has now.
  Option show_default() const;

 private:
  CLI::Option* option_;
};

/// What a command line asks a tool for.
enum class Asked { work, short_help, full_help, version };

/// Declares options and operands by the variables that they fill, and fills them. A name without dashes is an
/// operand; numbers are plain decimal digits within the range of records, and an empty value is a usage
/// error.
class CommandLine {
 public:
  /// With --help, --help-all and --version.
  explicit CommandLine(const ToolText& text);
  ~CommandLine();

  template <class... Types>
  using OneOf = std::variant<std::reference_wrapper<Types>...>;
  /// The variable of an option: a text, a number, an optional one of these, or texts.
  using Filled = OneOf<std::string, std::uint32_t, std::uint64_t, std::optional<std::string>,
                       std::optional<std::uint32_t>, std::optional<std::uint64_t>, std::vector<std::string>>;
  /// `argument` stands for the value in help, man pages and completions: FILE, N, strict|free; "": that
  /// follows from the variable.
  Option add_option(const std::string& name, Filled value, const std::string& argument,
                    const std::string& help);
  Option add_option(const std::string& name, Filled value, const std::string& help) {
    return add_option(name, value, "", help);
  }
  /// One without help is in none of help, man pages and completions: --describe, of which these are made.
  Option add_flag(const std::string& name, bool& value, const std::string& help);
  /// A flag that sets a text: `--literal` is `word` there.
  Option add_flag(const std::string& name, const std::string& word, std::string& value,
                  const std::string& help);
  /// The heading that the options declared from here on are listed under.
  void group(const std::string& heading = own_group);
  bool has(const std::string& name) const;

  /// Once, when all is declared: fills the variables. Throws InputError for a usage error.
  Asked parse(std::vector<std::string> arguments);
  /// What was declared.
  Usage usage(std::string_view version, const std::vector<NameList>& lists) const;

 private:
  static constexpr const char* own_group = "Options";  ///< without a heading of its own

  ToolText text_;
  std::unique_ptr<CLI::App> app_;
};

/// An operand that must be a whole number within the range of records, in plain digits; throws InputError
/// otherwise.
std::uint64_t whole_number_operand(const std::string& name, const std::string& text);

}  // namespace wormcast::io
