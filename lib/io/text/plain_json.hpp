// A fast parser for the plain part of JSON that nearly all records keep to.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "io/text/json_text.hpp"

namespace wormcast::io {

/// Appends the tokens of `text` to `tokens`, which is empty; texts are offsets into `text`. False, with
/// `tokens` in any state, where the text is not plain: it is then for the full parser to take or to refuse.
bool parse_plain_json(std::string_view text, std::vector<Token>& tokens);

}  // namespace wormcast::io
