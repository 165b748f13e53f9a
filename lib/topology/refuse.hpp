// Refusals of input whose message says what it is about, and where it stands in a record.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "topology/error.hpp"

namespace wormcast {

/// Throws InputError on `field`; the message is that of fmt::format().
template <class... Parts>
[[noreturn, gnu::cold]] void refuse(std::string field, fmt::format_string<Parts...> message,
                                    Parts&&... parts) {
  throw InputError(std::move(field), fmt::format(message, std::forward<Parts>(parts)...));
}

/// The same of a value, which stands in quotes before the message, cut after 100 bytes.
template <class... Parts>
[[noreturn, gnu::cold]] void refuse_text(std::string_view field, std::string_view text,
                                         fmt::format_string<Parts...> message, Parts&&... parts) {
  refuse(std::string(field), "'{}' {}", text.substr(0, 100),
         fmt::format(message, std::forward<Parts>(parts)...));
}

/// "links[3].ports".
inline std::string indexed(std::string_view list, std::size_t index, std::string_view member = "") {
  return fmt::format("{}[{}]{}", list, index, member);
}
/// "worms[0].stops[2]".
inline std::string indexed(std::string_view list, std::size_t index, std::string_view member,
                           std::size_t place) {
  return indexed(list, index, indexed(member, place));
}

/// Throws InputError on the first of these fields or options that is stated; `why` says why none may be.
inline void refuse_stated(std::initializer_list<std::pair<const char*, bool>> fields, const char* why) {
  for (const auto& [field, stated] : fields)
    if (stated) throw InputError(field, why);
}

}  // namespace wormcast
