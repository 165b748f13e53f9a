// Statistics of a sample without keeping it.
//
// The sample variance is (n·Σx² − (Σx)²) / (n(n−1)) with exact integer sums, so it does not depend on
// the order of the values and nothing cancels. The last steps of the interval, a quotient, a square
// root and a product, use the IEEE operations that every machine rounds alike; t comes from a table
// and, above 20 degrees of freedom, from its expansion in 1/n, whose error is below 3·10^-7.
// cite: Student 1908; Abramowitz, Stegun 1964, 26.7.5.
// SPDX-License-Identifier: MIT
#include "report/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast {
namespace {

constexpr std::array<std::string_view, statistic_count> statistic_names = {
    "mean", "interval95", "min", "max", "count", "sum", "p50", "p95", "p99"};

}  // namespace

double student_t95(std::uint64_t degrees_of_freedom) {
  static constexpr std::array<double, 20> table = {
      12.7062047, 4.30265273, 3.18244631, 2.77644511, 2.57058184, 2.44691185, 2.36462425,
      2.30600414, 2.26215716, 2.22813885, 2.20098516, 2.17881283, 2.16036866, 2.14478669,
      2.13144955, 2.11990530, 2.10981558, 2.10092204, 2.09302405, 2.08596345};
  if (degrees_of_freedom <= table.size()) return table[degrees_of_freedom - 1];
  const double v = static_cast<double>(degrees_of_freedom);
  double t = 1.58953405339382 / v;
  t = (t + 2.55584967950772) / v;
  t = (t + 2.82249861573961) / v;
  t = (t + 2.37227123029856) / v;
  return t + 1.95996398454005;
}

std::int64_t nearest_rank(const ValueCounts& counts, std::uint64_t total, std::uint64_t percent) {
  std::uint64_t rank =
      static_cast<std::uint64_t>((static_cast<Wide>(total) * static_cast<Wide>(percent) + 99) / 100);
  for (const auto& [value, times] : counts) {
    if (times >= rank) return value;
    rank -= times;
  }
  return 0;
}

std::optional<std::uint64_t> percent_of(Statistic statistic) {
  if (statistic == Statistic::p50) return 50;
  if (statistic == Statistic::p95) return 95;
  if (statistic == Statistic::p99) return 99;
  return std::nullopt;
}

void Accumulator::add(std::int64_t value) {
  if (count_ == 0) first_ = min_ = max_ = value;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  ++count_;
  sum_ += value;
  const Wide distance = Wide{value} - first_;
  overflow_ = __builtin_add_overflow(shifted_squares_, distance * distance, &shifted_squares_) || overflow_;
  if (counts_) ++(*counts_)[value];
}

void Accumulator::merge(const Accumulator& other) {
  if (other.count_ == 0) return;
  if (count_ == 0) {
    *this = other;
    return;
  }
  // With y = x − other.first and d = other.first − first: Σ(y + d)² = Σy² + 2dΣy + n·d².
  const Wide n = static_cast<Wide>(other.count_);
  const Wide distance = Wide{other.first_} - first_;
  const Wide shifted_sum = other.sum_ - n * other.first_;
  Wide cross = 0;
  Wide square = 0;
  overflow_ = overflow_ || other.overflow_ || __builtin_mul_overflow(2 * distance, shifted_sum, &cross) ||
              __builtin_mul_overflow(distance * distance, n, &square) ||
              __builtin_add_overflow(cross, square, &cross) ||
              __builtin_add_overflow(shifted_squares_, other.shifted_squares_, &shifted_squares_) ||
              __builtin_add_overflow(shifted_squares_, cross, &shifted_squares_);
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  if (counts_ && other.counts_)
    for (const auto& [value, times] : *other.counts_) (*counts_)[value] += times;
}

std::optional<double> Accumulator::interval95() const {
  if (count_ < 2) return std::nullopt;
  const Wide n = static_cast<Wide>(count_);
  const Wide shifted_sum = sum_ - n * first_;
  Wide n_squares = 0;
  Wide squared_sum = 0;
  if (overflow_ || __builtin_mul_overflow(n, shifted_squares_, &n_squares) ||
      __builtin_mul_overflow(shifted_sum, shifted_sum, &squared_sum))
    throw InputError("", "the values are too large for an exact confidence interval");
  const double count = static_cast<double>(count_);
  const double variance_of_mean =
      static_cast<double>(n_squares - squared_sum) / (count * count * (count - 1.0));
  return student_t95(count_ - 1) * std::sqrt(variance_of_mean);
}

const char* statistic_name(Statistic statistic) {
  return statistic_names[static_cast<std::size_t>(statistic)].data();
}

Statistic find_statistic(const std::string& name, const std::string& field) {
  const auto found = std::find(statistic_names.begin(), statistic_names.end(), name);
  if (found == statistic_names.end())
    throw InputError(
        field, unknown_name_message("statistic", name, {statistic_names.begin(), statistic_names.end()}));
  return static_cast<Statistic>(found - statistic_names.begin());
}

unsigned readable_digits(const Accumulator& sample, unsigned value_digits) {
  constexpr unsigned least = 2;
  constexpr Wide significant = 100;  // the least number of three digits
  const Wide size = sample.sum() < 0 ? -sample.sum() : sample.sum();
  if (size == 0) return least;
  unsigned digits = least;
  const Wide whole = power_of_ten(value_digits) * static_cast<Wide>(sample.count());
  if (size >= whole) return digits;
  while (digits < max_decimals && size * power_of_ten(digits) < significant * whole) ++digits;
  return digits;
}

std::string statistic_text(const Accumulator& sample, Statistic statistic, unsigned value_digits,
                           unsigned digits) {
  if (statistic == Statistic::count) return std::to_string(sample.count());
  if (sample.count() == 0) return "";
  const Wide scale = power_of_ten(value_digits);
  if (const std::optional<std::uint64_t> percent = percent_of(statistic))
    return decimal(Wide{sample.percentile(*percent)}, scale, value_digits);
  switch (statistic) {
    case Statistic::mean:
      return decimal(sample.sum(), scale * static_cast<Wide>(sample.count()), digits);
    case Statistic::interval95: {
      const std::optional<double> half = sample.interval95();
      return half ? decimal(*half / static_cast<double>(scale), digits) : "";
    }
    case Statistic::min:
      return decimal(Wide{sample.min()}, scale, value_digits);
    case Statistic::max:
      return decimal(Wide{sample.max()}, scale, value_digits);
    case Statistic::sum:
      return decimal(sample.sum(), scale, value_digits);
    default:
      break;
  }
  return "";
}

}  // namespace wormcast
