// Statistics of a sample without keeping it: exact count, sum, minimum and maximum, and the 95 %
// confidence interval of the mean.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/decimal.hpp"

namespace wormcast {

/// Two-sided 95 % quantile of Student's t distribution.
double student_t95(std::uint64_t degrees_of_freedom);

/// Adds up integers. Values may be decimals with a fixed number of digits, given times 10^digits.
class Accumulator {
 public:
  void add(std::int64_t value);
  /// Adds all values of another sample: the same as if they had been added here.
  void merge(const Accumulator& other);

  std::uint64_t count() const { return count_; }
  Wide sum() const { return sum_; }
  std::int64_t min() const { return min_; }  ///< of a sample that is not empty
  std::int64_t max() const { return max_; }
  /// The mean's confidence interval is mean ± this; nothing for fewer than two values. Throws
  /// InputError where the values are too large for exact sums.
  std::optional<double> interval95() const;

 private:
  std::uint64_t count_ = 0;
  Wide sum_ = 0;
  std::int64_t first_ = 0;    ///< the squares are of distances from it: small, so that they fit
  Wide shifted_squares_ = 0;  ///< Σ (value − first)²
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;
  bool overflow_ = false;
};

/// What a sample can be asked for.
enum class Statistic : std::uint8_t { mean, interval95, min, max, count, sum };
inline constexpr std::size_t statistic_count = 6;
const char* statistic_name(Statistic statistic);
/// Throws InputError on `field` for a name that is none.
Statistic find_statistic(const std::string& name, const std::string& field);

/// One statistic as text; `value_digits` is the fixed point of the values, `digits` of means and
/// intervals. Empty where there is none.
std::string statistic_text(const Accumulator& sample, Statistic statistic, unsigned value_digits,
                           unsigned digits);

}  // namespace wormcast
