// What users of other programs type, and what it is called here.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wormcast::io {

/// "it is gen-multicast --rate" for an option that another tool has, or other simulators under that name; ""
/// for others.
std::string_view option_by_other_word(std::string_view option);

/// "it is flattened-butterfly" for a network that others call so, or that has no family of its own; "" for
/// others.
std::string_view network_by_other_word(std::string_view network);

/// Refuses an operand that stands where a file should, is none, and is a name: `meant` says of which thing,
/// or "".
void refuse_names_as_files(const std::vector<std::string>& files,
                           std::string (*meant)(std::string_view name));

}  // namespace wormcast::io
