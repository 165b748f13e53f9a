// What every tool's main is made of.
// SPDX-License-Identifier: MIT
#include "io/tool.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <utility>

#include "io/tape.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

#ifndef WORMCAST_VERSION
#define WORMCAST_VERSION "unknown"
#endif

namespace wormcast::io {

void add_inputs(CLI::App& app, CommonOptions& common) {
  app.add_option("FILE", common.inputs, "Record streams, one after the other; none or - is standard input")
      ->type_name("FILE");
}

void diagnose(std::string_view tool, std::string_view message) {
  std::string line = fmt::format("{}: {}", tool, message);
  for (char& c : line)
    if (c == '\n')
      c = ' ';
    else if ((c >= 0 && c < ' ' && c != '\t') || c == '\x7f')  // a terminal would obey them
      c = '?';
  line += '\n';
  // Nothing can be done about a failing stderr.
  std::fwrite(line.data(), 1, line.size(), stderr);
}

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

}  // namespace

std::uint64_t whole_number_operand(const std::string& name, const std::string& text) {
  for (const auto refuse : {refuse_number, refuse_negative})
    if (const std::string reason = refuse(text); !reason.empty()) throw CLI::ValidationError(name, reason);
  return std::stoull(text);
}

namespace detail {
namespace {

/// A descriptor that was closed by whoever started the tool would be given to the next file that is opened,
/// and records would go into it or come out of it. Taken up by /dev/null, opened the wrong way round, it
/// gives an error when it is used and none when it is not.
void reserve_standard_descriptors() {
  for (const auto& [descriptor, wrong_way] :
       {std::pair{0, O_WRONLY}, std::pair{1, O_RDONLY}, std::pair{2, O_WRONLY}})
    if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", wrong_way);
}

/// Prints help or version on a checked output.
int answer(const std::string& text, const std::string& path = {}) {
  Output output(path);
  output.write(text);
  output.finish();
  return exit_yes;
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

/// CLI11's message for words that no option or operand takes, with the option that was perhaps meant.
std::string unexpected(const CLI::App& app, const std::string& message) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const std::string& word : app.remaining()) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(0, word.find('='));
    const std::string_view near = nearest_name(name, {names.begin(), names.end()});
    if (!near.empty()) return fmt::format("{}; did you mean {}?", message, near);
  }
  return message;
}

int parse_and_work(int argc, char** argv, CLI::App& app, const ToolText& text, CommonOptions& common,
                   const std::function<int(Output&)>& work) {
  const auto usage = [&] { return usage_of(app, text, WORMCAST_VERSION, common.lists); };
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return answer(short_help(usage()));
  } catch (const CLI::CallForAllHelp&) {
    return answer(full_help(usage()));
  } catch (const CLI::CallForVersion&) {
    return answer(app.version() + "\n");
  } catch (const CLI::ExtrasError& error) {
    throw InputError("", unexpected(app, error.what()) + " (see --help)");
  }
  if (!common.described.empty())
    return answer(common.described == "man" ? man_page(usage()) : completion(usage(), common.described),
                  common.output_path);
  Output output(common.output_path);
  const int status = work(output);
  output.finish();
  if (common.verbose) diagnose(app.get_name(), "wrote " + output.summary());
  return status;
}

}  // namespace

int run(int argc, char** argv, const ToolText& text, CommonOptions& common,
        const std::function<void(CLI::App&)>& declare, const std::function<int(Output&)>& work) {
  reserve_standard_descriptors();
  CLI::App app{std::string(text.summary), std::string(text.name)};
  app.set_help_flag("-h,--help", "One screen of help");
  app.set_help_all_flag("--help-all", "Every option in full");
  app.set_version_flag("--version", fmt::format("{} (wormcast) {}", text.name, WORMCAST_VERSION),
                       "The version");
  app.add_option("-o,--output", common.output_path, "Write to this file, whole or not at all")
      ->type_name("FILE");
  app.add_option("--describe", common.described, "")->group("");
  app.add_flag("-v,--verbose", common.verbose, "Say on stderr what is being done");
  try {
    declare(app);
    require_plain_integers(app);
    refuse_empty_values(app);
    return parse_and_work(argc, argv, app, text, common, work);
  } catch (const CLI::ParseError& error) {
    diagnose(text.name, std::string(error.what()) + " (see --help)");
  } catch (const InputError& error) {
    std::string message = error.place;
    for (const std::string& part : {error.field, std::string(error.what())})
      if (!part.empty()) message += (message.empty() ? "" : ": ") + part;
    diagnose(text.name, message);
  } catch (const SystemError& error) {
    diagnose(text.name, error.what());
  } catch (const std::bad_alloc&) {
    diagnose(text.name, "out of memory");
  }
  return exit_failure;
}

}  // namespace detail
}  // namespace wormcast::io
