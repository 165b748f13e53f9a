// What a tool declares on its command line. CLI11 is behind it: its header takes seconds to compile, so that
// one source file of the library includes it and no tool does.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/command_line/usage.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace wormcast::io {

/// An option or an operand that was declared; a handle that can be copied. Every function returns it again.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// What stands for the value in help, man pages and completions: FILE, N, strict|free.
  Option type_name(const std::string& name) const;
  /// The heading that it is listed under; "" hides it.
  Option group(const std::string& heading) const;
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

  /// Of a text, a number, an optional one of these, or texts.
  template <class T>
  Option add_option(const std::string& name, T& value, const std::string& help);
  Option add_flag(const std::string& name, bool& value, const std::string& help);
  /// A flag that sets a text: `--literal` is `word` there.
  Option add_flag(const std::string& name, const std::string& word, std::string& value,
                  const std::string& help);
  bool has(const std::string& name) const;

  /// Once, when all is declared: fills the variables. Throws InputError for a usage error.
  Asked parse(std::vector<std::string> arguments);
  /// What was declared.
  Usage usage(std::string_view version, const std::vector<NameList>& lists) const;

 private:
  ToolText text_;
  std::unique_ptr<CLI::App> app_;
};

/// An operand that must be a whole number within the range of records, in plain digits; throws InputError
/// otherwise.
std::uint64_t whole_number_operand(const std::string& name, const std::string& text);

}  // namespace wormcast::io
