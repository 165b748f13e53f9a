// The one rule by which decimals are printed: exact fractions of integers, rounded half away from
// zero to a fixed number of digits. No floating point decides a digit of a fraction.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace wormcast {

/// Wide enough for sums of squares of any realistic run; operations on it that could overflow are
/// checked.
__extension__ using Wide = __int128;

/// Most digits that decimal() takes.
inline constexpr unsigned max_decimals = 9;

/// numerator / denominator with `digits` ≤ max_decimals digits after the point; denominator > 0.
std::string decimal(Wide numerator, Wide denominator, unsigned digits);
/// A real number by the same rule; below 10^9 in size, where basic IEEE operations are exact enough.
std::string decimal(double value, unsigned digits);
/// 10^exponent, exponent ≤ 18.
Wide power_of_ten(unsigned exponent);

}  // namespace wormcast
