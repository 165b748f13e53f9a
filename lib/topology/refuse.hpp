// Refusals of input whose message says what it is about.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

#include "topology/error.hpp"

namespace wormcast {

/// Throws InputError on `field`; the message is that of fmt::format().
template <class... Parts>
[[noreturn, gnu::cold]] void refuse(std::string field, fmt::format_string<Parts...> message,
                                    Parts&&... parts) {
  throw InputError(std::move(field), fmt::format(message, std::forward<Parts>(parts)...));
}

}  // namespace wormcast
