// Names of parts of a network; numbers and names, told apart.
// SPDX-License-Identifier: MIT
#include "topology/name_table.hpp"

#include <algorithm>
#include <charconv>

namespace wormcast {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string name_or_number(const std::vector<std::string>& names, std::uint32_t index) {
  return index < names.size() && !names[index].empty() ? names[index] : std::to_string(index);
}

}  // namespace

std::string called(const Topology& topology, NodeId router) {
  return name_or_number(topology.spec().graph.names, router.value);
}

std::string called(const Topology& topology, HostId host) {
  return name_or_number(topology.spec().graph.host_names, host.value);
}

std::string called(const Topology& topology, ChannelId channel) {
  const auto ends = topology.ends(channel);
  if (!ends) return std::to_string(channel.value);
  std::string from = called(topology, ends->from);
  std::string to = called(topology, ends->to);
  const std::vector<GraphLink>& links = topology.spec().graph.links;
  if (const std::size_t link = channel.value / 2; link < links.size() && links[link].ports) {
    from += " port " + std::to_string((*links[link].ports)[channel.value % 2]);
    to += " port " + std::to_string((*links[link].ports)[1 - channel.value % 2]);
  }
  return from + "→" + to;
}

bool has_names(const Topology& topology) {
  const GraphSpec& graph = topology.spec().graph;
  return !graph.names.empty() || (!graph.links.empty() && graph.links.front().ports);
}

void NameTable::add(std::string_view name, std::uint32_t index) {
  const auto [known, fresh] = by_name_.try_emplace(name, Found{Answer::found, index, name});
  if (!fresh && known->second.index != index) known->second.answer = Answer::several;
  if (is_number(name)) by_number_.emplace(index, name);
}

NameTable::Found NameTable::named(std::string_view name) const {
  const auto known = by_name_.find(name);
  return known == by_name_.end() ? Found{} : known->second;
}

std::optional<std::uint32_t> NameTable::numbered(std::string_view text) const {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value >= count_)
    return std::nullopt;
  return value;
}

NameTable::Found NameTable::find(std::string_view text) const {
  constexpr std::string_view as_number = "number:";
  constexpr std::string_view as_name = "name:";
  const Found name = named(text);
  const auto number = numbered(text);
  if (name.answer != Answer::unknown) {
    if (number && (name.answer == Answer::several || name.index != *number))
      return {Answer::number_and_name, name.index};
    return name;
  }
  if (number) {
    const auto called = by_number_.find(*number);
    if (called == by_number_.end()) return {Answer::found, *number};
    return {Answer::other_number, *number, called->second};
  }
  if (text.starts_with(as_name)) return named(text.substr(as_name.size()));
  if (!text.starts_with(as_number)) return {};
  const auto said = numbered(text.substr(as_number.size()));
  return said ? Found{Answer::found, *said} : Found{};
}

std::string NameTable::refusal(const Found& found, std::string_view text, const std::string& thing,
                               const std::string& network) {
  const std::string given(text.substr(0, 100));
  switch (found.answer) {
    case Answer::several:
      return "'" + given + "' names several " + thing + "s of " + network;
    case Answer::number_and_name:
      return "'" + given + "' is a " + thing + "'s number, and the name of " + thing + " " +
             std::to_string(found.index) + "; write number:" + given + " or name:" + given;
    case Answer::other_number:
      return "'" + given + "' is the number of the " + thing + " called '" + std::string(found.name) +
             "'; write number:" + given + " or name:" + std::string(found.name);
    case Answer::found:
    case Answer::unknown:
      break;
  }
  return "'" + given + "' names no " + thing + " of " + network;
}

}  // namespace wormcast
