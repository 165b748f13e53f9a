// System definitions of ibutils: `SYSTEM NAMES` and one `TOPSYSTEM NAMES`, each of them
// `NODE SW|CA PORTS TYPE NAME` and `SUBSYSTEM BOARD NAME` with lines `PORT -> PART PORT` or `PORT ->
// PANEL-PORT`.
//
// A board is taken apart from its devices outwards: what a part offers is a name for a port of one device.
// A connection whose end no part offers is left out, as the format wants: that is how a definition holds
// several kinds of a board. Width and speed of the innermost connection count.
// cite: ibdm-ibnl-file(1).
// SPDX-License-Identifier: MIT
#include "io/import/fabrics/ibnl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "topology/error.hpp"

namespace wormcast::io {
namespace {

/// The names after SYSTEM or TOPSYSTEM: commas with or without blanks between them.
std::vector<std::string> names_in(const std::vector<std::string_view>& words) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < words.size(); ++i)
    for (const std::string_view name : words_of(words[i], ",")) names.emplace_back(name);
  return names;
}

}  // namespace

bool is_cable_arrow(std::string_view word) { return word.starts_with('-') && word.ends_with("->"); }

Cabling::Attributes arrow_attributes(std::string_view arrow, const ImportLines& lines) {
  Cabling::Attributes result;
  std::string_view rest = arrow.substr(0, arrow.size() - 2);
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view word = rest.substr(0, rest.find('-'));
    rest.remove_prefix(word.size());
    if (word.ends_with('x') || word.ends_with('X'))
      result.width =
          static_cast<std::uint32_t>(lines.number_in(word.substr(0, word.size() - 1), "width", 1, 12));
    else
      result.speed = valid_utf8(word);
  }
  return result;
}

bool is_system_definition(const ImportFile& file) {
  const std::vector<std::string_view> words = words_of(first_line_of(file, "#"));
  return words.size() >= 2 && (words[0] == "SYSTEM" || words[0] == "TOPSYSTEM");
}

class SystemDefinitions::Parser {
 public:
  Parser(SystemDefinitions& to, const ImportFile& file) : to_(to), lines_(file) {}

  void run() {
    to_.names_.emplace_back();
    while (const auto line = lines_.next()) read_line(words_of(*line));
    if (!top_) lines_.fail("TOPSYSTEM", "the file defines none");
  }

 private:
  void read_line(const std::vector<std::string_view>& words) {
    if (words.empty() || words[0].starts_with('#')) return;
    if (words[0] == "SYSTEM" || words[0] == "TOPSYSTEM")
      begin_board(names_in(words), words[0] == "TOPSYSTEM");
    else if (words[0] == "NODE")
      begin_device(words);
    else if (words[0] == "SUBSYSTEM")
      begin_subsystem(words);
    else if (words.size() >= 2 && is_cable_arrow(words[1]))
      read_connection(words);
    else if (words.size() != 1 || words[0].find('=') == std::string_view::npos)
      lines_.fail("", "neither SYSTEM, TOPSYSTEM, NODE, SUBSYSTEM nor 'PORT -> [PART] PORT'");
  }

  void begin_board(const std::vector<std::string>& names, bool top) {
    if (names.empty()) lines_.fail(top ? "TOPSYSTEM" : "SYSTEM", "its name is missing");
    if (top_) lines_.fail("TOPSYSTEM", "it must be the last of the file");
    for (const std::string& name : names) {
      // A name may stand twice in one list, as in 'LEAF:4x,LEAF:4X,LEAF:4x'.
      const bool added =
          top ? to_.systems_.emplace(name, System{to_.boards_.size(), to_.names_.size() - 1}).second
              : to_.names_.back().emplace(name, to_.boards_.size()).second;
      if (!added && (top ? to_.systems_.at(name).board : to_.names_.back().at(name)) != to_.boards_.size())
        lines_.fail(top ? "TOPSYSTEM" : "SYSTEM", in_quotes(name) + " is defined already");
    }
    top_ = top;
    to_.boards_.emplace_back();
  }

  Part& add_part(std::string_view name) {
    if (to_.names_.back().empty() && !top_) lines_.fail("SYSTEM", "a part outside any system");
    std::vector<Part>& parts = to_.boards_.back().parts;
    const auto same = [&](const Part& part) { return part.name == name; };
    if (std::any_of(parts.begin(), parts.end(), same))
      lines_.fail("name", "a second part " + in_quotes(name));
    if (parts.size() == most_devices) lines_.fail("name", "more parts than a system may have");
    parts.emplace_back();
    parts.back().name = name;
    return parts.back();
  }

  void begin_device(const std::vector<std::string_view>& words) {
    if (words.size() != 5) lines_.fail("NODE", "a device is 'NODE SW|CA PORTS TYPE NAME'");
    if (words[1] != "SW" && words[1] != "CA" && words[1] != "HCA")
      lines_.fail("NODE", in_quotes(words[1]) + " is neither SW, CA nor HCA");
    Part& part = add_part(words[4]);
    part.is_switch = words[1] == "SW";
    part.ports = static_cast<std::uint32_t>(lines_.number_in(words[2], "PORTS", 1, 255));
  }

