// Protocol rules in words, and the cycles of evidence one by one.
// SPDX-License-Identifier: MIT
#include "deadlock/verdict.hpp"

#include "topology/error.hpp"
#include "topology/name_table.hpp"

namespace wormcast {

ProtocolRule parse_protocol_rule(std::string_view field, std::string_view text) {
  const auto sort = [&](std::string_view name) {
    if (name == "multicasts") return multicast_sort;
    if (name == "unicasts") return unicast_sort;
    throw InputError(std::string(field),
                     in_quotes(text) + " is not REQUEST:REPLY, where each is multicasts or unicasts");
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) sort("");
  return {sort(text.substr(0, colon)), sort(text.substr(colon + 1))};
}

std::string write_protocol_rule(const ProtocolRule& rule) {
  const auto name = [](std::uint32_t sort) { return sort == unicast_sort ? "unicasts" : "multicasts"; };
  return std::string(name(rule.request)) + ":" + name(rule.reply);
}

std::vector<std::span<const Dependency>> cycles_of(std::span<const Dependency> all) {
  std::vector<std::span<const Dependency>> cycles;
  for (std::size_t begin = 0, i = 0; i < all.size(); ++i) {
    if (all[i].to != all[begin].from && i + 1 < all.size()) continue;
    cycles.push_back(all.subspan(begin, i + 1 - begin));
    begin = i + 1;
  }
  return cycles;
}

}  // namespace wormcast
