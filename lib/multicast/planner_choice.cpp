// Taking "planner:option=value" apart. Cost: linear in the text.
// SPDX-License-Identifier: MIT
#include "multicast/planner_choice.hpp"

#include <algorithm>
#include <cstddef>

#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast {

namespace {

/// Cuts the text off before the first separator and returns what stands before it.
std::string_view take_part(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace

PlannerChoice parse_planner_choice(std::string_view word, const std::string& field) {
  std::size_t options = 0;
  for (const char c : word) options += c == ':' ? 1 : 0;
  const std::string_view name = take_part(word, ':');
  PlannerChoice choice;
  choice.planner = find_planner(name);
  if (choice.planner == nullptr) throw InputError(field, unknown_name("planner", name, planners()));
  for (; options > 0; --options) {
    const std::string_view option = take_part(word, ':');
    const std::size_t equals = option.find('=');
    if (equals == std::string_view::npos)
      throw InputError(field, "'" + std::string(option) + "' is not option=value");
    choice.options.emplace_back(option.substr(0, equals), option.substr(equals + 1));
  }
  return choice;
}

}  // namespace wormcast
