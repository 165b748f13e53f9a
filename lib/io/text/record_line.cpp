// Strings in records.
// SPDX-License-Identifier: MIT
#include "io/text/record_line.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topology/error.hpp"

namespace wormcast::io {

void RecordLine::grow(std::size_t more) {
  const std::size_t size = written().size();
  buffer_.resize(2 * (size + more));
  at_ = buffer_.data() + size;
  end_ = buffer_.data() + buffer_.size();
}

RecordLine& RecordLine::string(std::string_view value) {
  static constexpr std::array<bool, 256> escaped = [] {
    std::array<bool, 256> all{};
    for (std::size_t c = 0; c < all.size(); ++c) all[c] = c < ' ' || c > '~' || c == '"' || c == '\\';
    return all;
  }();
  bool any = false;
  for (const char c : value) any |= escaped[static_cast<unsigned char>(c)];
  if (!any) {
    char* const at = room(value.size() + 2);
    *at = '"';
    std::memcpy(at + 1, value.data(), value.size());
    at[value.size() + 1] = '"';
    return to(at + value.size() + 2);
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
  const std::size_t begin = written().size();
  literal("{");
  bool first = true;
  for (const auto& [name, value] : values) {
    if (!first) literal(",");
    first = false;
    string(name).literal(":").string(value);
  }
  literal("}");
  written_[next_written_++ % written_.size()] = {values, std::string(written().substr(begin))};
  return *this;
}

}  // namespace wormcast::io
