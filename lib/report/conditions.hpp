// Conditions on records, as --where gives them.
// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wormcast {

/// Parameter and value, or values with commas between them of which one is enough; all must hold.
using Conditions = std::vector<std::pair<std::string, std::string>>;

/// Of texts PARAMETER=VALUE; throws InputError on field "--where".
Conditions parse_conditions(const std::vector<std::string>& texts);
/// True if a record's value is what a condition asks for; a planner's name alone stands for it with whatever
/// options, and with a colon behind it for it without any.
bool fits(std::string_view value, const std::pair<std::string, std::string>& condition);
/// The condition in words, with the nearest of the values that `came` where none of these fits.
std::string condition_text(const std::pair<std::string, std::string>& condition,
                           const std::set<std::string>& came);

}  // namespace wormcast
