// Statistics of a sample without keeping it: exact count, sum, minimum and maximum, and the 95 %
// confidence interval of the mean, of independent values or by runs and batches of a run; percentiles, where
// how often each value came is kept. And the one rule by which decimals are printed: exact fractions of
// integers, rounded half away from zero to a fixed number of digits. No floating point decides a digit of a
// fraction.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// The sum that a text stands for, if it is one: two or more numbers that are not negative with + between
/// them, as rates of several classes of traffic are stated. Exact, and without needless zeros.
std::optional<std::string> sum_text(std::string_view text);

/// Total order of texts: runs of digits by the number they are, so that mesh-8x8 comes before mesh-16x16.
bool natural_before(std::string_view a, std::string_view b);

/// Two-sided 95 % quantile of Student's t distribution.
double student_t95(std::uint64_t degrees_of_freedom);

/// How often each value of a sample came.
using ValueCounts = std::map<std::int64_t, std::uint64_t>;
/// The value of rank ⌈percent / 100 · total⌉ from 1 on (nearest rank) among `total` ≥ 1; percent from 1 to
/// 100.
std::int64_t nearest_rank(const ValueCounts& counts, std::uint64_t total, std::uint64_t percent);

/// Values that may depend on each other, but not on those of other clusters: a run, or a batch of one.
struct Cluster {
  std::uint64_t count = 0;
  Wide sum = 0;
};
/// Half the width of the confidence interval of the mean of all values; nothing for fewer than two clusters.
/// Each counts as one observation, weighted by its size. Throws InputError as Accumulator::interval95() does.
/// cite: Cochran 1977, 6.3 (ratio estimators)
std::optional<double> cluster_interval95(std::span<const Cluster> clusters);
/// The same by batches of consecutive values, pairs of which are joined until the means of neighbours are not
/// correlated (von Neumann's ratio, 10 %); nothing where that takes fewer than `least_batches`.
/// cite: von Neumann 1941; Fishman 1978 (sequential batches); Schmeiser 1982 (10 to 30 of them)
std::optional<double> batch_interval95(std::vector<Cluster> batches);
inline constexpr std::size_t least_batches = 10;

/// Adds up integers. Values may be decimals with a fixed number of digits, given times 10^digits.
class Accumulator {
 public:
  Accumulator() = default;
  /// `percentiles`: percentile() will be asked for; memory then grows with the number of different values.
  explicit Accumulator(bool percentiles) {
    if (percentiles) counts_.emplace();
  }

  void add(std::int64_t value);
  /// Adds all values of another sample: the same as if they had been added here.
  void merge(const Accumulator& other);

  std::uint64_t count() const { return count_; }
  Wide sum() const { return sum_; }
  std::int64_t min() const { return min_; }  ///< of a sample that is not empty
  std::int64_t max() const { return max_; }
  /// All values so far are of this run.
  void end_run(std::uint64_t run) { runs_[run] = {count_, sum_}; }
  /// Values of one run depend on each other; `steady`: all come from the same distribution.
  void set_dependent(bool steady) {
    dependent_ = true;
    steady_ = steady;
  }
  /// The mean's confidence interval is mean ± this; nothing for fewer than two values. Of dependent values it
  /// is by runs, or, if they are steady, by batches of the only one, in the order in which they came. Throws
  /// InputError where the values are too large for exact sums.
  std::optional<double> interval95() const;
  /// By nearest rank, of a sample that is not empty and made for it.
  std::int64_t percentile(std::uint64_t percent) const {
    return nearest_rank(counts_.value(), count_, percent);
  }

 private:
  std::uint64_t count_ = 0;
  Wide sum_ = 0;
  std::int64_t first_ = 0;    ///< the squares are of distances from it: small, so that they fit
  Wide shifted_squares_ = 0;  ///< Σ (value − first)²
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;
  bool overflow_ = false;
  bool dependent_ = false;
  bool steady_ = false;
  std::map<std::uint64_t, Cluster> runs_;
  std::vector<Cluster> batches_;  ///< of one run, each but the last of batch_size_ values
  std::uint64_t batch_size_ = 5;
  std::optional<ValueCounts> counts_;
};

/// What a sample can be asked for.
enum class Statistic : std::uint8_t { mean, interval95, min, max, count, sum, p50, p95, p99 };
inline constexpr std::size_t statistic_count = 9;
/// p95: 95; nothing for a statistic that is no percentile.
std::optional<std::uint64_t> percent_of(Statistic statistic);
const char* statistic_name(Statistic statistic);
/// Throws InputError on `field` for a name that is none.
Statistic find_statistic(const std::string& name, const std::string& field);

/// Decimals for a sample's mean, and for the interval around it, where --digits is absent: two, but enough
/// for three significant digits of a mean below 1.
unsigned readable_digits(const Accumulator& sample, unsigned value_digits);

/// A fraction of integers.
struct Ratio {
  Wide numerator = 0;
  Wide denominator = 1;
};
/// One statistic, of an interval to nine decimals; nothing where there is none.
std::optional<Ratio> exact_statistic(const Accumulator& sample, Statistic statistic, unsigned value_digits);
/// One statistic as text; `value_digits` is the fixed point of the values, `digits` of means and
/// intervals. Empty where there is none.
std::string statistic_text(const Accumulator& sample, Statistic statistic, unsigned value_digits,
                           unsigned digits);

// A digest of numbers and texts: equal ones have equal digests, others differ but for chance.

/// FNV-1a of 64 bits: enough to notice what is not the same, no protection against intent.
class Digest {
 public:
  void add(std::integral auto number) {
    for (int byte = 0; byte < 8; ++byte) add_byte(static_cast<std::uint64_t>(number) >> (8 * byte));
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  /// A list: how many, and each.
  template <class List>
  requires(!std::integral<List> && !std::convertible_to<List, std::string_view>) void add(const List& list) {
    add(list.size());
    for (const auto& element : list) add(element);
  }
  std::uint64_t value() const { return value_; }
  /// Eight hexadecimal digits of it.
  std::string text() const {
    const auto folded = static_cast<std::uint32_t>(value_ >> 32 ^ value_);
    return fmt::format("{:08x}", folded);
  }

 private:
  void add_byte(std::uint64_t byte) { value_ = (value_ ^ (byte & 0xff)) * 0x100000001b3; }

  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace wormcast
