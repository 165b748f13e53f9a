// Help texts: one screen, or everything; and all of it for other programs. And what other programs call
// things.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "io/command_line/command_line.hpp"
#include "io/text/record_line.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

constexpr std::size_t screen_columns = 100;
constexpr std::size_t indent_columns = 28;

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

/// Appends words to `text`, whose last line has `column` characters, broken before the screen's edge.
void wrap(std::string& text, std::size_t column, std::string_view words, std::size_t indent) {
  bool first = true;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (!first && column + 1 + word.size() > screen_columns) {
      text += '\n';
      text.append(indent, ' ');
      column = indent;
    } else if (!first) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
    first = false;
  }
  text += '\n';
}

/// "  -o, --output FILE      Write to this file": a name and its help beside or below it.
void add_entry(std::string& text, const std::string& name, std::string_view help) {
  text += "  " + name;
  std::size_t column = name.size() + 2;
  if (column + 2 > indent_columns) {
    text += '\n';
    column = 0;
  }
  text.append(indent_columns - column, ' ');
  wrap(text, indent_columns, help, indent_columns);
}

std::string shown_name(const OptionUsage& option) {
  std::string name = option.flags.empty() ? option.argument : joined(option.flags, ", ");
  if (!option.flags.empty() && !option.argument.empty()) name += " " + option.argument;
  if (option.many) name += "...";
  return name;
}

std::string head(const Usage& usage) {
  std::string text = fmt::format("{}\nUsage: {} [OPTIONS]", usage.text.summary, usage.text.name);
  for (const OptionUsage& operand : usage.operands) text += " [" + shown_name(operand) + "]";
  text += "\n\n";
  for (const OptionUsage& operand : usage.operands) add_entry(text, shown_name(operand), operand.help);
  return text;
}

std::vector<std::string> groups_of(const Usage& usage) {
  std::vector<std::string> groups;
  for (const OptionUsage& option : usage.options)
    if (!option.group.empty() && std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  return groups;
}

/// As much of a text as `width` columns hold: whole, or up to the last sentence's end or semicolon, else up
/// to the last comma, colon or opening parenthesis, outside parentheses. Whole, too, where there is none.
std::string_view clause(std::string_view text, std::size_t width) {
  if (text.size() <= width) return text;
  std::size_t depth = 0;
  std::size_t last = 0;
  std::size_t last_thought = 0;
  for (std::size_t i = 0; i < text.size() && i <= width; ++i) {
    const auto stops = [&](std::string_view marks) {
      return depth == 0 && marks.find(text[i]) != std::string_view::npos && text.substr(i + 1, 1) == " ";
    };
    if (stops(";.")) last_thought = i;
    if (stops(":,") || (depth == 0 && text[i] == '(')) last = i;
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && depth > 0) --depth;
  }
  if (last_thought > 0) last = last_thought;
  if (last == 0) return text;
  return text.substr(0, text.find_last_not_of(' ', last - 1) + 1);
}

/// Each name with its summary on one line.
void add_list(std::string& text, const NameList& list) {
  text += "\n" + list.title + "\n";
  std::size_t width = 0;
  for (const auto& [name, summary] : list.entries) width = std::max(width, name.size());
  for (const auto& [name, summary] : list.entries)
    text += fmt::format("  {:<{}}  {}\n", name, width, clause(summary, screen_columns - width - 4));
}

/// The words of BookSim2, Garnet, OpenSM and of habit. They are hints in errors: records and commands have
/// one word for one thing. Other words that are taken themselves are the ALIAS lines of patterns and routing
/// functions.
struct OtherWords {
  std::string_view words;  ///< with blanks between them
  std::string_view here;
};

constexpr OtherWords option_words[] = {
    {"--virtual-channels --num-vcs --vcs --vc", "the network says it: gen-topology --virtual-channels"},
    {"--vc-buf-size --buffers --buffer-size --buffer-depth", "it is simulate-wormhole --buffer-flits"},
    {"--packet-size --length --size --bytes", "it is gen-multicast --length-flits"},
    {"--multicasts --num --number", "it is gen-multicast --count"},
    {"--dests", "it is gen-multicast --destinations"},
    {"--traffic", "it is gen-multicast --pattern"},
    {"--injection-rate --load", "it is gen-multicast --rate"},
    {"--planner --planners", "planners are an operand: plan-multicast ocms,xy-tree"},
    {"--routing-function", "it is plan-multicast --routing"},
    {"--warmup --warmup-periods", "it is simulate-wormhole --warmup-cycles"},
    {"--sample-period", "it is simulate-wormhole --measure-cycles"},
    {"--watch-out", "it is simulate-wormhole --trace"},
    {"--topology", "the network is an operand: gen-topology mesh 8 8"},
    {"--k --n", "sizes are operands: gen-topology mesh 8 8"},
    {"--concentration",
     "it is --tile-width and --tile-height of gen-topology cmesh, --hosts of other networks"},
    {"--faults", "it is gen-topology --random-faults"},
    {"--remove-link", "it is gen-topology --without-link"},
    {"--remove-node", "it is gen-topology --without-node"},
    {"--heatmap", "it is report --dot, of what simulate-wormhole --channel-loads writes"},
    {"--histogram", "it is report --statistics, such as p50,p95,p99"},
    {"--mtu", "packets are as long as gen-multicast --length-flits says"},
    {"--mgid --mlid --group", "it is gen-topology import --group"},
};

