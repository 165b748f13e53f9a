// Completions for bash, zsh and fish. What an argument can be comes from its type: a list of names (with
// commas where several can stand), words (strict|free), a file, or nothing that can be guessed.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "io/command_line/usage.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast::io {
namespace {

std::string function_name(const Usage& usage) {
  std::string name = "_" + usage.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// What can be typed for an argument, or nothing.
std::vector<std::string> choices(const Usage& usage, const OptionUsage& option) {
  const NameList* list = list_of(usage, option);
  if (list == nullptr) return words_of(option);
  std::vector<std::string> names;
  for (const auto& entry : list->entries) names.push_back(entry.first);
  return names;
}

bool several(const Usage& usage, const OptionUsage& option) {
  const NameList* list = list_of(usage, option);
  return list != nullptr && list->several;
}

std::string bash_offer(const Usage& usage, const OptionUsage& option) {
  if (is_file(option)) return "_wormcast_files";
  const std::vector<std::string> words = choices(usage, option);
  if (words.empty()) return ":";
  return fmt::format("{} \"{}\"", several(usage, option) ? "_wormcast_list" : "_wormcast_words",
                     fmt::join(words, " "));
}

constexpr std::string_view bash_helpers =
    R"(_wormcast_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_wormcast_list() {
  mapfile -t COMPREPLY < <(compgen -P "${cur%"${cur##*,}"}" -W "$1" -- "${cur##*,}")
  compopt -o nospace 2>/dev/null
}
_wormcast_files() {
  mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  compopt -o filenames 2>/dev/null
}
)";

/// Looks at the word before the cursor, then at what has been typed, then counts operands.
std::string bash(const Usage& usage) {
  const std::string function = function_name(usage);
  std::string values;
  std::string takes;
  std::string flags;
  for (const OptionUsage& option : usage.options) {
    flags += (flags.empty() ? "" : " ") + fmt::format("{}", fmt::join(option.flags, " "));
    if (option.argument.empty()) continue;
    const std::string names = fmt::format("{}", fmt::join(option.flags, "|"));
    takes += (takes.empty() ? "" : "|") + names;
    values += fmt::format("    {}) {}; return ;;\n", names, bash_offer(usage, option));
  }
  std::string operands;
  for (std::size_t i = 0; i < usage.operands.size(); ++i)
    operands += fmt::format("    {}) {} ;;\n", i + 1 == usage.operands.size() ? "*" : std::to_string(i),
                            bash_offer(usage, usage.operands[i]));
  std::string text =
      fmt::format("# bash completion of {}, generated from its option definitions\n{}{}() {{\n", usage.name,
                  bash_helpers, function);
  text += "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} operand=0 i\n";
  text += fmt::format("  COMPREPLY=()\n  case $prev in\n{}  esac\n", values);
  text += fmt::format("  if [[ $cur == -* ]]; then _wormcast_words \"{}\"; return; fi\n", flags);
  text += "  for ((i = 1; i < COMP_CWORD; ++i)); do\n    case ${COMP_WORDS[i]} in\n";
  text += fmt::format("      {}) ((++i)) ;;\n      -?*) ;;\n      *) ((++operand)) ;;\n    esac\n  done\n",
                      takes);
  if (!operands.empty()) text += fmt::format("  case $operand in\n{}  esac\n", operands);
  return text + fmt::format("}}\ncomplete -F {} {}\n", function, usage.name);
}

/// Inside single quotes; brackets and colons have a meaning in _arguments.
std::string zsh_quoted(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (c == '[' || c == ']' || c == ':')
      result += std::string("\\") + c;
    else
      result += c;
  }
  return result;
}

std::string zsh_offer(const Usage& usage, const OptionUsage& option) {
  if (is_file(option)) return "_files";
  const std::vector<std::string> words = choices(usage, option);
  if (words.empty()) return " ";
  if (several(usage, option)) return fmt::format("_values -s , name {}", fmt::join(words, " "));
  return fmt::format("({})", fmt::join(words, " "));
}

std::string zsh(const Usage& usage) {
  std::string text = fmt::format(
      "#compdef {}\n# zsh completion, generated from the option definitions\n_arguments -s", usage.name);
  for (const OptionUsage& option : usage.options)
    for (const std::string& flag : option.flags) {
      text += fmt::format(" \\\n  '({}){}[{}]", fmt::join(option.flags, " "), flag, zsh_quoted(option.help));
      if (!option.argument.empty())
        text += fmt::format(":{}:{}", zsh_quoted(option.argument), zsh_offer(usage, option));
      text += "'";
    }
  for (std::size_t i = 0; i < usage.operands.size(); ++i) {
    const OptionUsage& operand = usage.operands[i];
    const std::string place = i + 1 == usage.operands.size() ? "*" : std::to_string(i + 1);
    text += fmt::format(" \\\n  '{}:{}:{}'", place, zsh_quoted(operand.argument), zsh_offer(usage, operand));
  }
  return text + "\n";
}

std::string fish_quoted(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return "'" + result + "'";
}

/// The -a argument: words, or a call that completes the part after the last comma.
std::string fish_offer(const Usage& usage, const OptionUsage& option) {
  if (is_file(option)) return " -F";
  const std::vector<std::string> words = choices(usage, option);
  if (words.empty()) return " -f";
  if (!several(usage, option)) return fmt::format(" -f -a '{}'", fmt::join(words, " "));
  return fmt::format(" -f -a \"(__fish_complete_list , 'printf %s\\\\\\\\n {}')\"", fmt::join(words, " "));
}

std::string fish(const Usage& usage) {
  std::string text =
      fmt::format("# fish completion of {}, generated from its option definitions\n", usage.name);
  for (const OptionUsage& option : usage.options) {
    text += fmt::format("complete -c {}", usage.name);
    for (const std::string& flag : option.flags)
      text += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
    if (!option.argument.empty()) text += " -r" + fish_offer(usage, option);
    text += fmt::format(" -d {}\n", fish_quoted(option.help));
  }
  // Operands: the first may have a list of names; all that follow are the last kind.
  for (std::size_t i = 0; i < usage.operands.size(); ++i) {
    const bool last = i + 1 == usage.operands.size();
    if (is_file(usage.operands[i])) continue;  // fish offers files by itself
    const std::string condition =
        fmt::format("test (count (commandline -opc)) -{} {}", last ? "ge" : "eq", i + 1);
    text += fmt::format("complete -c {} -n '{}'{}\n", usage.name, condition,
                        fish_offer(usage, usage.operands[i]));
  }
  return text;
}

}  // namespace

std::string completion(const Usage& usage, std::string_view shell) {
  if (shell == "bash") return bash(usage);
  if (shell == "zsh") return zsh(usage);
  if (shell == "fish") return fish(usage);
  throw InputError("--describe", unknown_name_message("form", shell, {"man", "bash", "zsh", "fish"}));
}

}  // namespace wormcast::io
