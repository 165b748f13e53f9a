// The command line by CLI11, and what it says of itself.
// SPDX-License-Identifier: MIT
#include "io/command_line/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "topology/ids.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

std::string refuse_number(const std::string& text) {
  const std::string digits = text.substr(text.starts_with('-') ? 1 : 0);
  const bool number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  if (!number || (digits.size() > 1 && digits[0] == '0'))
    return "'" + text.substr(0, 100) + "' is not a whole number";
  const std::string greatest = std::to_string(max_integer);
  const bool above = digits.size() != greatest.size() ? digits.size() > greatest.size() : digits > greatest;
  return above ? "'" + text.substr(0, 100) + "' is out of range" : "";
}

std::string refuse_negative(const std::string& text) {
  return text.starts_with('-') ? "'" + text.substr(0, 100) + "' is negative" : "";
}

/// CLI11 reads 010 as 8, 0x10 as 16, -1 as 2^64-1 and cuts what is too large: integers are to be plain
/// decimal digits within the range of records.
void require_plain_integers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (!type.starts_with("UINT") && !type.starts_with("INT")) continue;
    option->check(CLI::Validator(refuse_number, ""));
    if (type.starts_with("UINT")) option->check(CLI::Validator(refuse_negative, ""));
  }
}

/// A script's unset variable would pass for an option that was not given. Operands say for themselves what
/// they lack, numbers that '' is none.
void refuse_empty_values(CLI::App& app) {
  const CLI::Validator not_empty([](const std::string& text) { return text.empty() ? "is empty" : ""; }, "");
  for (CLI::Option* option : app.get_options()) {
    const bool may_lack_value = option->get_items_expected_min() == 0;  // flags, and --find-labels alone
    if (!option->get_positional() && !may_lack_value) option->check(not_empty);
  }
}

/// What to say of words that no option or operand takes, with the option that was perhaps meant.
std::string unexpected(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_description().empty())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::vector<std::string> words = app.remaining();
  const std::string message = fmt::format("unknown option {}", fmt::join(words, " "));
  for (const std::string& word : words) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(0, word.find('='));
    const std::string_view here = option_by_other_word(name);
    if (!here.empty()) return fmt::format("{}; {}", message, here);
    const std::string near = did_you_mean(name, {names.begin(), names.end()});
    if (!near.empty()) return fmt::format("{}; {}", message, near);
  }
  return message;
}

/// What CLI11 says of a command line, in the words of all other errors.
std::string in_our_words(std::string_view said) {
  struct Words {
    std::string_view theirs, ours;
    bool whole_rest;  ///< ours stands for all that follows
  };
  constexpr Words words[] = {{": 1 required ", ": its value is missing", true},
                             {": At Most 1 required but received ", ": is given several times", true},
                             {" requires --", ": needs --", false},
                             {" excludes --", ": excludes --", false}};
  for (const auto& [theirs, ours, whole_rest] : words) {
    const std::size_t at = said.find(theirs);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = said.substr(at + theirs.size());
    return fmt::format("{}{}{}", said.substr(0, at), ours, whole_rest ? "" : rest);
  }
  return std::string(said);
}

/// CLI11's names of types become the words of a synopsis.
std::string argument_of(const CLI::Option& option) {
  if (option.get_type_size() == 0 || option.get_expected_max() == 0) return "";  // a flag
  const std::string type = option.get_type_name();
  if (type == "UINT" || type == "INT") return "N";
  return type.empty() ? "TEXT" : type;
}

/// Long names of other options, in the order of their declaration.
std::vector<std::string> names_of(const CLI::App& app, const std::set<CLI::Option*>& wanted) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (wanted.count(const_cast<CLI::Option*>(option)) > 0) names.push_back(option->get_single_name());
  for (std::string& name : names) name.insert(0, "--");
  return names;
}

}  // namespace

Option Option::needs(Option other) const { return Option(*option_->needs(other.option_)); }

Option Option::excludes(Option other) const { return Option(*option_->excludes(other.option_)); }

Option Option::range(std::uint64_t least, std::uint64_t most) const {
  return Option(*option_->check(CLI::Validator(
      [least, most](const std::string& text) {
        if (std::string reason = refuse_number(text); !reason.empty()) return reason;
        const bool within = !text.starts_with('-') && std::stoull(text) >= least && std::stoull(text) <= most;
        return within ? "" : fmt::format("{} is not between {} and {}", text, least, most);
      },
      "")));
}

