// Choosing among the multicast groups of imported tables.
//
// Tables know a group by its MLID, as "0xC000". An MGID is an IPv6 address, so it has many spellings, and
// ibdiagnet writes it as 32 hexadecimal digits: two are the same if their 16 bytes are. OpenSM may give
// several MGIDs one MLID. They then share its tree, so each of them names that tree.
// SPDX-License-Identifier: MIT
#include "io/command_line/network_options.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "io/import/text.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

using Mgid = std::array<std::uint8_t, 16>;
constexpr std::size_t most_shown = 20;

std::optional<Mgid> mgid_of(std::string text) {
  if (text.starts_with("0x") && text.size() == 34) {
    std::string address;
    for (std::size_t at = 2; at < text.size(); at += 4)
      address += (address.empty() ? "" : ":") + text.substr(at, 4);
    text = address;
  }
  Mgid mgid{};
  if (inet_pton(AF_INET6, text.c_str(), mgid.data()) != 1) return std::nullopt;
  return mgid;
}

/// "0xc000" and "0xC000" are one MLID.
std::string in_tables(const std::string& text) {
  if (!text.starts_with("0x")) return text;
  const auto lid = whole_number(std::string_view(text).substr(2), 16);
  return lid ? fmt::format("0x{:04X}", *lid) : text;
}

/// "0xC000 (ff12::1), 0xC001": what can be named.
std::string listed(const std::set<std::string>& names, const std::map<std::string, std::string>& aliases) {
  std::string list;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown++ == most_shown) return list + fmt::format(" and {} others", names.size() - most_shown);
    list += (list.empty() ? "" : ", ") + name;
    for (const auto& [mgid, group] : aliases)
      if (group == name) list += fmt::format(" ({})", mgid);
  }
  return list;
}

const std::string& group_named(const std::string& text, const std::set<std::string>& names,
                               const std::map<std::string, std::string>& aliases) {
  auto found = names.find(in_tables(text));
  if (found != names.end()) return *found;
  std::string reason = "is not a group of these files";
  if (const auto mgid = mgid_of(text)) {
    const auto alias = std::find_if(aliases.begin(), aliases.end(),
                                    [&](const auto& one) { return mgid_of(one.first) == mgid; });
    if (alias != aliases.end()) {
      found = names.find(alias->second);
      if (found != names.end()) return *found;
      reason = fmt::format("has MLID {}, which has no tree in these files", alias->second);
    } else if (aliases.empty()) {
      reason =
          "is an MGID, and these files do not say which MLID it has: import group records too (saquery -g)";
    }
  }
  throw InputError("--group",
                   fmt::format("{} {}; there are {}", in_quotes(text), reason, listed(names, aliases)));
}

}  // namespace

void keep_groups(Imported& found, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return;
  std::set<std::string> names, kept;
  for (const RouterTable& table : found.tables)
    for (const RouterTable::Group& group : table.multicast) names.insert(group.name);
  if (names.empty())
    throw InputError("--group", "the files have no multicast groups (OpenSM writes them to opensm.mcfdbs)");
  for (const std::string& text : wanted) kept.insert(group_named(text, names, found.group_aliases));
  for (RouterTable& table : found.tables)
    std::erase_if(table.multicast,
                  [&](const RouterTable::Group& group) { return !kept.contains(group.name); });
  std::erase_if(found.tables, [](const RouterTable& table) {
    return table.unicast.empty() && table.multicast.empty() && table.sl2vl.empty() &&
           table.service_levels.empty();
  });
  if (kept.size() < names.size())
    found.spec.generator.emplace_back("left-out-groups", std::to_string(names.size() - kept.size()));
}

}  // namespace wormcast::io
