// Codec of a topology's own routing relation.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "topology/relations/relation.hpp"

namespace wormcast::io {

std::shared_ptr<const Relation> read_relation(const Value& value);
void write_relation(const Relation& relation, RecordLine& line);

}  // namespace wormcast::io
