// How OpenSM's dumps are recognized, which a converter reads: the list of a subnet, and what stands beside
// it.
// SPDX-License-Identifier: MIT
#include "io/import/format.hpp"

namespace wormcast::io::import_opensm {
namespace {

/// Lists of cables begin so, too.
bool is_subnet(std::string_view line) {
  return line.starts_with("{ ") && line.find(" NodeGUID:") != std::string_view::npos;
}

/// OpenSM wrote "__osm_ucast_mgr_dump_ucast_routes:" once, and ibdiagnet still leaves the underscores out.
bool is_unicast(std::string_view line) {
  const std::size_t name = line.find(" Switch 0x");
  return name != std::string_view::npos && line.substr(0, name).ends_with("dump_ucast_routes:");
}

/// What saquery prints of paths and of groups.
bool is_record(std::string_view line) {
  return line == "PathRecord dump:" || (line.starts_with("MCMemberRecord ") && line.ends_with("dump:"));
}

/// SL2VL tables: `Switch 0x…, base LID 2, "name"`; or ibdiagnet's `guid in out 0x…`. Path SLs: `guid lid sl`.
bool is_levels(std::string_view line) {
  if (line.starts_with("Channel Adapter 0x")) return line.find(", base LID ") != std::string_view::npos;
  const std::vector<std::string_view> words = words_of(line);
  return words.size() >= 3 && words[0].starts_with("0x") && whole_number(words[1]) &&
         whole_number(words[2]) && (words.size() == 3 || words[3].starts_with("0x"));
}

bool detect(const ImportFile& file) {
  const std::string_view line = first_line_of(file, ""), beyond_comments = first_line_of(file, "#");
  return is_subnet(line) || is_unicast(line) || is_record(line) || is_record(beyond_comments) ||
         beyond_comments.starts_with("Switch 0x") || is_levels(beyond_comments);
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "opensm",
    .summary = "OpenSM: opensm-subnet.lst, with opensm.fdbs, opensm.mcfdbs, opensm-sl2vl.dump, path SLs",
    .cite = "OpenSM 3.3, osm_dump.c",
    .detect = detect,
    .command = "opensm FILE... | gen-topology import",
};

}  // namespace wormcast::io::import_opensm
