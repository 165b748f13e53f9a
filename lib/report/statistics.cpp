// Statistics of a sample without keeping it.
//
// The sample variance is (n·Σx² − (Σx)²) / (n(n−1)) with exact integer sums, so it does not depend on
// the order of the values and nothing cancels. The last steps of the interval, a quotient, a square
// root and a product, use the IEEE operations that every machine rounds alike; t comes from a table
// and, above 20 degrees of freedom, from its expansion in 1/n, whose error is below 3·10^-7.
//
// Of dependent values, let cluster r have n_r values with sum S_r, and all R of them N with sum S. Then the
// variance of the mean S/N is Σ (S_r − n_r·S/N)² · R/(R−1) / N²: for clusters of one size that of their
// means. cite: Student 1908; Abramowitz, Stegun 1964, 26.7.5; Cochran 1977, 6.3.
// SPDX-License-Identifier: MIT
#include "report/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr std::array<std::string_view, statistic_count> statistic_names = {
    "mean", "interval95", "min", "max", "count", "sum", "p50", "p95", "p99"};

constexpr std::size_t most_batches = 40;

void join_pairs(std::vector<Cluster>& batches) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (i % 2 == 0) batches[i / 2] = {};
    batches[i / 2].count += batches[i].count;
    batches[i / 2].sum += batches[i].sum;
  }
  batches.resize((batches.size() + 1) / 2);
}

/// Of the means of neighbours, by von Neumann's ratio; the last batch may be a short one and is left out.
bool correlated(std::span<const Cluster> batches) {
  constexpr double quantile = 1.2815515655446004;  // of the normal distribution, 90 %
  std::vector<double> means;
  for (const Cluster& batch : batches.first(batches.size() - 1))
    means.push_back(static_cast<double>(batch.sum) / static_cast<double>(batch.count));
  const double k = static_cast<double>(means.size());
  double mean = 0, squares = 0, steps = 0;
  for (const double value : means) mean += value / k;
  for (std::size_t i = 0; i < means.size(); ++i) {
    squares += (means[i] - mean) * (means[i] - mean);
    if (i > 0) steps += (means[i] - means[i - 1]) * (means[i] - means[i - 1]);
  }
  return squares > 0 && 1 - steps / (2 * squares) > quantile * std::sqrt((k - 2) / (k * k - 1));
}

[[noreturn]] void too_large() { refuse("", "the values are too large for an exact confidence interval"); }

}  // namespace

std::optional<double> cluster_interval95(std::span<const Cluster> clusters) {
  if (clusters.size() < 2) return std::nullopt;
  Cluster all;
  for (const Cluster& cluster : clusters) {
    all.count += cluster.count;
    all.sum += cluster.sum;
  }
  std::vector<double> squares;
  for (const Cluster& cluster : clusters) {
    Wide own = 0, expected = 0;
    if (__builtin_mul_overflow(cluster.sum, static_cast<Wide>(all.count), &own) ||
        __builtin_mul_overflow(all.sum, static_cast<Wide>(cluster.count), &expected))
      too_large();
    const double distance = static_cast<double>(own - expected) / static_cast<double>(all.count);
    squares.push_back(distance * distance);
  }
  std::sort(squares.begin(), squares.end());  // whatever the order of runs, the sum is rounded alike
  double sum = 0;
  for (const double square : squares) sum += square;
  const double count = static_cast<double>(clusters.size()), values = static_cast<double>(all.count);
  return student_t95(clusters.size() - 1) * std::sqrt(sum * count / (count - 1)) / values;
}

std::optional<double> batch_interval95(std::vector<Cluster> batches) {
  while (batches.size() >= least_batches && correlated(batches)) join_pairs(batches);
  return batches.size() < least_batches ? std::nullopt : cluster_interval95(batches);
}

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
  if (batches_.empty() || batches_.back().count == batch_size_) {
    if (batches_.size() == most_batches) {
      join_pairs(batches_);
      batch_size_ *= 2;
    }
    batches_.emplace_back();
  }
  ++batches_.back().count;
  batches_.back().sum += value;
}

void Accumulator::merge(const Accumulator& other) {
  if (other.count_ == 0) return;
  if (count_ == 0) {
    *this = other;
    return;
  }
  steady_ = steady_ && other.steady_;
  dependent_ = dependent_ || other.dependent_;
  batches_.clear();  // in what order the values of the two came is not known
  for (const auto& [run, cluster] : other.runs_) {
    runs_[run].count += cluster.count;
    runs_[run].sum += cluster.sum;
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
  if (dependent_ && runs_.size() < 2) return steady_ ? batch_interval95(batches_) : std::nullopt;
  if (dependent_) {
    std::vector<Cluster> clusters;
    for (const auto& [run, cluster] : runs_) clusters.push_back(cluster);
    return cluster_interval95(clusters);
  }
  const Wide n = static_cast<Wide>(count_);
  const Wide shifted_sum = sum_ - n * first_;
  Wide n_squares = 0;
  Wide squared_sum = 0;
  if (overflow_ || __builtin_mul_overflow(n, shifted_squares_, &n_squares) ||
      __builtin_mul_overflow(shifted_sum, shifted_sum, &squared_sum))
    too_large();
  const double count = static_cast<double>(count_);
  const double variance_of_mean =
      static_cast<double>(n_squares - squared_sum) / (count * count * (count - 1.0));
  return student_t95(count_ - 1) * std::sqrt(variance_of_mean);
}

const char* statistic_name(Statistic statistic) {
  return statistic_names[static_cast<std::size_t>(statistic)].data();
}

Statistic find_statistic(const std::string& name, const std::string& field) {
  return static_cast<Statistic>(place_of_name(field, "statistic", name, statistic_names));
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

std::optional<Ratio> exact_statistic(const Accumulator& sample, Statistic statistic, unsigned value_digits) {
  if (statistic == Statistic::count) return Ratio{static_cast<Wide>(sample.count()), 1};
  if (sample.count() == 0) return std::nullopt;
  const Wide scale = power_of_ten(value_digits);
  if (const std::optional<std::uint64_t> percent = percent_of(statistic))
    return Ratio{sample.percentile(*percent), scale};
  if (statistic == Statistic::mean) return Ratio{sample.sum(), scale * static_cast<Wide>(sample.count())};
  if (statistic == Statistic::min) return Ratio{sample.min(), scale};
  if (statistic == Statistic::max) return Ratio{sample.max(), scale};
  if (statistic == Statistic::sum) return Ratio{sample.sum(), scale};
  const std::optional<double> half = sample.interval95();
  if (!half) return std::nullopt;
  const Wide precision = power_of_ten(max_decimals);
  return Ratio{static_cast<Wide>(*half / static_cast<double>(scale) * static_cast<double>(precision)),
               precision};
}

std::string statistic_text(const Accumulator& sample, Statistic statistic, unsigned value_digits,
                           unsigned digits) {
  if (statistic == Statistic::interval95) {
    const std::optional<double> half = sample.interval95();
    return half ? decimal(*half / static_cast<double>(power_of_ten(value_digits)), digits) : "";
  }
  const std::optional<Ratio> value = exact_statistic(sample, statistic, value_digits);
  if (!value) return "";
  const unsigned shown = statistic == Statistic::mean    ? digits
                         : statistic == Statistic::count ? 0
                                                         : value_digits;
  return decimal(value->numerator, value->denominator, shown);
}

}  // namespace wormcast
