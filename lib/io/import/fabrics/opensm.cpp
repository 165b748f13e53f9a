// Import of OpenSM's dumps: opensm-subnet.lst for the network, opensm.fdbs for the unicast routes,
// opensm.mcfdbs for the multicast trees; the latter two become a table for each router. What chooses virtual
// lanes is read by opensm_levels.cpp.
//
// A link end is `{ SW Ports:HH SystemGUID:… NodeGUID:… PortGUID:… … {description} LID:HHHH PN:HH }`, a
// line has both ends of a cable. Ports, LIDs and PN are hexadecimal there, ports of the fdbs decimal,
// those of the mcfdbs hexadecimal. A description may hold anything, braces too: what stands before it
// is looked for from the left, what stands behind it from the right. Routes to switches (management) are no
// routes between hosts and left out. A file that is none of these is refused: a table that is not read is
// a deadlock that is not found. cite: OpenSM 3.3, osm_subnet.c, osm_dump.c, osm_ucast_mgr.c.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/import/fabrics/opensm_levels.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_opensm {
namespace {

bool is_subnet(const ImportFile& file) {
  const std::string_view line = first_line_of(file, "");
  return line.starts_with("{ ") && line.find(" NodeGUID:") != std::string_view::npos;
}

/// OpenSM wrote "__osm_ucast_mgr_dump_ucast_routes:" once, and ibdiagnet still leaves the underscores out.
bool is_unicast(const ImportFile& file) {
  const std::string_view line = first_line_of(file, "");
  const std::size_t name = line.find(" Switch 0x");
  return name != std::string_view::npos && line.substr(0, name).ends_with("dump_ucast_routes:");
}

bool is_multicast(const ImportFile& file) {
  return first_line_of(file, "").starts_with("Switch 0x") && !is_sl2vl(file);
}

/// A file beside the subnet's list.
bool is_table(const ImportFile& file) {
  return is_unicast(file) || is_multicast(file) || is_sl2vl(file) || is_path_levels(file) ||
         is_group_records(file);
}

/// Where the first end of a cable closes, at the " } { " before the second: behind a description, an LID and
/// a PN, and before the type of a node. A description may hold such braces.
std::size_t end_of_first(std::string_view line) {
  for (std::size_t at = line.find(" } { "); at != std::string_view::npos; at = line.find(" } { ", at + 1)) {
    const std::string_view end = line.substr(0, at);
    const std::vector<std::string_view> behind = words_of(end.substr(std::min(end.rfind('}'), end.size())));
    const std::string_view next = line.substr(at + 5);
    const bool node = next.starts_with("SW ") || next.starts_with("CA") || next.starts_with("RT");
    if (node && behind.size() == 3 && behind[1].starts_with("LID:") && behind[2].starts_with("PN:"))
      return at;
  }
  return line.find(" } { ");
}

class Reader {
 public:
  Imported read(std::span<const ImportFile> files) {
    const ImportFile* subnet = nullptr;
    for (const ImportFile& file : files) {
      if (is_table(file)) continue;
      if (!is_subnet(file))
        throw InputError("FILE",
                         "neither the subnet's list (opensm-subnet.lst) nor its fdbs, mcfdbs, SL2VL tables, "
                         "path SLs or group records",
                         file.name);
      if (subnet != nullptr) throw InputError("FILE", "two lists of the subnet (opensm-subnet.lst)");
      subnet = &file;
    }
    if (subnet == nullptr) throw InputError("FILE", "the list of the subnet (opensm-subnet.lst) is missing");
    ImportLines lines(*subnet);
    while (const auto line = lines.next_text()) read_cable(*line, lines);
    Imported result = cabling_.build(lines);
    subnet_.tables.resize(result.spec.graph.routers);
    for (std::uint32_t r = 0; r < subnet_.tables.size(); ++r) subnet_.tables[r].router = NodeId{r};
    name_hosts();
    for (const ImportFile& file : files) {
      if (is_unicast(file)) read_unicast(file);
      if (is_multicast(file)) read_multicast(file);
    }
    LevelReader levels(subnet_);
    for (const ImportFile& file : files) {
      if (is_sl2vl(file)) levels.read_sl2vl(file);
      if (is_path_levels(file)) levels.read_path_levels(file);
      if (is_group_records(file)) levels.read_group_records(file);
    }
    levels.finish(result.spec);
    result.group_aliases = levels.mgids();
    finish(result);
    return result;
  }

 private:
  /// The value after `key`, such as " LID:", in a link end, up to the next blank.
  static std::string_view value_of(std::string_view end, std::string_view key, const ImportLines& lines) {
    const std::size_t at = end.find(key);
    if (at == std::string_view::npos)
      lines.fail(std::string(key.substr(1, key.size() - 2)), "missing in a link's end");
    end.remove_prefix(at + key.size());
    return end.substr(0, std::min(end.find(' '), end.size()));
  }

