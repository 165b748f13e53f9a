// The one exception for input that cannot be accepted; io adds tool and line and prints it.
// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace wormcast {

/// Input, option or combination that is refused. `field` names the place inside a record or the
/// option ("destinations[3]", "--seed"); it may be empty. what() says what is wrong with the value.
class InputError : public std::runtime_error {
 public:
  InputError(std::string field_name, const std::string& message, std::string place_name = {})
      : std::runtime_error(message), field(std::move(field_name)), place(std::move(place_name)) {}

  std::string field;
  std::string place;  ///< "line 12" or "a.jsonl: line 12"; filled in by the reader of records
};

/// `text` in quotes for a message, cut after 100 bytes, what is not printable ASCII as '?'.
inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t most = 100;
  std::string shown = "'";
  for (const char c : text.substr(0, most)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > most ? "...'" : "'");
}

}  // namespace wormcast
