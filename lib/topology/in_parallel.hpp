// Ranges of a computation that do not depend on each other, on all processors that the process may use.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace wormcast {

inline constexpr std::size_t most_parts = 4;
/// Calls work(part, first, end) once for each part of the items below `items`: for all of them where they are
/// few, else for `most_parts` ranges, several at once where there are processors. What is put together in the
/// order of parts is therefore the same on every machine. Throws what a part throws, of several the first.
void in_parallel(std::size_t items,
                 const std::function<void(std::size_t part, std::size_t first, std::size_t end)>& work);

}  // namespace wormcast