  void read_cable(std::string_view line, const ImportLines& lines) {
    const std::size_t split = end_of_first(line);
    const std::size_t last = line.rfind(" } PHY=");
    if (!line.starts_with("{ ") || split == std::string_view::npos)
      lines.fail("", in_quotes(line) + " is not a line of opensm-subnet.lst");
    const std::size_t end = last == std::string_view::npos || last < split ? line.rfind(" }") : last;
    if (end == std::string_view::npos || end < split + 5) lines.fail("", "the second end is not closed");
    const Cabling::Port a = read_end(line.substr(2, split - 2), lines);
    const Cabling::Port b = read_end(line.substr(split + 5, end - split - 5), lines);
    Cabling::Attributes attributes;
    for (const std::string_view word : words_of(line.substr(end + 2))) {
      if (word.starts_with("PHY=") && word.ends_with('x'))
        attributes.width = static_cast<std::uint32_t>(
            lines.number_in(word.substr(4, word.size() - 5), "PHY", 1, max_switch_port));
      if (word.starts_with("SPD=")) attributes.speed = valid_utf8(word.substr(4));
    }
    cabling_.add(a, b, attributes, lines);
  }

  Cabling::Port read_end(std::string_view end, const ImportLines& lines) {
    const std::string_view type = end.substr(0, std::min(end.find(' '), end.size()));
    const bool is_switch = type == "SW";
    if (!is_switch && !type.starts_with("CA") && !type.starts_with("RT"))
      lines.fail("", in_quotes(type) + " is not a type of node (SW, CA, CA-SM, RT)");
    const std::size_t open = end.find('{');
    const std::size_t close = end.rfind('}');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
      lines.fail("", "the description in braces is missing");
    const std::string_view before = end.substr(0, open);
    const std::string_view behind = end.substr(close);
    const std::string_view node_guid = value_of(before, " NodeGUID:", lines);
    const auto guid = guid_of(node_guid);
    const auto port_guid = guid_of(value_of(before, " PortGUID:", lines));
    if (!guid || !port_guid) lines.fail("NodeGUID", in_quotes(node_guid) + " and PortGUID must be GUIDs");
    const std::uint32_t node = cabling_.node(*guid);
    if (!cabling_.kind_known(node)) {
      cabling_.set_kind(node, is_switch);
      cabling_.set_guid(node, *guid);
      if (close > open + 1) cabling_.set_name(node, end.substr(open + 1, close - open - 1));
    }
    const Cabling::Port port{node, static_cast<std::uint32_t>(lines.number_in(value_of(behind, " PN:", lines),
                                                                              "PN", 1, max_switch_port, 16))};
    const std::uint64_t lid = lines.number_in(value_of(behind, " LID:", lines), "LID", 0, max_lid, 16);
    if (!is_switch) {
      subnet_.host_guids.insert({*guid, *port_guid});
      cabling_.set_port_guid(port, *port_guid);
      if (lid != 0) subnet_.ports_of_lid[lid] = port;
    } else if (lid != 0) {
      subnet_.switch_lids.insert(lid);
    }
    return port;
  }

  void name_hosts() {
    for (const auto& [lid, port] : subnet_.ports_of_lid)
      if (const auto host = cabling_.host(port)) subnet_.host_of_lid[lid] = *host;
  }

  /// The router that a `…Switch 0xGUID` line begins.
  std::uint32_t switch_of(std::string_view line, const ImportLines& lines) {
    std::string_view text = line.substr(line.find("Switch ") + 7);
    text = text.substr(0, std::min(text.find(' '), text.size()));
    const std::string guid = lines.guid_in(text, "Switch");
    const auto node = cabling_.find(guid);
    if (!node || !cabling_.router(*node))
      lines.fail("Switch", guid + " is not a switch of the subnet's list");
    return *node;
  }