Option Option::one_of(const std::vector<std::string>& words) const {
  return Option(*option_->check(CLI::Validator(
      [words](const std::string& text) {
        if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
        return fmt::format("'{}' is {} '{}'", text.substr(0, 100), words.size() == 1 ? "not" : "neither",
                           fmt::join(words, "' nor '"));
      },
      "")));
}

Option Option::one_value_each() const { return Option(*option_->allow_extra_args(false)); }

Option Option::separated_by(char separator) const {
  return Option(*option_->delimiter(separator)->allow_extra_args(false));
}

Option Option::value_may_lack(const std::string& value) const {
  return Option(*option_->expected(0, 1)->default_str(value));
}

Option Option::show_default() const { return Option(*option_->capture_default_str()); }

CommandLine::CommandLine(const ToolText& text)
    : text_(text), app_(std::make_unique<CLI::App>(std::string(text.summary), std::string(text.name))) {
  app_->set_help_flag("-h,--help", "One screen of help");
  app_->set_help_all_flag("--help-all", "Every option in full");
  app_->set_version_flag("--version", "", "The version");
}

CommandLine::~CommandLine() = default;

Option CommandLine::add_option(const std::string& name, Filled value, const std::string& argument,
                               const std::string& help) {
  CLI::Option& option =
      *std::visit([&](auto variable) { return app_->add_option(name, variable.get(), help); }, value);
  if (!argument.empty()) option.type_name(argument);
  return Option(option);
}

Option CommandLine::add_flag(const std::string& name, bool& value, const std::string& help) {
  return Option(*app_->add_flag(name, value, help));
}

Option CommandLine::add_flag(const std::string& name, const std::string& word, std::string& value,
                             const std::string& help) {
  return Option(*app_->add_flag(name + "{" + word + "}", value, help));
}

void CommandLine::group(const std::string& heading) { app_->option_defaults()->group(heading); }

bool CommandLine::has(const std::string& name) const { return app_->get_option_no_throw(name) != nullptr; }

Asked CommandLine::parse(std::vector<std::string> arguments) {
  require_plain_integers(*app_);
  refuse_empty_values(*app_);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app_->parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return Asked::short_help;
  } catch (const CLI::CallForAllHelp&) {
    return Asked::full_help;
  } catch (const CLI::CallForVersion&) {
    return Asked::version;
  } catch (const CLI::ExtrasError&) {
    refuse("", "{} (see --help)", unexpected(*app_));
  } catch (const CLI::ParseError& error) {
    refuse("", "{} (see --help)", in_our_words(error.what()));
  }
  return Asked::work;
}

Usage CommandLine::usage(std::string_view version, const std::vector<NameList>& lists) const {
  Usage usage{text_, std::string(version), {}, {}, lists};
  for (const CLI::Option* option : app_->get_options()) {
    if (option->get_description().empty()) continue;
    OptionUsage one;
    for (const std::string& name : option->get_snames()) one.flags.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) one.flags.push_back("--" + name);
    one.argument = argument_of(*option);
    // Without extra arguments and a delimiter the option takes one value and is repeated for more.
    one.many =
        option->get_expected_max() > 1 && (option->get_allow_extra_args() || option->get_delimiter() != 0);
    one.help = option->get_description();
    if (!option->get_default_str().empty() && one.help.find("default") == std::string::npos)
      one.help += " (default: " + option->get_default_str() + ")";
    const auto needs = names_of(*app_, option->get_needs());
    const auto excludes = names_of(*app_, option->get_excludes());
    if (!needs.empty()) one.relations += " Needs " + fmt::format("{}", fmt::join(needs, ", ")) + ".";
    if (!excludes.empty()) one.relations += " Not with " + fmt::format("{}", fmt::join(excludes, ", ")) + ".";
    if (option->get_group() != own_group) one.group = option->get_group();
    const auto names_it = [&](const NameList& list) { return list.argument == one.argument; };
    if (option->get_positional() && one.flags.empty() && one.argument != "FILE" &&
        std::none_of(usage.lists.begin(), usage.lists.end(), names_it))
      one.argument = option->get_single_name();
    (one.flags.empty() ? usage.operands : usage.options).push_back(std::move(one));
  }
  return usage;
}

std::uint64_t whole_number_operand(const std::string& name, const std::string& text) {
  for (const auto reason_of : {refuse_number, refuse_negative})
    if (const std::string reason = reason_of(text); !reason.empty()) refuse(name, "{} (see --help)", reason);
  return std::stoull(text);
}

}  // namespace wormcast::io
