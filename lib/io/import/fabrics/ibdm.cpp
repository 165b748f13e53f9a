// Import of IBDM topology files (.topo) and cable lists (.cables), with system definitions (.ibnl).
//
// A section `TYPE NAME [CFG: BOARD=MODIFIER,…]` is followed by lines `PORT [-4x-5G]-> TYPE NAME PORT`; a
// cable may be named from one end alone. A cable list has both ends on a line. A system whose type is defined
// in an .ibnl file beside is taken apart into its devices. Any other is one switch or host, whatever its
// boards, which the record counts: a switch where one of its type has a section, a port on a board
// ("L1/P2") or more than two cables. ibutils' dumps give every system a section: in those a type with one
// cable each, all to switches, are hosts nevertheless, which the record counts; with two they could be
// either, and are switches that it counts, too. Ports called P and a number keep it; those of a system with
// boards are numbered as they come. cite: ibdm-topo-file(1), ibdm-ibnl-file(1).
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/import/fabrics/cabling.hpp"
#include "io/import/fabrics/ibnl.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_ibdm {
namespace {

/// Devices of all systems together; more are refused before they are made.
constexpr std::size_t most_devices = 1u << 20;
/// A system with more cables is a switch.
constexpr std::size_t most_host_cables = 2;

class Reader {
 public:
  Reader(const ImportFile& file, const SystemDefinitions& definitions)
      : lines_(file), definitions_(definitions) {}

  Imported read() {
    while (const auto line = lines_.next()) read_line(words_of(*line));
    find_switch_types();
    for (const std::string& name : order_) add_nodes(name, systems_.find(name)->second);
    for (const Line& line : cables_) {
      ImportLines at = line.lines;
      add_cable(line, at);
    }
    Imported result = cabling_.build(lines_);
    if (flattened_ != 0) result.notes.emplace_back("systems-as-one-switch", std::to_string(flattened_));
    if (guessed_hosts_ != 0)
      result.notes.emplace_back("systems-taken-for-hosts", std::to_string(guessed_hosts_));
    if (guessed_ != 0) result.notes.emplace_back("systems-taken-for-switches", std::to_string(guessed_));
    return result;
  }

 private:
  struct System {
    std::string type;
    bool boards = false;
    std::map<std::string, std::uint32_t, std::less<>> ports;  ///< names, with the order in which they came
    ImportLines first;                                        ///< at the line that names it first
    std::map<std::string, std::string> modifiers;             ///< of its boards
    const ExpandedSystem* parts = nullptr;                    ///< where its type is defined
    std::vector<std::uint32_t> nodes;                         ///< of the parts, or its one
    bool section = false;                                     ///< it has one of its own
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
    if (words.size() >= 2 && is_cable_arrow(words[1])) {
      if (current_.empty()) lines_.fail("port", "a cable outside a system's section");
      if (words.size() != 5) lines_.fail("port", "a cable is 'PORT -> TYPE NAME PORT'");
      cables_.push_back({lines_, end(current_type_, current_, words[0]), end(words[2], words[3], words[4]),
                         arrow_attributes(words[1], lines_)});
    } else if (words.size() == 6 && words[2] != "CFG:") {
      cables_.push_back({lines_, end(words[0], words[1], words[2]), end(words[3], words[4], words[5]), {}});
    } else if (words.size() == 2 || (words.size() > 2 && words[2].starts_with("CFG:"))) {
      current_type_ = words[0];
      current_ = words[1];
      System& one = system(current_type_, current_);
      one.section = true;
      for (std::size_t i = 2; i < words.size(); ++i) read_modifiers(words[i], one);
      switch_types_.insert(current_type_);
    } else {
      lines_.fail("", "neither 'TYPE NAME', 'PORT -> TYPE NAME PORT' nor a cable of six words");
    }
  }

  /// By sections, boards and cables.
  void find_switch_types() {
    std::map<std::string, std::size_t, std::less<>> most;  // cables of one system; boards are many
    for (const auto& [name, one] : systems_) {
      std::size_t& cables = most[one.type];
      cables = std::max(cables, one.boards ? most_host_cables + 1 : one.ports.size());
    }
    for (const auto& [type, cables] : most)
      if (cables > most_host_cables) switch_types_.insert(type);
    // Where every system has a section, that says nothing, and a switch of one cable has no use.
    std::set<std::string, std::less<>> hosts;
    const bool dump =
        std::all_of(systems_.begin(), systems_.end(), [](const auto& named) { return named.second.section; });
    for (const std::string& type : dump ? switch_types_ : hosts)
      if (const auto found = most.find(type); found != most.end() && found->second == 1) hosts.insert(type);
    const auto lead_on = [&](const std::string& type) {
      return definitions_.know(type) || (switch_types_.contains(type) && most.find(type)->second > 1);
    };
    for (const Line& line : cables_) {
      const std::string& a = systems_.find(line.a.system)->second.type;
      const std::string& b = systems_.find(line.b.system)->second.type;
      if (!lead_on(b)) hosts.erase(a);
      if (!lead_on(a)) hosts.erase(b);
    }
    for (const std::string& type : hosts) switch_types_.erase(type);
    for (const auto& [name, one] : systems_) guessed_hosts_ += hosts.contains(one.type) ? 1 : 0;
    for (const auto& [name, one] : systems_)
      if (!definitions_.know(one.type) && switch_types_.contains(one.type) &&
          most.find(one.type)->second <= most_host_cables)
        ++guessed_;
  }

