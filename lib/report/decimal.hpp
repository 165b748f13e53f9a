// The one rule by which decimals are printed: exact fractions of integers, rounded half away from
// zero to a fixed number of digits. No floating point decides a digit of a fraction.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

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

/// A decimal number as its text has it, of any length: no digit of it is lost. Points into the text.
struct NumberText {
  bool negative = false;
  std::string_view whole;     ///< without leading zeros
  std::string_view fraction;  ///< without trailing zeros

  bool above_zero() const { return !negative && !(whole.empty() && fraction.empty()); }
  friend bool operator<(const NumberText& a, const NumberText& b);
};
/// The number a text stands for, if it is one: digits, with at most one point, and a minus before them.
std::optional<NumberText> number_text(std::string_view text);
/// The same, rounded to a double; of at most 40 characters.
std::optional<double> as_number(std::string_view text);

/// The sum that a text stands for, if it is one: two or more numbers that are not negative with + between
/// them, as rates of several classes of traffic are stated. Exact, and without needless zeros.
std::optional<std::string> sum_text(std::string_view text);

/// Total order of texts: runs of digits by the number they are, so that mesh-8x8 comes before mesh-16x16.
bool natural_before(std::string_view a, std::string_view b);

}  // namespace wormcast
