// Codec of objects of strings.
// SPDX-License-Identifier: MIT
#include "io/text/named_values.hpp"

#include <algorithm>
#include <utility>

namespace wormcast::io {

const SharedValues& read_named_values(const Value& object) {
  return object.json().repeated(object, [](const Value& text) {
    NamedValues values;
    text.members([&](std::string_view name, const Value& value) {
      const bool twice =
          std::any_of(values.begin(), values.end(), [&](const auto& known) { return known.first == name; });
      if (twice) value.fail("the key appears twice in the same object");
      values.emplace_back(name, value.text());
    });
    return SharedValues(std::move(values));
  });
}

}  // namespace wormcast::io
