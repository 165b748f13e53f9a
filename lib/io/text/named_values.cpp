// Codec of objects of strings.
// SPDX-License-Identifier: MIT
#include "io/text/named_values.hpp"

#include <algorithm>

namespace wormcast::io {

void read_named_values(const Value& object, NamedValues& values) {
  object.members([&](std::string_view name, const Value& value) {
    const bool twice =
        std::any_of(values.begin(), values.end(), [&](const auto& known) { return known.first == name; });
    if (twice) value.fail("the key stands twice in the same object");
    values.emplace_back(name, value.text());
  });
}

void write_named_values(const NamedValues& values, RecordLine& line) {
  bool first = true;
  line.raw("{");
  for (const auto& [name, value] : values) {
    if (!first) line.raw(",");
    first = false;
    line.string(name).raw(":").string(value);
  }
  line.raw("}");
}

}  // namespace wormcast::io
