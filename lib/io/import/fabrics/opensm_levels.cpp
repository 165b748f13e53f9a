// Reading SL2VL tables, path SLs and group records.
//
// A switch port is programmed for every other one: a row that is missing between two cabled ports means that
// the file was cut, or is of another fabric, and so does a route or a group without a level in a file of
// them. They are refused, since what is not read is a deadlock that is not found. Rows of ports without a
// cable and of port 0, paths from and to switches (management) and rows of host adapters, whose links no
// message waits for from another, are left out. cite: OpenSM 3.3, osm_dump.c (dump_sl2vl_tbl);
// infiniband-diags, saquery.c; ibdm, Fabric.cpp (the forms that ibdmchk reads).
// SPDX-License-Identifier: MIT
#include "io/import/fabrics/opensm_levels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/error.hpp"

namespace wormcast::io {
namespace {

/// `\t\tdlid....................5`: the key and the value; two empty texts where it is no such line.
std::pair<std::string_view, std::string_view> dotted(std::string_view line) {
  const std::size_t dots = line.find("..");
  if (dots == std::string_view::npos) return {};
  const std::size_t value = line.find_first_not_of('.', dots);
  return {line.substr(0, dots), value == std::string_view::npos ? std::string_view() : line.substr(value)};
}

bool is_path_record(std::string_view line) { return line == "PathRecord dump:"; }
bool is_group_record(std::string_view line) {
  return line.starts_with("MCMemberRecord ") && line.ends_with("dump:");
}

/// Records of `key....value` lines, each behind a line that is_head() knows: take(key, value) for each line,
/// close() at the end of each record.
template <class Take, class Close>
void read_dump(ImportLines& lines, bool (*is_head)(std::string_view), const char* what, Take take,
               Close close) {
  bool open = false;
  while (const auto line = lines.next_text()) {
    if (is_head(*line)) {
      if (std::exchange(open, true)) close();
      continue;
    }
    const auto [key, value] = dotted(*line);
    if (key.empty() || !open) lines.fail("", fmt::format("{} is not a line of {}", in_quotes(*line), what));
    take(key, value);
  }
  if (open) close();
}

std::uint64_t level_in(std::string_view text, const ImportLines& lines) {
  const bool hexadecimal = text.starts_with("0x");
  return lines.number_in(hexadecimal ? text.substr(2) : text, "SL", 0, service_levels - 1,
                         hexadecimal ? 16 : 10);
}

/// The hexadecimal digits of `0x01 0x23 …`, or of 0x0123… in one.
LevelVcs digits_of(const std::vector<std::string_view>& words, const ImportLines& lines) {
  std::string digits;
  for (std::size_t i = 3; i < words.size(); ++i) {
    if (!words[i].starts_with("0x"))
      lines.fail("VL", in_quotes(words[i]) + " is not a hexadecimal number with 0x");
    digits += words[i].substr(2);
  }
  if (digits.size() != service_levels)
    lines.fail("VL", fmt::format("{} virtual lanes; there are 16 service levels", digits.size()));
  LevelVcs vcs{};
  for (std::size_t level = 0; level < service_levels; ++level)
    vcs[level] = static_cast<std::uint8_t>(
        lines.number_in(std::string_view(digits).substr(level, 1), "VL", 0, 15, 16));
  return vcs;
}

}  // namespace

bool is_sl2vl(const ImportFile& file) {
  const std::string_view line = first_line_of(file, "#");
  const bool node = line.starts_with("Switch 0x") || line.starts_with("Channel Adapter 0x");
  if (node) return line.find(", base LID ") != std::string_view::npos;
  const std::vector<std::string_view> words = words_of(line);
  return words.size() > 3 && words[0].starts_with("0x") && whole_number(words[1]) && whole_number(words[2]) &&
         words[3].starts_with("0x");
}

bool is_path_levels(const ImportFile& file) {
  const std::string_view line = first_line_of(file, "#");
  const std::vector<std::string_view> words = words_of(line);
  return is_path_record(line) || (words.size() == 3 && words[0].starts_with("0x") && whole_number(words[1]) &&
                                  whole_number(words[2]));
}

bool is_group_records(const ImportFile& file) { return is_group_record(first_line_of(file, "")); }

LevelReader::LevelReader(Subnet& subnet) : subnet_(subnet) {
  for (const auto& [lid, host] : subnet.host_of_lid)
    hosts_of_node_[subnet.ports_of_lid.at(lid).node].push_back(host);
}

std::optional<std::uint32_t> LevelReader::switch_of(std::string_view text, const ImportLines& lines) const {
  const std::string guid = lines.guid_in(text, "GUID");
  const auto node = subnet_.cabling.find(guid);
  if (node && subnet_.cabling.router(*node)) return node;
  if (!subnet_.host_guids.contains(guid)) lines.fail("GUID", guid + " is of no node in the subnet's list");
  return std::nullopt;
}

void LevelReader::add_row(std::optional<std::uint32_t> node, std::uint64_t in, std::uint64_t out,
                          const LevelVcs& vcs, const ImportLines& lines) {
  const auto hop = [&](std::uint64_t port) {
    return port == 0 ? std::nullopt : subnet_.cabling.hop({*node, static_cast<std::uint32_t>(port)});
  };
  if (!node) return;
  const auto came = hop(in), left = hop(out);
  if (!came || !left) return;
  const std::uint32_t router = subnet_.cabling.router(*node)->value;
  if (!rows_of_file_.emplace(router, Links{*came, *left}).second)
    lines.fail("in", fmt::format("ports {} and {} appear twice for the same switch", in, out));
  const auto [known, fresh] = rows_[router].emplace(Links{*came, *left}, vcs);
  if (!fresh && known->second != vcs)
    lines.fail("VL", fmt::format("ports {} and {} of the same switch have other virtual lanes in {}", in, out,
                                 in_quotes(sl2vl_.file->name)));
}

void LevelReader::read_opensm_rows(ImportLines& lines) {
  std::optional<std::uint32_t> node;
  bool any = false;
  while (const auto text = lines.next_text("#")) {
    const std::string_view line = *text;
    const bool of_switch = line.starts_with("Switch 0x");
    if (of_switch || line.starts_with("Channel Adapter 0x")) {
      const std::string_view guid = line.substr(line.find(" 0x") + 1);
      node = switch_of(guid.substr(0, std::min(guid.find(','), guid.size())), lines);
      if (of_switch != node.has_value())
        lines.fail("GUID", in_quotes(line) + " is of another kind of node in the subnet's list");
      any = true;
      continue;
    }
    if (!any) lines.fail("in", "a row before the first switch");
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() < 3 || words[2] != ":")
      lines.fail("in", in_quotes(line) + " is not a row of an SL2VL table (in out : 16 virtual lanes)");
    if (words.size() != 3 + service_levels)
      lines.fail("VL", fmt::format("{} virtual lanes; there are 16 service levels", words.size() - 3));
    LevelVcs vcs{};
    for (std::size_t level = 0; level < service_levels; ++level)
      vcs[level] = static_cast<std::uint8_t>(lines.number_in(words[3 + level], "VL", 0, 15));
    add_row(node, lines.number_in(words[0], "in", 0, max_switch_port),
            lines.number_in(words[1], "out", 0, max_switch_port), vcs, lines);
  }
}

