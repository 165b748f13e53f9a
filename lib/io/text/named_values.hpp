// Codec of objects of strings inside records, such as {"first-hop":"strict"}.
// SPDX-License-Identifier: MIT
#pragma once

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "topology/named_values.hpp"

namespace wormcast::io {

/// Appends the object's members to `values`; throws InputError for a repeated key or no string.
void read_named_values(const Value& object, NamedValues& values);
void write_named_values(const NamedValues& values, RecordLine& line);

}  // namespace wormcast::io
