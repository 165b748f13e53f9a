// Import of IBDM topology files (.topo) and cable lists (.cables).
//
// A section `TYPE NAME [CFG: …]` is followed by lines `PORT [-4x-5G]-> TYPE NAME PORT`; a cable may be named
// from one end alone. A cable list has both ends on a line. What is inside a system (its .ibnl) is not
// read: a system is one switch, whatever its boards, which the record counts. Systems are switches where
// one of their type has a section, a port on a board ("L1/P2") or more than two cables; others are hosts.
// Ports called P and a number keep it; those of a system with boards are numbered as they come.
// cite: ibdm-topo-file(1).
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <map>
#include <set>

#include "io/import/cabling.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

bool is_arrow(std::string_view word) { return word.starts_with('-') && word.ends_with("->"); }

class Reader {
 public:
  explicit Reader(const ImportFile& file) : lines_(file) {}

  Imported read() {
    while (const auto line = lines_.next()) read_line(words_of(*line));
    for (const auto& [key, system] : systems_) {
      if (system.boards || system.ports.size() > 2) switch_types_.insert(system.type);
      if (system.boards) ++flattened_;
    }
    for (const auto& [key, system] : systems_)
      cabling_.set_kind(cabling_.node(key), switch_types_.contains(system.type));
    for (const Line& line : cables_) {
      ImportLines at = line.lines;
      cabling_.add(port(line.a), port(line.b), line.attributes, at);
    }
    Imported result = cabling_.build(lines_);
    if (flattened_ != 0) result.notes.emplace_back("systems-as-one-switch", std::to_string(flattened_));
    return result;
  }

 private:
  struct System {
    std::string type;
    bool boards = false;
    std::map<std::string, std::uint32_t, std::less<>> ports;  ///< names, with the order in which they came
  };
  struct End {
    std::string system;
    std::string port;
  };
  struct Line {
    ImportLines lines;  ///< at the line
    End a;
    End b;
    Cabling::Attributes attributes;
  };

  void read_line(const std::vector<std::string_view>& words) {
    if (words.empty()) {
      current_.clear();
      return;
    }
    if (words[0].starts_with('#')) return;
    if (words.size() >= 2 && is_arrow(words[1])) {
      if (current_.empty()) lines_.fail("port", "a cable outside a system's section");
      if (words.size() != 5) lines_.fail("port", "a cable is 'PORT -> TYPE NAME PORT'");
      cables_.push_back({lines_, end(current_type_, current_, words[0]), end(words[2], words[3], words[4]),
                         attributes_of(words[1])});
    } else if (words.size() == 6 && words[2] != "CFG:") {
      cables_.push_back({lines_, end(words[0], words[1], words[2]), end(words[3], words[4], words[5]), {}});
    } else if (words.size() == 2 || (words.size() > 2 && words[2].starts_with("CFG:"))) {
      current_type_ = words[0];
      current_ = words[1];
      system(current_type_, current_);
      switch_types_.insert(current_type_);
    } else {
      lines_.fail("", "neither 'TYPE NAME', 'PORT -> TYPE NAME PORT' nor a cable of six words");
    }
  }

  System& system(std::string_view type, std::string_view name) {
    cabling_.node(name);
    const auto [found, added] = systems_.emplace(std::string(name), System{std::string(type), false, {}});
    if (!added && found->second.type != type)
      lines_.fail("system",
                  fmt::format("{} is of type {} already", quoted(name), quoted(found->second.type)));
    return found->second;
  }

  End end(std::string_view type, std::string_view name, std::string_view port_name) {
    System& one = system(type, name);
    one.boards = one.boards || !numbered(port_name);
    one.ports.emplace(std::string(port_name), static_cast<std::uint32_t>(one.ports.size() + 1));
    return {std::string(name), std::string(port_name)};
  }

  static std::optional<std::uint64_t> numbered(std::string_view port_name) {
    if (!port_name.starts_with('P')) return std::nullopt;
    const auto number = whole_number(port_name.substr(1));
    return number && *number <= 65535 ? number : std::nullopt;
  }

  Cabling::Port port(const End& end) {
    const System& one = systems_.at(end.system);
    const auto number = one.boards ? one.ports.at(end.port) : static_cast<std::uint32_t>(*numbered(end.port));
    return {*cabling_.find(end.system), number};
  }

  /// "-4x-5G->".
  Cabling::Attributes attributes_of(std::string_view arrow) {
    Cabling::Attributes result;
    std::string_view rest = arrow.substr(0, arrow.size() - 2);
    while (!rest.empty()) {
      rest.remove_prefix(1);
      const std::string_view word = rest.substr(0, rest.find('-'));
      rest.remove_prefix(word.size());
      if (word.ends_with('x') || word.ends_with('X'))
        result.width =
            static_cast<std::uint32_t>(lines_.number_in(word.substr(0, word.size() - 1), "width", 1, 12));
      else
        result.speed = valid_utf8(word);
    }
    return result;
  }

  ImportLines lines_;
  Cabling cabling_;
  std::map<std::string, System, std::less<>> systems_;
  std::set<std::string, std::less<>> switch_types_;
  std::vector<Line> cables_;
  std::string current_;
  std::string current_type_;
  std::uint64_t flattened_ = 0;
};

bool detect(const ImportFile& file) {
  ImportLines lines(file);
  bool section = false;
  while (const auto line = lines.next()) {
    const std::vector<std::string_view> words = words_of(*line);
    if (words.empty() || words[0].starts_with('#')) continue;
    if (section) return words.size() == 5 && is_arrow(words[1]);
    if (words.size() == 6 && words[2].starts_with('P') && words[5].starts_with('P')) return true;
    if (words.size() != 2 && !(words.size() > 2 && words[2].starts_with("CFG:"))) return false;
    section = true;
  }
  return false;
}

Imported read(std::span<const ImportFile> files) {
  if (files.size() != 1) throw InputError("FILE", "one topology file at a time");
  return Reader(files.front()).read();
}

}  // namespace

extern const ImportFormat import_ibdm;
const ImportFormat import_ibdm = {
    .name = "ibdm",
    .summary = "InfiniBand: topology files (.topo) and cable lists of ibutils",
    .cite = "ibdm-topo-file(1)",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io
