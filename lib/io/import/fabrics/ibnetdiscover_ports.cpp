// Import of the ports report of ibnetdiscover (`ibnetdiscover -p`): a line for each port, with its other end.
//
// `SW 2 1 0x0002c90300000002 4x FDR - CA 1 1 0x0002c90300000011 ( 'leaf1' - 'node1 mlx5_0' )`: type, LID,
// port, GUID, width and speed, then the same of the other end, then both names. A port without a cable has
// its node's name alone. The GUID is that of the switch, or of an adapter's port: ports of one adapter have
// the same name and GUIDs that differ as their numbers do. cite: infiniband-diags, ibnetdiscover.c,
// dump_ports_report.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "io/import/fabrics/cabling.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_ibnetdiscover_ports {
namespace {

constexpr std::uint64_t max_ports = 255;
constexpr std::uint64_t max_lid = 0xffff;

bool is_type(std::string_view word) { return word == "SW" || word == "CA" || word == "RT"; }

/// One end of a cable, as far as it stands in front of the names.
struct End {
  bool is_switch = false;
  std::uint64_t lid = 0;
  std::uint32_t port = 0;
  std::uint64_t guid = 0;
};

class Reader {
 public:
  explicit Reader(const ImportFile& file) : lines_(file) {}

  Imported read() {
    while (const auto text = lines_.next_text("#")) read_port(*text);
    return cabling_.build(lines_);
  }

 private:
  /// The words of the line from `at` on.
  End end_of(const std::vector<std::string_view>& words, std::size_t at) const {
    if (words.size() < at + 4 || !is_type(words[at]))
      lines_.fail("", "no port of a SW, CA or RT stands here");
    End end;
    end.is_switch = words[at] == "SW";
    end.lid = lines_.number_in(words[at + 1], "LID", 0, max_lid);
    end.port = static_cast<std::uint32_t>(lines_.number_in(words[at + 2], "port", 1, max_ports));
    const std::string_view guid = words[at + 3];
    if (!guid.starts_with("0x")) lines_.fail("GUID", in_quotes(guid) + " is not a GUID");
    end.guid = lines_.number_in(guid.substr(2), "GUID", 0, UINT64_MAX, 16);
    return end;
  }

  Cabling::Port port_of(const End& end, std::string_view name) {
    std::string key = end.guid == 0 ? fmt::format("LID {}", end.lid)
                                    : fmt::format("0x{:016x}", end.guid - (end.is_switch ? 0 : end.port));
    if (!end.is_switch) key = fmt::format("{} ({})", name, key);
    const std::uint32_t node = cabling_.node(key);
    cabling_.set_kind(node, end.is_switch);
    cabling_.set_name(node, name);
    const Cabling::Port port{node, end.port};
    if (end.guid != 0 && end.is_switch) cabling_.set_guid(node, fmt::format("0x{:016x}", end.guid));
    if (end.guid != 0 && !end.is_switch) cabling_.set_port_guid(port, fmt::format("0x{:016x}", end.guid));
    return port;
  }

  void read_port(std::string_view line) {
    const std::size_t names = line.find('\'');
    if (names == std::string_view::npos || !line.ends_with(line.find(" - ") < names ? "' )" : "'"))
      lines_.fail("", in_quotes(line) + " does not end with names in single quotes");
    const std::vector<std::string_view> words = words_of(line.substr(0, names));
    const End here = end_of(words, 0);
    Cabling::Attributes attributes;
    const auto width = words.size() > 5 && words[4].ends_with('x')
                           ? whole_number(words[4].substr(0, words[4].size() - 1))
                           : std::nullopt;
    if (width && *width > 0 && *width <= max_ports) attributes.width = static_cast<std::uint32_t>(*width);
    if (words.size() > 5 && words[5] != "???") attributes.speed = valid_utf8(words[5]);
    std::string_view named = line.substr(names + 1);
    if (words.size() < 7) {
      port_of(here, named.substr(0, named.size() - 1));
      return;
    }
    if (words[6] != "-" || words.size() != 12 || words[11] != "(")
      lines_.fail("", in_quotes(line) + " is not a line of a ports report");
    named.remove_suffix(3);
    constexpr std::string_view between = "' - '";
    const std::size_t end = named.find(between);
    if (end == std::string_view::npos) lines_.fail("", in_quotes(line) + " does not name both its nodes");
    const Cabling::Port port = port_of(here, named.substr(0, end));
    cabling_.add(port, port_of(end_of(words, 7), named.substr(end + between.size())), attributes, lines_);
  }

  ImportLines lines_;
  Cabling cabling_;
};

bool detect(const ImportFile& file) {
  const std::vector<std::string_view> words = words_of(first_line_of(file, "#"));
  return words.size() > 5 && is_type(words[0]) && whole_number(words[1]) && whole_number(words[2]) &&
         words[3].starts_with("0x") && guid_of(words[3]);
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "ibnetdiscover-ports",
    .summary = "InfiniBand: ports reports of ibnetdiscover -p",
    .cite = "infiniband-diags, ibnetdiscover(8)",
    .detect = detect,
    .one = "ports report",
    .read_one = [](const ImportFile& file) { return Reader(file).read(); },
};

}  // namespace wormcast::io::import_ibnetdiscover_ports
