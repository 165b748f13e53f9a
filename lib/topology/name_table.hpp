// What things of a network are called, and what a text means among numbered things that may have names: "7",
// "leaf-1", or for certain "number:7" and "name:7"; lookup in registries, and the message for a name that is
// not there, with "did you mean".
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "topology/topology.hpp"

namespace wormcast {

/// What people call the parts of a network: names and ports where a graph states them, numbers elsewhere.
std::string called(const Topology& topology, NodeId router);
std::string called(const Topology& topology, HostId host);
/// "4→5", or "S-7-0 port 3→S-8-1 port 12".
std::string called(const Topology& topology, ChannelId channel);
/// Whether a channel is called otherwise than by the numbers of its routers.
bool has_names(const Topology& topology);

/// Names of things 0 to count − 1; the texts must outlive it. A number means nothing where it is another
/// thing's name, or where its thing is called by another number: networks whose nodes were numbered anew, or
/// that count from 1 in their files, would else be given the wrong node without a word.
class NameTable {
 public:
  explicit NameTable(std::uint32_t count) : count_(count) {}
  /// The names of all things, or of none; several things may have one name.
  void add(const std::vector<std::string>& names) {
    for (std::uint32_t i = 0; i < names.size(); ++i) add(names[i], i);
  }
  void add(std::string_view name, std::uint32_t index);

  enum class Answer : std::uint8_t {
    found,
    unknown,
    several,          ///< things of that name
    number_and_name,  ///< the number of one thing, the name of another, `index`
    other_number      ///< the number of a thing that is called by another number, `name`
  };
  struct Found {
    Answer answer = Answer::unknown;
    std::uint32_t index = 0;
    std::string_view name = {};
  };
  Found find(std::string_view text) const;
  /// Why find() found nothing by `text`: "'7' is a router's number, and the name of router 3; write …".
  /// `thing` is what the table holds, `network` where.
  static std::string refusal(const Found& found, std::string_view text, const std::string& thing,
                             const std::string& network);
  bool any() const { return !by_name_.empty(); }

 private:
  Found named(std::string_view name) const;
  std::optional<std::uint32_t> numbered(std::string_view text) const;

  std::uint32_t count_;
  std::unordered_map<std::string_view, Found> by_name_;
  std::unordered_map<std::uint32_t, std::string_view> by_number_;  ///< names that are numbers
};

/// "did you mean 'X'?" or "did you mean 'X' or 'Y'?": known names that may have been meant; "": none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known);
/// "unknown KIND 'NAME'; did you mean 'X'? (known: A B …)", the question only where a name is near. Where
/// that list would be long, the command `lister` stands for it; without one it is left out behind a question.
std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 const std::vector<std::string_view>& known, std::string_view lister = "");

/// The place of a name among those of its kind; throws InputError on `field` where it is none of them.
std::size_t place_of_name(const std::string& field, std::string_view kind, std::string_view name,
                          std::span<const std::string_view> known);

/// The entry of that name in a list of pointers to registered constants, or nullptr.
template <class List>
auto find_by_name(const List& list, std::string_view name) -> typename List::value_type {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto* entry) { return entry->name == name; });
  return found == list.end() ? nullptr : *found;
}

/// The same, of a name or of an alias: pairs of another spelling and its entry.
template <class List, class Aliases>
auto find_by_name(const List& list, const Aliases& aliases, std::string_view name) ->
    typename List::value_type {
  for (const auto& [alias, entry] : aliases)
    if (alias == name) return entry;
  return find_by_name(list, name);
}

template <class List>
std::string unknown_name(std::string_view kind, std::string_view name, const List& list,
                         std::string_view lister) {
  std::vector<std::string_view> known;
  for (const auto* entry : list) known.push_back(entry->name);
  return unknown_name_message(kind, name, known, lister);
}

}  // namespace wormcast
