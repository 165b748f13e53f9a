// Decimals from exact fractions.
// SPDX-License-Identifier: MIT
#include "report/decimal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace wormcast {
namespace {

std::string digits_of(Wide value) {
  std::string text;
  do {
    text += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(text.begin(), text.end());
  return text;
}

}  // namespace

Wide power_of_ten(unsigned exponent) {
  Wide power = 1;
  for (unsigned i = 0; i < exponent; ++i) power *= 10;
  return power;
}

std::string decimal(Wide numerator, Wide denominator, unsigned digits) {
  const bool negative = numerator < 0;
  const Wide size = negative ? -numerator : numerator;
  const Wide scale = power_of_ten(digits);
  // Whole and rest apart: the rest times the scale stays far below 2^127.
  Wide whole = size / denominator;
  const Wide rest = size % denominator;
  Wide fraction = rest * scale / denominator;
  const Wide left = rest * scale % denominator;
  if (left >= denominator - left) ++fraction;
  if (fraction == scale) {
    fraction = 0;
    ++whole;
  }
  std::string text = negative && (whole != 0 || fraction != 0) ? "-" : "";
  text += digits_of(whole);
  if (digits == 0) return text;
  const std::string after = digits_of(fraction);
  return text + '.' + std::string(digits - after.size(), '0') + after;
}

std::string decimal(double value, unsigned digits) {
  const double scale = static_cast<double>(power_of_ten(digits));
  const double scaled = std::floor(std::fabs(value) * scale + 0.5);
  const Wide exact = static_cast<Wide>(scaled);
  return decimal(value < 0 ? -exact : exact, power_of_ten(digits), digits);
}

}  // namespace wormcast
