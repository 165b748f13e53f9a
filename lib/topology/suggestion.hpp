// Lookup in a registry, and the message for a name that is not there, with "did you mean".
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wormcast {

/// Edit distance (insertions, deletions, substitutions) of two short names.
std::size_t edit_distance(std::string_view a, std::string_view b);
/// "did you mean 'X'?" or "did you mean 'X' or 'Y'?": the known names that may have been meant; "" where none
/// is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known);
/// "unknown KIND 'NAME'; did you mean 'X'? (known: A B …)", the question only where a name is near. Where
/// that list would be long, the command `lister` that prints it stands for it; without one it is left out
/// behind a question.
std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 const std::vector<std::string_view>& known, std::string_view lister = "");

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
