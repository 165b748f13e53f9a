// Import of Tenstorrent descriptors: of a chip (`grid:` x_size, y_size) its two networks, of a cluster
// (`chips`, `ethernet_connections`) a graph of its chips with one host each, channels as ports.
//
// A chip's networks are tori of one direction each, opposed: NoC 0 runs right and down (x and y upwards),
// NoC 1 left and up. Of YAML only what these files use is read: sections at the margin, numbers below them.
// cite: tt-umd, SOC_DESCRIPTOR.md; tt-isa-documentation (RoutingPaths).
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "io/import/plain_graph.hpp"
#include "io/import/text.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_tenstorrent {
namespace {

/// Calls visit(section, line, lines) for each line; a section is a word at the margin with a colon.
template <class Visit>
void each_line(const ImportFile& file, Visit visit) {
  ImportLines lines(file);
  std::string section;
  while (const auto line = lines.next()) {
    const std::string_view text = line->substr(0, line->find('#'));
    if (trimmed(text).empty()) continue;
    const std::size_t colon = text.find(':');
    if (text.front() != ' ' && text.front() != '-' && colon != std::string_view::npos) {
      section = text.substr(0, colon);
      visit(section, text.substr(colon + 1), lines);
    } else {
      visit(section, text, lines);
    }
  }
}

/// The number after `key:` from `at` on, which moves past it; nothing where there is none.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key, std::size_t& at,
                                          const ImportLines& lines) {
  at = text.find(key, at);
  if (at == std::string_view::npos) return std::nullopt;
  at += key.size();
  const std::string_view rest = trimmed(text.substr(at));
  const std::string_view digits = rest.substr(0, rest.find_first_not_of("0123456789"));
  const std::string_view number = digits.empty() ? rest.substr(0, rest.find_first_of(" ,]}")) : digits;
  return lines.number_in(number, std::string(key.substr(0, key.size() - 1)), 0, 1U << 20);
}

/// A connection is an item of a list, with two ends. Where no dash begins the items, every two ends are one.
struct Connections {
  std::map<std::uint64_t, std::uint32_t> chips;
  std::set<std::pair<std::uint64_t, std::uint64_t>> taken;  ///< chip, channel
  std::optional<std::uint64_t> chip;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ends;  ///< two for each connection
  std::optional<std::size_t> margin;                          ///< where the dashes of the items stand
  std::size_t closed = 0;                                     ///< ends of the connections before this one
  std::uint64_t last_line = 1;                                ///< that names an end

  /// The connection that is open is whole.
  void close(const ImportLines& lines) {
    if (chip) lines.fail_at(last_line, "chan", fmt::format("missing after chip {}", *chip));
    const std::size_t count = ends.size() - closed;
    if (margin ? count != 2 : count % 2 != 0)
      lines.fail_at(last_line, "ethernet_connections", fmt::format("{} ends of a connection, not 2", count));
    closed = ends.size();
  }

  void begin_item(std::string_view text, const ImportLines& lines) {
    const std::size_t dash = text.find_first_not_of(' ');
    if (dash == std::string_view::npos || text[dash] != '-' || dash != margin.value_or(dash)) return;
    if (margin) close(lines);
    margin = dash;
    last_line = lines.number();
  }

  void read(std::string_view text, const ImportLines& lines) {
    begin_item(text, lines);
    for (std::size_t at = 0; at < text.size();) {
      std::size_t chip_at = at;
      std::size_t channel_at = at;
      const bool chip_next = !chip;
      const auto value = chip_next ? number_after(text, "chip:", chip_at, lines)
                                   : number_after(text, "chan:", channel_at, lines);
      if (!value) return;
      at = chip_next ? chip_at : channel_at;
      if (chip_next) {
        chip = *value;
        last_line = lines.number();
        continue;
      }
      if (!chips.contains(*chip)) lines.fail("chip", fmt::format("there is no chip {}", *chip));
      if (*value > 65535) lines.fail("chan", fmt::format("{} is not between 0 and 65535", *value));
      if (!taken.emplace(*chip, *value).second)
        lines.fail("chan", fmt::format("channel {} of chip {} has a connection already", *value, *chip));
      ends.emplace_back(*chip, *value);
      chip.reset();
    }
  }
};