void LevelReader::read_ibdiagnet_rows(ImportLines& lines) {
  while (const auto text = lines.next_text("#")) {
    const std::string_view line = *text;
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() < 4)
      lines.fail("", in_quotes(line) + " is not a row of an SL2VL table (GUID in out 0x…)");
    add_row(switch_of(words[0], lines), lines.number_in(words[1], "in", 0, max_switch_port),
            lines.number_in(words[2], "out", 0, max_switch_port), digits_of(words, lines), lines);
  }
}

void LevelReader::read_sl2vl(const ImportFile& file) {
  rows_of_file_.clear();
  ImportLines lines(file);
  if (first_line_of(file, "#").starts_with("0x"))
    read_ibdiagnet_rows(lines);
  else
    read_opensm_rows(lines);
  sl2vl_ = {&file, lines.number()};
}

void LevelReader::add_path(HostId source, std::uint64_t lid, std::uint64_t level, const ImportLines& lines) {
  const auto destination = subnet_.host_of_lid.find(lid);
  if (destination == subnet_.host_of_lid.end()) {
    const bool known = lid == 0 || subnet_.switch_lids.contains(lid) || subnet_.ports_of_lid.contains(lid);
    if (!known) subnet_.unknown_lids.insert(lid);
    return;
  }
  if (destination->second == source) return;
  const auto value = static_cast<std::uint8_t>(level);
  const auto [known, added] = levels_.emplace(Hosts{source, destination->second}, value);
  if (!added && known->second != value)
    lines.fail("SL", fmt::format("{} for a path that an earlier line gives {}", value, known->second));
}