  /// `LID : rest`; the LID and the words after the colon.
  static std::pair<std::uint64_t, std::vector<std::string_view>> entry(std::string_view line,
                                                                       std::uint64_t least,
                                                                       const ImportLines& lines) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() < 2 || words[1] != ":" || !words[0].starts_with("0x"))
      lines.fail("LID", in_quotes(line) + " is not an entry of a table");
    return {lines.number_in(words[0].substr(2), "LID", least, max_lid, 16), {words.begin() + 2, words.end()}};
  }

  void read_unicast(const ImportFile& file) {
    ImportLines lines(file);
    std::optional<std::uint32_t> at;
    std::map<TableHop, std::vector<HostId>> hops;
    std::set<HostId> routed;
    const auto close = [&] {
      if (!at) return;
      std::vector<RouterTable::Unicast>& unicast = subnet_.tables[cabling_.router(*at)->value].unicast;
      for (auto& [hop, hosts] : hops) {
        std::sort(hosts.begin(), hosts.end());
        unicast.push_back({hop, std::move(hosts)});
      }
      hops.clear();
      routed.clear();
    };
    while (const auto text = lines.next_text()) {
      const std::string_view line = *text;
      if (line.starts_with("LID ")) continue;
      if (line.find("Switch 0x") != std::string_view::npos) {
        close();
        at = switch_of(line, lines);
        if (!subnet_.tables[cabling_.router(*at)->value].unicast.empty())
          lines.fail("Switch", "a second table of the same switch");
        continue;
      }
      if (!at) lines.fail("LID", "an entry before the first switch");
      const auto [lid, words] = entry(line, 1, lines);
      if (words.empty()) lines.fail("Port", "missing");
      const auto host = subnet_.host_of_lid.find(lid);
      if (words[0] == "UNREACHABLE" || words[0] == "---") continue;
      const std::uint64_t port = lines.number_in(words[0], "Port", 0, max_switch_port);
      if (host == subnet_.host_of_lid.end()) {
        if (!subnet_.switch_lids.contains(lid) && !subnet_.ports_of_lid.contains(lid))
          subnet_.unknown_lids.insert(lid);
        continue;
      }
      const auto hop = cabling_.hop({*at, static_cast<std::uint32_t>(port)});
      if (!hop)
        lines.fail("Port", fmt::format("port {} of this switch has no cable in the subnet's list", port));
      if (!routed.insert(host->second).second) lines.fail("LID", fmt::format("0x{:04X} appears twice", lid));
      if (*hop < 0 && ~*hop != static_cast<TableHop>(host->second.value)) {
        lines.fail("Port", fmt::format("port {} leads to another host than that of LID 0x{:04X}", port, lid));
      }
      hops[*hop].push_back(host->second);
    }
    close();
  }

  void read_multicast(const ImportFile& file) {
    ImportLines lines(file);
    std::optional<std::uint32_t> at;
    while (const auto text = lines.next_text()) {
      const std::string_view line = *text;
      if (line.starts_with("LID ")) continue;
      if (line.find("Switch 0x") != std::string_view::npos) {
        at = switch_of(line, lines);
        continue;
      }
      if (!at) lines.fail("LID", "an entry before the first switch");
      const auto [lid, words] = entry(line, first_multicast_lid, lines);
      RouterTable::Group group{fmt::format("0x{:04X}", lid), {}};
      for (const std::string_view word : words) {
        const std::uint64_t port =
            lines.number_in(word.starts_with("0x") ? word.substr(2) : word, "Port", 0, max_switch_port, 16);
        if (port == 0) continue;  // the switch itself
        const auto hop = cabling_.hop({*at, static_cast<std::uint32_t>(port)});
        if (!hop)
          lines.fail("Port", fmt::format("port {} of this switch has no cable in the subnet's list", port));
        group.hops.push_back(*hop);
      }
      std::sort(group.hops.begin(), group.hops.end());
      if (std::adjacent_find(group.hops.begin(), group.hops.end()) != group.hops.end())
        lines.fail("Port", "a port appears twice");
      if (group.hops.empty()) continue;
      if (!trees_.emplace(*at, lid).second)
        lines.fail("LID", group.name + " appears twice for the same switch");
      subnet_.tables[cabling_.router(*at)->value].multicast.push_back(std::move(group));
    }
  }

  void finish(Imported& result) {
    for (RouterTable& table : subnet_.tables) {
      std::sort(table.multicast.begin(), table.multicast.end(),
                [](const RouterTable::Group& a, const RouterTable::Group& b) { return a.name < b.name; });
      const bool levels = !table.sl2vl.empty() || !table.service_levels.empty();
      if (!table.unicast.empty() || !table.multicast.empty() || levels)
        result.tables.push_back(std::move(table));
    }
    result.note("left-out-unknown-lids", subnet_.unknown_lids.size());
  }

  Subnet subnet_;
  Cabling& cabling_ = subnet_.cabling;
  std::set<std::pair<std::uint32_t, std::uint64_t>> trees_;  ///< of switches, with their LIDs
};

bool detect(const ImportFile& file) { return is_subnet(file) || is_table(file); }

Imported read(std::span<const ImportFile> files) { return Reader().read(files); }

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "opensm",
    .summary = "OpenSM: opensm-subnet.lst, with opensm.fdbs, opensm.mcfdbs, opensm-sl2vl.dump, path SLs",
    .cite = "OpenSM 3.3, osm_dump.c",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io::import_opensm