  void begin_subsystem(const std::vector<std::string_view>& words) {
    if (words.size() != 3) lines_.fail("SUBSYSTEM", "a board is 'SUBSYSTEM BOARD NAME'");
    add_part(words[2]).type = words[1];
  }

  void read_connection(const std::vector<std::string_view>& words) {
    if (words.size() > 4 || words.size() < 3) lines_.fail("port", "a connection is 'PORT -> [PART] PORT'");
    if ((to_.names_.back().empty() && !top_) || to_.boards_.back().parts.empty())
      lines_.fail("port", "a connection outside any part");
    Part& part = to_.boards_.back().parts.back();
    Connection connection;
    connection.port = words[0];
    if (part.type.empty()) lines_.number_in(words[0], "port", 1, part.ports);
    connection.attributes = arrow_attributes(words[1], lines_);
    if (words.size() == 4) connection.part = words[2];
    connection.to = words.back();
    part.connections.push_back(std::move(connection));
  }

  SystemDefinitions& to_;
  ImportLines lines_;
  bool top_ = false;
};

class SystemDefinitions::Expansion {
 public:
  Expansion(const SystemDefinitions& from, const Boards& boards,
            const std::map<std::string, std::string>& modifiers, const ImportLines& lines)
      : from_(from), boards_(boards), modifiers_(modifiers), lines_(lines) {}

  ExpandedSystem run(std::size_t board) {
    result_.panel = expand(board, "", 0);
    for (const auto& [path, modifier] : modifiers_)
      if (!std::binary_search(used_.begin(), used_.end(), path))
        lines_.fail("CFG", fmt::format("the system has no board {}", in_quotes(path)));
    return std::move(result_);
  }

 private:
  using Panel = std::map<std::string, ExpandedSystem::Port, std::less<>>;

  /// The names by which the board's ports can be reached from outside.
  Panel expand(std::size_t number, const std::string& path, std::size_t depth) {
    if (depth == max_depth) lines_.fail("TYPE", "boards are nested too deep");
    if (++boards_taken_apart_ > most_devices) lines_.fail("TYPE", "more boards than a system may have");
    const Board& board = from_.boards_[number];
    std::map<std::string_view, Panel> parts;
    for (const Part& part : board.parts) parts[part.name] = expand_part(part, path + part.name, depth);
    Panel panel;
    for (const Part& part : board.parts)
      for (const Connection& connection : part.connections)
        connect(parts, parts.at(part.name), connection, panel);
    return panel;
  }

  void connect(const std::map<std::string_view, Panel>& parts, const Panel& own, const Connection& connection,
               Panel& panel) {
    const auto from = own.find(connection.port);
    if (from == own.end()) return;
    ExpandedSystem::Port port = from->second;
    port.attributes = port.attributes.or_else(connection.attributes);
    if (connection.part.empty()) {
      panel.emplace(connection.to, port);
      return;
    }
    const auto other = parts.find(connection.part);
    if (other == parts.end())
      lines_.fail("TYPE", fmt::format("its definition connects to {}, which is not a part",
                                      in_quotes(connection.part)));
    const auto to = other->second.find(connection.to);
    if (to == other->second.end()) return;
    result_.cables.push_back({port, to->second});
  }

  Panel expand_part(const Part& part, const std::string& path, std::size_t depth) {
    if (part.type.empty()) return add_device(part, path);
    std::string type = part.type;
    if (const auto modifier = modifiers_.find(path); modifier != modifiers_.end()) {
      used_.insert(std::upper_bound(used_.begin(), used_.end(), path), path);
      if (modifier->second == "R" || modifier->second == "X" || modifier->second == "Removed") return {};
      type += ':' + modifier->second;
    }
    const auto board = boards_.find(type);
    if (board == boards_.end())
      lines_.fail("TYPE", fmt::format("board {} is a {}, which its file does not define", in_quotes(path),
                                      in_quotes(type)));
    return expand(board->second, path + '/', depth + 1);
  }

  Panel add_device(const Part& part, const std::string& path) {
    if (result_.devices.size() == most_devices) lines_.fail("TYPE", "more devices than a system may have");
    const auto device = static_cast<std::uint32_t>(result_.devices.size());
    result_.devices.push_back({path, part.is_switch});
    Panel panel;
    for (std::uint32_t port = 1; port <= part.ports; ++port)
      panel.emplace(std::to_string(port), ExpandedSystem::Port{device, port, {}});
    return panel;
  }

  const SystemDefinitions& from_;
  const Boards& boards_;
  const std::map<std::string, std::string>& modifiers_;
  const ImportLines& lines_;
  ExpandedSystem result_;
  std::vector<std::string> used_;  ///< sorted
  std::size_t boards_taken_apart_ = 0;
};

void SystemDefinitions::read(const ImportFile& file) { Parser(*this, file).run(); }

ExpandedSystem SystemDefinitions::expand(std::string_view type,
                                         const std::map<std::string, std::string>& modifiers,
                                         const ImportLines& lines) const {
  const System& system = systems_.find(type)->second;
  return Expansion(*this, names_[system.file], modifiers, lines).run(system.board);
}

}  // namespace wormcast::io
