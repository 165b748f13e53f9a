// Codec of objects of strings inside records, such as {"first-hop":"strict"}.
// SPDX-License-Identifier: MIT
#pragma once

#include "io/text/json_text.hpp"
#include "topology/named_values.hpp"

namespace wormcast::io {

/// Throws InputError for a repeated key or no string. What it returns is good until it is called again.
const SharedValues& read_named_values(const Value& object);

}  // namespace wormcast::io
