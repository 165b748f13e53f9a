// Decimals from exact fractions, and texts that are numbers.
// SPDX-License-Identifier: MIT
#include "report/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "topology/named_values.hpp"

namespace wormcast {
namespace {

/// The digits of two numbers that are not negative added up; both have as many.
std::string added(const std::string& a, const std::string& b) {
  std::string sum(a.size() + 1, '0');
  int carry = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    const int digits = (a[i] - '0') + (b[i] - '0') + carry;
    sum[i + 1] = static_cast<char>('0' + digits % 10);
    carry = digits / 10;
  }
  sum.front() = static_cast<char>('0' + carry);
  return sum;
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
  const std::string text = fmt::format("{}{}", negative && (whole != 0 || fraction != 0) ? "-" : "", whole);
  return digits == 0 ? text : fmt::format("{}.{:0{}}", text, fraction, digits);
}

std::string decimal(double value, unsigned digits) {
  const double scale = static_cast<double>(power_of_ten(digits));
  const double scaled = std::floor(std::fabs(value) * scale + 0.5);
  const Wide exact = static_cast<Wide>(scaled);
  return decimal(value < 0 ? -exact : exact, power_of_ten(digits), digits);
}

bool operator<(const NumberText& a, const NumberText& b) {
  if (a.negative != b.negative) return a.negative;
  const NumberText& x = a.negative ? b : a;
  const NumberText& y = a.negative ? a : b;
  if (x.whole.size() != y.whole.size()) return x.whole.size() < y.whole.size();
  if (x.whole != y.whole) return x.whole < y.whole;
  return x.fraction < y.fraction;
}

std::optional<NumberText> number_text(std::string_view text) {
  NumberText number;
  number.negative = text.starts_with('-');
  if (number.negative) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  number.whole = text.substr(0, point);
  if (point < text.size()) number.fraction = text.substr(point + 1);
  if (number.whole.empty() && number.fraction.empty()) return std::nullopt;
  const auto digits = [](std::string_view part) {
    return std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!digits(number.whole) || !digits(number.fraction)) return std::nullopt;
  number.whole.remove_prefix(std::min(number.whole.find_first_not_of('0'), number.whole.size()));
  number.fraction.remove_suffix(number.fraction.size() - (number.fraction.find_last_not_of('0') + 1));
  if (number.whole.empty() && number.fraction.empty()) number.negative = false;
  return number;
}

std::optional<std::string> sum_text(std::string_view text) {
  std::vector<NumberText> numbers;
  std::size_t whole = 0;
  std::size_t fraction = 0;
  for (const std::string_view part : parts_of(text, '+')) {
    const std::optional<NumberText> number = number_text(part);
    if (!number || number->negative) return std::nullopt;
    whole = std::max(whole, number->whole.size());
    fraction = std::max(fraction, number->fraction.size());
    numbers.push_back(*number);
  }
  if (numbers.size() < 2) return std::nullopt;
  std::string sum(whole + fraction, '0');
  for (const NumberText& number : numbers) {
    std::string digits(sum.size() - fraction - number.whole.size(), '0');
    digits.append(number.whole).append(number.fraction).append(fraction - number.fraction.size(), '0');
    sum = added(sum, digits);
  }
  const std::string point = sum.substr(0, sum.size() - fraction) + '.' + sum.substr(sum.size() - fraction);
  const NumberText least = number_text(point).value();
  return (least.whole.empty() ? "0" : std::string(least.whole)) +
         (least.fraction.empty() ? "" : '.' + std::string(least.fraction));
}

bool natural_before(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  // The number that begins here without its leading zeros: the longer one is the greater one.
  const auto number = [&](std::string_view text) {
    std::size_t zeros = 0;
    while (zeros < text.size() && text[zeros] == '0') ++zeros;
    std::size_t end = zeros;
    while (end < text.size() && digit(text[end])) ++end;
    return std::pair(text.substr(zeros, end - zeros), end);
  };
  std::string_view x = a;
  std::string_view y = b;
  while (!x.empty() && !y.empty()) {
    if (digit(x.front()) && digit(y.front())) {
      const auto [m, m_end] = number(x);
      const auto [n, n_end] = number(y);
      if (m != n) return m.size() != n.size() ? m.size() < n.size() : m < n;
      x.remove_prefix(m_end);
      y.remove_prefix(n_end);
    } else {
      if (x.front() != y.front()) return x.front() < y.front();
      x.remove_prefix(1);
      y.remove_prefix(1);
    }
  }
  if (x.empty() != y.empty()) return x.empty();
  return a < b;
}

}  // namespace wormcast
