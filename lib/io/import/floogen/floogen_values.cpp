// Reading them.
// SPDX-License-Identifier: MIT
#include "io/import/floogen/floogen_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace wormcast::io::import_floogen {
namespace {

constexpr std::array<std::string_view, 5> directions = {"north", "east", "south", "west", "eject"};

}  // namespace

void check_protocol(const YamlValue& protocol) {
  protocol.expect_keys("protocols", {"name", "description", "protocol", "type", "direction", "data_width",
                                     "addr_width", "id_width", "user_width", "type_prefix"});
  protocol.at("name", "protocols").name("name");
  for (const char* key : {"data_width", "addr_width", "id_width"})
    protocol.at(key, "protocols").number(key, 1U << 20);
}

std::vector<std::uint64_t> sizes_of(const YamlValue& value, std::string_view field) {
  std::vector<std::uint64_t> sizes;
  if (value.kind == YamlValue::Kind::scalar) {
    sizes.push_back(value.number(field, most_nodes));
  } else {
    for (const YamlValue& size : value.list(field)) sizes.push_back(size.number(field, most_nodes));
  }
  if (sizes.empty()) value.fail(field, "no size is named");
  std::uint64_t product = 1;
  for (const std::uint64_t size : sizes) {
    if (size == 0) value.fail(field, "0 is not a size");
    product *= size;
    if (product > most_nodes) value.fail(field, fmt::format("more than {} nodes", most_nodes));
  }
  return sizes;
}

bool said(const YamlValue& value, std::string_view key, bool otherwise) {
  const YamlValue* found = value.find(key);
  return found == nullptr ? otherwise : found->boolean(key);
}

void check_range(const YamlValue& range) {
  range.expect_keys("addr_range",
                    {"start", "end", "base", "size", "arr_idx", "arr_dim", "rdl_name", "rdl_as_mem",
                     "en_collective", "en_multicast", "desc", "rdl_addrmap_grp", "rdl_params"});
  std::map<std::string_view, std::uint64_t> found;
  for (const char* key : {"start", "end", "base", "size"})
    if (const YamlValue* value = range.find(key)) found[key] = value->number(key, INT64_MAX);
  if (!found.contains("size") && !found.contains("end"))
    range.fail("addr_range", "neither 'size' nor 'end' is there");
  if (!found.contains("base") && !found.contains("start") && found.size() < 2)
    range.fail("addr_range", "neither 'base' nor 'start' is there");
  if (found.contains("start") && found.contains("end") && found["end"] < found["start"])
    range.fail("addr_range", "it ends before it starts");
  for (const char* key : {"en_collective", "en_multicast"})  // the latter in v0.7
    if (const YamlValue* known = range.find(key)) known->boolean(key);
}

void note_collectives(const YamlValue& routing, NamedValues& notes) {
  for (const auto& [key, value] : routing.members)
    if (key.starts_with("en_") && value.boolean(key)) notes.emplace_back(key.substr(3), "true");
  const YamlValue* collective = routing.find("collective");
  if (collective == nullptr) return;
  collective->expect_keys("collective", {"en_narrow_multicast", "en_wide_multicast", "en_barrier",
                                         "en_narrow_reduction", "en_wide_reduction"});
  for (const auto& [key, value] : collective->members) {
    const bool reduction = key.ends_with("reduction") && value.kind != YamlValue::Kind::scalar;
    if (reduction || (!value.empty() && value.boolean(key))) notes.emplace_back(key.substr(3), "true");
  }
}

std::vector<std::uint64_t> indices_of(const YamlValue& value, const std::string& field) {
  std::vector<std::uint64_t> indices;
  if (value.kind == YamlValue::Kind::scalar) return {value.number(field, most_nodes)};
  if (value.list(field).size() > 2) value.fail(field, "more than two indices");
  for (const YamlValue& one : value.items) indices.push_back(one.number(field, most_nodes));
  return indices;
}

std::vector<std::string> in_range(const std::vector<std::string>& names, const YamlValue& range,
                                  const std::string& field) {
  if (range.list(field).size() != 2) range.fail(field, "a range has a first and a last index");
  const std::uint64_t first = range.items[0].number(field, most_nodes);
  const std::uint64_t last = range.items[1].number(field, most_nodes);
  const std::uint64_t count = std::max(first, last) - std::min(first, last) + 1;
  if (count * names.size() > most_nodes) range.fail(field, fmt::format("more than {} nodes", most_nodes));
  std::vector<std::string> all;
  for (const std::string& name : names)
    for (std::uint64_t i = 0; i < count; ++i)
      all.push_back(fmt::format("{}_{}", name, first <= last ? first + i : first - i));
  return all;
}

std::optional<std::uint32_t> direction_of(const YamlValue& connection, const char* key) {
  const YamlValue* value = connection.find(key);
  if (value == nullptr) return std::nullopt;
  std::string lower = value->name(key);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto at = std::find(directions.begin(), directions.end(), lower);
  if (at != directions.end()) return static_cast<std::uint32_t>(at - directions.begin());
  return static_cast<std::uint32_t>(value->number(key, 254));
}

}  // namespace wormcast::io::import_floogen