void LevelReader::read_level_lines(ImportLines& lines) {
  while (const auto text = lines.next_text("#")) {
    const std::string_view line = *text;
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() != 3)
      lines.fail("", in_quotes(line) + " is not a path SL (node GUID, destination LID, SL)");
    const std::string guid = lines.guid_in(words[0], "GUID");
    const auto node = subnet_.cabling.find(guid);
    if (!node) lines.fail("GUID", guid + " is of no node in the subnet's list");
    const std::uint64_t lid = lines.number_in(words[1], "LID", 1, first_multicast_lid - 1);
    const std::uint64_t level = level_in(words[2], lines);
    if (const auto hosts = hosts_of_node_.find(*node); hosts != hosts_of_node_.end())
      for (const HostId source : hosts->second) add_path(source, lid, level, lines);
  }
}

void LevelReader::read_path_records(ImportLines& lines) {
  std::optional<std::uint64_t> from, to, level;
  const auto take = [&](std::string_view key, std::string_view value) {
    if (key == "slid") from = lines.number_in(value, "slid", 0, max_lid);
    if (key == "dlid") to = lines.number_in(value, "dlid", 0, max_lid);
    if (key == "sl") level = level_in(value, lines);
  };
  read_dump(lines, is_path_record, "a path record", take, [&] {
    if (!from || !to || !level)
      lines.fail(!from ? "slid" : !to ? "dlid" : "sl", "missing in the path record that ends here");
    if (const auto source = subnet_.host_of_lid.find(*from); source != subnet_.host_of_lid.end())
      add_path(source->second, *to, *level, lines);
    from = to = level = std::nullopt;
  });
}

void LevelReader::read_path_levels(const ImportFile& file) {
  ImportLines lines(file);
  if (is_path_record(first_line_of(file, "#")))
    read_path_records(lines);
  else
    read_level_lines(lines);
  paths_ = {&file, lines.number()};
}

void LevelReader::read_group_records(const ImportFile& file) {
  ImportLines lines(file);
  std::optional<std::uint64_t> lid, level;
  std::string mgid;
  const auto take = [&](std::string_view key, std::string_view value) {
    if (key == "MGID") mgid = valid_utf8(value);
    if (key == "Mlid")
      lid = lines.number_in(value.substr(value.starts_with("0x") ? 2 : 0), "Mlid", first_multicast_lid,
                            max_lid, 16);
    if (key == "SL") level = level_in(value, lines);
  };
  read_dump(lines, is_group_record, "a group's record", take, [&] {
    if (!lid || !level) lines.fail(!lid ? "Mlid" : "SL", "missing in the group's record that ends here");
    const auto value = static_cast<std::uint8_t>(*level);
    const auto [known, added] = group_levels_.emplace(*lid, value);
    if (!added && known->second != value)
      lines.fail("SL", fmt::format("{} for group 0x{:04X}, to which an earlier record gives {}", value, *lid,
                                   known->second));
    const std::string name = fmt::format("0x{:04X}", *lid);
    if (!mgid.empty() && mgids_.emplace(mgid, name).first->second != name)
      lines.fail("MGID", fmt::format("{} has MLID {}, and an earlier record says {}", in_quotes(mgid), name,
                                     mgids_[mgid]));
    mgid.clear();
    lid = level = std::nullopt;
  });
  groups_ = {&file, lines.number()};
}

