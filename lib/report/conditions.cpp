// Conditions on records.
// SPDX-License-Identifier: MIT
#include "report/collector.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/error.hpp"
#include "topology/name_table.hpp"

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

bool fits(std::string_view value, const std::pair<std::string, std::string>& condition) {
  const auto& [name, wanted] = condition;
  if (value == wanted) return true;
  if (value.empty()) return false;
  const std::vector<std::string_view> values = values_of(wanted);
  return std::any_of(values.begin(), values.end(), [&, planner = name == "planner"](std::string_view one) {
    if (!planner) return value == one;
    return value == one || value.substr(0, value.find(':')) == one ||
           (one.ends_with(':') && value == one.substr(0, one.size() - 1));
  });
}

std::string condition_text(const std::pair<std::string, std::string>& condition,
                           const std::set<std::string>& came) {
  const auto& [name, value] = condition;
  std::string text = name + "=" + value;
  if (std::any_of(came.begin(), came.end(),
                  [&](const auto& one) { return fits(one, condition); }))
    return text;
  for (const std::string_view one : values_of(value))
    if (const std::string question = did_you_mean(one, {came.begin(), came.end()}); !question.empty())
      return text + " (" + question + ")";
  return text;
}

}  // namespace wormcast
