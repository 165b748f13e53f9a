// What every tool's main is made of.
// SPDX-License-Identifier: MIT
#include "io/tool.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "io/tape.hpp"
#include "topology/error.hpp"

#ifndef WORMCAST_VERSION
#define WORMCAST_VERSION "unknown"
#endif

namespace wormcast::io {

void add_inputs(CLI::App& app, CommonOptions& common) {
  app.add_option("FILE", common.inputs, "Record streams, one after the other; none or - is standard input");
}

void diagnose(std::string_view tool, std::string_view message) {
  std::string line = fmt::format("{}: {}", tool, message);
  for (char& c : line)
    if (c == '\n') c = ' ';
  line += '\n';
  // Nothing can be done about a failing stderr.
  std::fwrite(line.data(), 1, line.size(), stderr);
}

namespace detail {
namespace {

/// Prints help or version on a checked standard output.
int answer(const std::string& text) {
  Output output;
  output.write(text);
  output.finish();
  return exit_yes;
}

/// CLI11 reads 010 as 8, 0x10 as 16, -1 as 2^64-1 and cuts what is too large: integers are to be plain
/// decimal digits within the range of records.
void require_plain_integers(CLI::App& app) {
  const auto plain = [](const std::string& text) -> std::string {
    const std::string digits = text.substr(text.starts_with('-') ? 1 : 0);
    const bool number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
    if (!number || (digits.size() > 1 && digits[0] == '0'))
      return "'" + text.substr(0, 100) + "' is not a whole number";
    const std::string greatest = std::to_string(max_integer);
    const bool above = digits.size() != greatest.size() ? digits.size() > greatest.size() : digits > greatest;
    return above ? "'" + text.substr(0, 100) + "' is out of range" : "";
  };
  const auto not_negative = [](const std::string& text) -> std::string {
    return text.starts_with('-') ? "'" + text.substr(0, 100) + "' is negative" : "";
  };
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (!type.starts_with("UINT") && !type.starts_with("INT")) continue;
    option->check(CLI::Validator(plain, ""));
    if (type.starts_with("UINT")) option->check(CLI::Validator(not_negative, ""));
  }
}

int parse_and_work(int argc, char** argv, CLI::App& app, CommonOptions& common,
                   const std::function<int(Output&)>& work) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return answer(app.help());
  } catch (const CLI::CallForVersion&) {
    return answer(app.version() + "\n");
  }
  Output output(common.output_path);
  const int status = work(output);
  output.finish();
  if (common.verbose) diagnose(app.get_name(), "wrote " + output.summary());
  return status;
}

}  // namespace

int run(int argc, char** argv, const ToolText& text, CommonOptions& common,
        const std::function<void(CLI::App&)>& declare, const std::function<int(Output&)>& work) {
  CLI::App app{std::string(text.summary), std::string(text.name)};
  app.set_version_flag("--version", fmt::format("{} (wormcast) {}", text.name, WORMCAST_VERSION));
  app.add_option("-o,--output", common.output_path, "Write to this file, whole or not at all");
  app.add_flag("-v,--verbose", common.verbose, "Say on stderr what is being done");
  app.footer(std::string(text.details));
  app.get_formatter()->column_width(34);
  try {
    declare(app);
    require_plain_integers(app);
    return parse_and_work(argc, argv, app, common, work);
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