/// Every switch has a row for every two links of it.
void LevelReader::require_all_rows() const {
  const auto fail = [&](const std::string& message) {
    fail_import(*sl2vl_.file, sl2vl_.line, "in", message);
  };
  std::map<std::uint32_t, std::map<TableHop, std::uint32_t>> ports;  // by router, then link
  subnet_.cabling.each_switch_port(
      [&](NodeId router, std::uint32_t port, TableHop hop) { ports[router.value].emplace(hop, port); });
  for (const auto& [router, links] : ports) {
    const auto rows = rows_.find(router);
    const std::string name = subnet_.cabling.router_name(NodeId{router});
    if (rows == rows_.end() && links.size() > 1)
      fail("the file ends without a table of switch " + in_quotes(name));
    for (const auto& [in, in_port] : links)
      for (const auto& [out, out_port] : links)
        if (in != out && !rows->second.contains({in, out}))
          fail(fmt::format("the file ends without a row of switch {} for in {} and out {}", in_quotes(name),
                           in_port, out_port));
  }
}

/// Whatever the first switch sends on has a level.
void LevelReader::require_all_paths() const {
  std::map<NodeId, std::vector<std::pair<std::uint64_t, HostId>>> sources;  // with their LIDs
  for (const auto& [lid, host] : subnet_.host_of_lid)
    sources[subnet_.cabling.switch_of(host)].emplace_back(lid, host);
  for (const RouterTable& table : subnet_.tables)
    for (const RouterTable::Unicast& entry : table.unicast)
      for (const HostId destination : entry.destinations)
        for (const auto& [lid, source] : sources[table.router])
          if (source != destination && !levels_.contains({source, destination}))
            fail_import(*paths_.file, paths_.line, "SL",
                        fmt::format("the file ends without a path from LID {} to host {}", lid,
                                    in_quotes(subnet_.cabling.host_name(destination))));
}

/// Rows with the same virtual channels in one entry, where they make a product of links.
void LevelReader::write_sl2vl(RouterTable& table) const {
  const auto rows = rows_.find(table.router.value);
  if (rows == rows_.end()) return;
  std::map<std::pair<TableHop, LevelVcs>, std::vector<TableHop>> by_out;
  for (const auto& [links, vcs] : rows->second) by_out[{links.second, vcs}].push_back(links.first);
  std::map<std::pair<LevelVcs, std::vector<TableHop>>, std::vector<TableHop>> by_row;
  for (const auto& [key, in] : by_out) by_row[{key.second, in}].push_back(key.first);
  for (const auto& [key, out] : by_row) table.sl2vl.push_back({key.second, out, key.first});
}

void LevelReader::write_path_levels() {
  std::map<HostId, std::map<std::uint8_t, std::vector<HostId>>> by_source;
  for (const auto& [hosts, level] : levels_) by_source[hosts.first][level].push_back(hosts.second);
  std::map<NodeId, std::map<std::pair<std::uint8_t, std::vector<HostId>>, std::vector<HostId>>> by_router;
  for (const auto& [source, levels] : by_source)
    for (const auto& [level, destinations] : levels)
      by_router[subnet_.cabling.switch_of(source)][{level, destinations}].push_back(source);
  for (const auto& [router, entries] : by_router)
    for (const auto& [key, sources] : entries)
      subnet_.tables[router.value].service_levels.push_back({key.first, sources, key.second});
}

void LevelReader::write_group_levels() {
  for (RouterTable& table : subnet_.tables)
    for (RouterTable::Group& group : table.multicast) {
      const auto lid = whole_number(std::string_view(group.name).substr(2), 16);
      const auto level = group_levels_.find(*lid);
      if (level == group_levels_.end())
        fail_import(*groups_.file, groups_.line, "Mlid",
                    "the file ends without a record of group " + group.name);
      group.service_level = level->second;
    }
}

void LevelReader::finish(TopologySpec& spec) {
  if (sl2vl_.file != nullptr) {
    require_all_rows();
    for (RouterTable& table : subnet_.tables) write_sl2vl(table);
    spec.virtual_channels = 1;
    for (const auto& [router, rows] : rows_)
      for (const auto& [links, vcs] : rows)
        for (const std::uint8_t vc : vcs)
          if (vc != no_lane) spec.virtual_channels = std::max(spec.virtual_channels, std::uint32_t{vc} + 1);
  }
  if (paths_.file != nullptr) {
    require_all_paths();
    write_path_levels();
  }
  if (groups_.file != nullptr) write_group_levels();
}

}  // namespace wormcast::io