  System& system(std::string_view type, std::string_view name) {
    const auto [found, added] = systems_.emplace(
        std::string(name), System{std::string(type), false, {}, lines_, {}, nullptr, {}, false});
    if (added) order_.emplace_back(name);
    if (!added && found->second.type != type)
      lines_.fail("system",
                  fmt::format("{} is of type {} already", in_quotes(name), in_quotes(found->second.type)));
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

  /// "CFG:", "leaf3=R,leaf5=12x": commas with or without blanks between them.
  void read_modifiers(std::string_view word, System& one) {
    if (word.starts_with("CFG:")) word.remove_prefix(4);
    while (!word.empty()) {
      const std::string_view pair = word.substr(0, word.find(','));
      word.remove_prefix(std::min(pair.size() + 1, word.size()));
      const std::size_t sign = pair.find('=');
      if (pair.empty()) continue;
      if (sign == std::string_view::npos || sign == 0 || sign + 1 == pair.size())
        lines_.fail("CFG", in_quotes(pair) + " is not 'BOARD=MODIFIER'");
      one.modifiers[std::string(pair.substr(0, sign))] = pair.substr(sign + 1);
    }
  }

  void add_nodes(const std::string& name, System& one) {
    if (!definitions_.know(one.type)) {
      one.nodes = {cabling_.node(name)};
      cabling_.set_kind(one.nodes[0], switch_types_.contains(one.type));
      if (one.boards) ++flattened_;
      return;
    }
    auto [found, added] = expanded_.try_emplace({one.type, one.modifiers});
    if (added) found->second = definitions_.expand(one.type, one.modifiers, one.first);
    one.parts = &found->second;
    devices_ += one.parts->devices.size();
    if (devices_ > most_devices)
      one.first.fail("TYPE", fmt::format("the systems have more than {} devices", most_devices));
    for (const ExpandedSystem::Device& device : one.parts->devices) {
      one.nodes.push_back(
          cabling_.node(one.parts->devices.size() == 1 ? name : fmt::format("{}/{}", name, device.path)));
      cabling_.set_kind(one.nodes.back(), device.is_switch);
    }
    for (const ExpandedSystem::Cable& cable : one.parts->cables)
      cabling_.add({one.nodes[cable.a.device], cable.a.port}, {one.nodes[cable.b.device], cable.b.port},
                   cable.a.attributes, one.first);
  }

  /// The port of a device; what its definition says of it is added to `attributes`.
  Cabling::Port port(const End& end, const ImportLines& at, Cabling::Attributes& attributes) const {
    const System& one = systems_.find(end.system)->second;
    if (one.parts == nullptr)
      return {one.nodes[0],
              one.boards ? one.ports.at(end.port) : static_cast<std::uint32_t>(*numbered(end.port))};
    const auto found = one.parts->panel.find(end.port);
    if (found == one.parts->panel.end())
      at.fail("port", fmt::format("{} of type {} has no port {}", in_quotes(end.system), in_quotes(one.type),
                                  in_quotes(end.port)));
    attributes = attributes.or_else(found->second.attributes);
    return {one.nodes[found->second.device], found->second.port};
  }

  void add_cable(const Line& line, const ImportLines& at) {
    Cabling::Attributes attributes = line.attributes;
    const Cabling::Port a = port(line.a, at, attributes);
    const Cabling::Port b = port(line.b, at, attributes);
    cabling_.add(a, b, attributes, at);
  }

  ImportLines lines_;
  const SystemDefinitions& definitions_;
  Cabling cabling_;
  std::map<std::string, System, std::less<>> systems_;
  std::vector<std::string> order_;  ///< in which systems are named first
  std::map<std::pair<std::string, std::map<std::string, std::string>>, ExpandedSystem> expanded_;
  std::size_t devices_ = 0;
  std::set<std::string, std::less<>> switch_types_;
  std::vector<Line> cables_;
  std::string current_;
  std::string current_type_;
  std::uint64_t flattened_ = 0;
  std::uint64_t guessed_ = 0;        ///< switches because of their sections alone
  std::uint64_t guessed_hosts_ = 0;  ///< hosts although they have sections
};

bool detect(const ImportFile& file) {
  if (is_system_definition(file)) return true;
  ImportLines lines(file);
  bool section = false;
  while (const auto line = lines.next()) {
    const std::vector<std::string_view> words = words_of(*line);
    if (words.empty() || words[0].starts_with('#')) continue;
    if (section) return words.size() == 5 && is_cable_arrow(words[1]);
    if (words.size() == 6 && words[2].starts_with('P') && words[5].starts_with('P')) return true;
    if (words.size() != 2 && !(words.size() > 2 && words[2].starts_with("CFG:"))) return false;
    section = true;
  }
  return false;
}

Imported read(std::span<const ImportFile> files) {
  SystemDefinitions definitions;
  const ImportFile* network = nullptr;
  for (const ImportFile& file : files) {
    if (is_system_definition(file)) {
      definitions.read(file);
      continue;
    }
    if (network != nullptr)
      throw InputError("FILE", "one topology file at a time, with its system definitions");
    network = &file;
  }
  if (network == nullptr) throw InputError("FILE", "system definitions alone: the topology file is missing");
  return Reader(*network, definitions).read();
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "ibdm",
    .summary = "InfiniBand: topology files, cable lists and system definitions of ibutils",
    .cite = "ibdm-topo-file(1)",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io::import_ibdm
