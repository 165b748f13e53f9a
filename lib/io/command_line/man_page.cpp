// The generated sections of a man page, in roff's man macros.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "io/command_line/usage.hpp"

namespace wormcast::io {
namespace {

/// Text that roff prints as it is; hyphens stay hyphens, so that commands can be copied from the page.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  if (!result.empty() && (result[0] == '.' || result[0] == '\'')) result.insert(0, "\\&");
  return result;
}

/// "Reads: ..." up to the exit status, which the hand-written part says at length.
std::string description(std::string_view details) {
  std::string text;
  while (!details.empty() && !details.starts_with("Exit status")) {
    const std::string_view line = details.substr(0, details.find('\n'));
    details.remove_prefix(std::min(details.size(), line.size() + 1));
    text += escaped(line) + "\n";
    if (line.ends_with(".")) text += ".PP\n";
  }
  while (text.ends_with(".PP\n")) text.resize(text.size() - 4);
  return text;
}

void add_option(std::string& text, const OptionUsage& option) {
  text += ".TP\n";
  if (option.flags.empty()) {
    text += fmt::format("\\fI{}\\fR", escaped(option.argument));
  } else {
    std::string names;
    for (const std::string& flag : option.flags)
      names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(flag));
    text += names;
    if (!option.argument.empty()) text += fmt::format(" \\fI{}\\fR", escaped(option.argument));
  }
  if (option.many) text += " ...";
  text += "\n" + escaped(option.help + "." + option.relations) + "\n";
}

}  // namespace

std::string man_page(const Usage& usage) {
  std::string upper = usage.name;
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  std::string sentence = usage.summary;
  if (sentence.ends_with(".")) sentence.pop_back();
  std::string text = fmt::format(".TH {} 1 \"\" \"wormcast {}\" \"wormcast\"\n.SH NAME\n{} \\- {}\n",
                                 escaped(upper), usage.version, escaped(usage.name), escaped(sentence));
  text += fmt::format(".SH SYNOPSIS\n.B {}\n[\\fIOPTIONS\\fR]", escaped(usage.name));
  for (const OptionUsage& operand : usage.operands)
    text += fmt::format(" [\\fI{}\\fR{}]", escaped(operand.argument), operand.many ? " ..." : "");
  text += "\n.SH DESCRIPTION\n" + description(usage.details);
  std::string group;
  text += ".SH OPTIONS\n";
  for (const OptionUsage& operand : usage.operands) add_option(text, operand);
  for (const OptionUsage& option : usage.options)
    if (option.group.empty()) add_option(text, option);
  for (const OptionUsage& option : usage.options) {
    if (option.group.empty()) continue;
    if (option.group != group) text += fmt::format(".SS {}\n", escaped(option.group));
    group = option.group;
    add_option(text, option);
  }
  for (const NameList& list : usage.lists) {
    if (list.title.empty()) continue;
    std::string title = list.title;
    if (title.ends_with(":")) title.pop_back();
    text += fmt::format(".SS {}\n", escaped(title));
    for (const auto& [name, summary] : list.entries)
      text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(name), escaped(summary));
  }
  return text;
}

}  // namespace wormcast::io