constexpr OtherWords network_words[] = {
    {"grid", "a grid is a mesh"},
    {"2d-mesh", "as in mesh 8 8"},
    {"3d-mesh", "as in mesh 4 4 4"},
    {"2d-torus", "as in torus 8 8"},
    {"3d-torus", "as in torus 4 4 4"},
    {"ring", "a ring of 8 is torus 8"},
    {"line", "a line of 8 is mesh 8"},
    {"kncube", "a k-ary n-cube is a torus"},
    {"flatfly", "it is flattened-butterfly"},
    {"dragonflynew", "it is dragonfly"},
    {"clos", "it is fat-tree"},
    {"leaf-spine", "it is fat-tree --levels 2"},
    {"complete fully-connected", "of 8 routers it is flattened-butterfly --arity 8 --hosts 1"},
    {"fly", "a k-ary n-fly is butterfly --arity k --stages n"},
    {"k-ary-n-fly", "it is butterfly --arity k --stages n"},
    {"star", "any graph is an import, a sketch such as 'graph { a -- b }' too: gen-topology import FILE"},
    {"tree", "it is fat-tree, or an import of a sketch such as 'graph { a -- b }': gen-topology import FILE"},
    {"list", "it is gen-topology --list"},
    {"help", "it is gen-topology --help"},
};

std::string_view here_called(std::span<const OtherWords> rows, std::string_view word) {
  for (const auto& [words, here] : rows)
    if (fmt::format(" {} ", words).find(fmt::format(" {} ", word)) != std::string::npos) return here;
  return {};
}

}  // namespace

std::string described(const Usage& usage) {
  RecordLine line;
  const auto strings = [&](const std::vector<std::string>& texts) {
    line.array(texts, [&](const std::string& text) { line.string(text); });
  };
  const auto options = [&](const OptionUsage& option) {
    line.raw("{").key("flags");
    strings(option.flags);
    line.key("argument").string(option.argument).key("many").boolean(option.many);
    line.key("help").string(option.help).key("relations").string(option.relations);
    line.key("group").string(option.group).raw("}");
  };
  line.begin_object().key("name").string(usage.text.name).key("version").string(usage.version);
  line.key("summary").string(usage.text.summary).key("details").string(usage.text.details);
  line.key("operands").array(usage.operands, options).key("options").array(usage.options, options);
  line.key("lists").array(usage.lists, [&](const NameList& list) {
    line.raw("{").key("argument").string(list.argument).key("title").string(list.title);
    line.key("several").boolean(list.several).key("entries");
    line.array(list.entries, [&](const auto& entry) { strings({entry.first, entry.second}); });
    line.raw("}");
  });
  return std::string(line.end_object()) + "\n";
}

std::string short_help(const Usage& usage) {
  std::string text = head(usage) + "\nOptions (also --version, and --help-all, which says more):\n";
  const auto is_about_itself = [](const OptionUsage& option) {
    return option.flags.back().starts_with("--help") || option.flags.back() == "--version";
  };
  for (const OptionUsage& option : usage.options)
    if (option.group.empty() && !is_about_itself(option))
      add_entry(text, shown_name(option), clause(option.help, screen_columns - indent_columns));
  for (const std::string& group : groups_of(usage)) {
    std::vector<std::string> names;
    for (const OptionUsage& option : usage.options)
      if (option.group == group) names.push_back(option.flags.back());
    text += "  " + group + ": ";
    wrap(text, group.size() + 4, joined(names, ", "), 4);
  }
  for (const NameList& list : usage.lists)
    if (!list.title.empty()) add_list(text, list);
  return text + fmt::format("\n{}\n", usage.text.details);
}

std::string full_help(const Usage& usage) {
  std::string text = head(usage);
  std::vector<std::string> groups = groups_of(usage);
  groups.insert(groups.begin(), "");
  for (const std::string& group : groups) {
    text += "\n" + (group.empty() ? "Options" : group) + ":\n";
    for (const OptionUsage& option : usage.options)
      if (option.group == group)
        add_entry(text, shown_name(option),
                  option.help + (option.relations.empty() ? "" : "." + option.relations));
  }
  for (const NameList& list : usage.lists)
    if (!list.title.empty()) add_list(text, list);
  return text + fmt::format("\n{}\n", usage.text.details);
}

std::string_view option_by_other_word(std::string_view option) { return here_called(option_words, option); }

std::string_view network_by_other_word(std::string_view network) {
  return here_called(network_words, network);
}

void refuse_names_as_files(const std::vector<std::string>& files,
                           const std::function<bool(std::string_view name)>& known, std::string_view meant) {
  for (const std::string& file : files) {
    const std::string_view name = std::string_view(file).substr(0, file.find_first_of(":,"));
    std::error_code no_such_name;
    if (known(name) && !std::filesystem::exists(file, no_such_name))
      refuse("FILE", "'{}' is {}", file, fmt::format(fmt::runtime(meant), name));
  }
}

}  // namespace wormcast::io
