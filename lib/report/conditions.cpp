// Conditions on records.
// SPDX-License-Identifier: MIT
#include "report/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast {
namespace {

std::vector<std::string_view> values_of(std::string_view wanted) {
  std::vector<std::string_view> values;
  for (std::size_t at = 0; at <= wanted.size();) {
    const std::size_t end = std::min(wanted.find(',', at), wanted.size());
    values.push_back(wanted.substr(at, end - at));
    at = end + 1;
  }
  return values;
}

}  // namespace

Conditions parse_conditions(const std::vector<std::string>& texts) {
  Conditions conditions;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError("--where", fmt::format("'{}' is not of the form PARAMETER=VALUE", text));
    conditions.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return conditions;
}

bool fits(std::string_view value, std::string_view wanted) {
  if (value == wanted) return true;
  const std::vector<std::string_view> values = values_of(wanted);
  return !value.empty() && std::find(values.begin(), values.end(), value) != values.end();
}

std::string condition_text(const std::pair<std::string, std::string>& condition,
                           const std::set<std::string>& came) {
  const auto& [name, value] = condition;
  std::string text = name + "=" + value;
  if (std::any_of(came.begin(), came.end(),
                  [&, &wanted = value](const auto& one) { return fits(one, wanted); }))
    return text;
  for (const std::string_view one : values_of(value))
    if (const std::string question = did_you_mean(one, {came.begin(), came.end()}); !question.empty())
      return text + " (" + question + ")";
  return text;
}

}  // namespace wormcast
