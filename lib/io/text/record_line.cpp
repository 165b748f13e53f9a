// Strings in records.
// SPDX-License-Identifier: MIT
#include "io/text/record_line.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "topology/error.hpp"

namespace wormcast::io {

RecordLine& RecordLine::string(std::string_view value) {
  char* at = room(value.size() + 2);
  *at++ = '"';
  std::size_t plain = 0;
  for (; plain < value.size(); ++plain) {
    const char c = value[plain];
    if (c < ' ' || c > '~' || c == '"' || c == '\\') break;
    *at++ = c;
  }
  if (plain == value.size()) {
    *at++ = '"';
    return to(at);
  }
  try {
    return raw(nlohmann::json(std::string(value)).dump());
  } catch (const nlohmann::json::type_error&) {
    throw InputError("", "a text that is to be written is not UTF-8: " + in_quotes(value));
  }
}

RecordLine& RecordLine::values(const SharedValues& values) {
  for (const Written& known : written_)
    if (!known.text.empty() && known.values == values) return raw(known.text);
  const std::size_t begin = size_;
  literal("{");
  bool first = true;
  for (const auto& [name, value] : values) {
    if (!first) literal(",");
    first = false;
    string(name).literal(":").string(value);
  }
  literal("}");
  written_[next_written_++ % written_.size()] = {values, buffer_.substr(begin, size_ - begin)};
  return *this;
}

}  // namespace wormcast::io