Imported read_cluster(const ImportFile& file) {
  Connections connections;
  each_line(file, [&](const std::string& section, std::string_view text, const ImportLines& lines) {
    if (section != "arch" && section != "chips") return;
    const std::string_view key = trimmed(text.substr(0, text.find(':')));
    if (text.find(':') == std::string_view::npos) return;
    if (const auto id = whole_number(key)) connections.chips.emplace(*id, 0);
    (void)lines;
  });
  PlainGraph graph;
  for (auto& [id, index] : connections.chips) index = graph.node(std::to_string(id));
  std::uint64_t last = 1;
  std::uint64_t remote = 0;
  each_line(file, [&](const std::string& section, std::string_view text, const ImportLines& lines) {
    last = lines.number();
    if (section == "ethernet_connections") connections.read(text, lines);
    // Links that leave the machine: what is at their other end, the file does not say.
    if (section != "ethernet_connections_to_remote_devices") return;
    for (std::size_t at = 0; (at = text.find("remote_chip_id:", at)) != std::string_view::npos; ++at)
      ++remote;
  });
  if (connections.chips.empty()) fail_import(file, last, "chips", "no chip is named");
  connections.close(ImportLines(file));
  for (std::size_t i = 0; i < connections.ends.size(); i += 2) {
    const auto& [a, a_channel] = connections.ends[i];
    const auto& [b, b_channel] = connections.ends[i + 1];
    GraphLink link;
    link.ports = {static_cast<std::uint32_t>(a_channel), static_cast<std::uint32_t>(b_channel)};
    graph.add_link(connections.chips.at(a), connections.chips.at(b), std::move(link));
  }
  graph.note_left_out("links-to-remote-devices", remote);
  return std::move(graph).build();
}

Imported read_chip(const ImportFile& file) {
  std::map<std::string, std::uint64_t> sizes;
  each_line(file, [&](const std::string& section, std::string_view text, const ImportLines& lines) {
    if (section != "grid") return;
    for (const char* key : {"x_size:", "y_size:"}) {
      std::size_t at = 0;
      if (const auto size = number_after(text, key, at, lines)) sizes[key] = *size;
    }
  });
  for (const char* key : {"x_size:", "y_size:"})
    if (!sizes.contains(key) || sizes.at(key) == 0)
      fail_import(file, 1, "grid", fmt::format("{} is missing or 0", std::string_view(key, 6)));
  Imported result;
  result.spec.family = "torus-forward";
  result.spec.sizes = {sizes.at("x_size:"), sizes.at("y_size:")};
  result.second = result.spec;
  result.second->family = "torus-backward";
  return result;
}

bool has_section(const ImportFile& file, std::string_view wanted) {
  bool found = false;
  each_line(file, [&](const std::string& section, std::string_view, const ImportLines&) {
    found = found || section == wanted;
  });
  return found;
}

bool detect(const ImportFile& file) {
  if (has_section(file, "$schema")) return false;
  bool chip = false;
  each_line(file, [&](const std::string& section, std::string_view text, const ImportLines&) {
    for (const char* key : {"x_size:", "y_size:"})
      chip = chip || (section == "grid" && text.find(key) != std::string_view::npos);
  });
  return chip || has_section(file, "ethernet_connections");
}

Imported read(const ImportFile& file) {
  return has_section(file, "ethernet_connections") ? read_cluster(file) : read_chip(file);
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "tenstorrent",
    .summary = "Tenstorrent: descriptors of chips and clusters",
    .cite = "tt-umd, SOC_DESCRIPTOR.md",
    .detect = detect,
    .one = "descriptor",
    .read_one = read,
};

}  // namespace wormcast::io::import_tenstorrent
