// MSER-5, as deliveries come: the mean latencies of batches of deliveries, and the number of first batches
// without which the standard error of the mean of the others is least.
//
// 200 batches of 5 deliveries (of more on networks of more than 100 hosts, so that a host has about ten
// deliveries in all of them) are looked at together. Where MSER drops no more than half of them, the warm-up
// is over, and the window can begin with what starts next. Else the run has not been long enough to say:
// pairs of batches become one, and as many more are awaited. So memory is flat, and a warm-up of n deliveries
// is found after at most about 4 n. A load that the network does not carry gives latencies that grow for
// ever; MSER then drops all that it may, and no end is found.
//
// All in whole numbers. With m batches left, sum S and sum of squares Q of theirs the statistic is (mQ − S²)
// / m³, and two are compared by cross products: below 2^127 for sums below 2^40, at most 2^9 batches. Larger
// sums are all rounded down by the same power of two. Cost: 200 steps when the batches are full. cite: White
// 1997 (MSER); White, Cobb, Spratt 2000 (MSER-5); Franklin, White 2008 (the half as the limit)
// SPDX-License-Identifier: MIT
#include "simulation/window.hpp"

#include <algorithm>

namespace wormcast {
namespace {

__extension__ typedef unsigned __int128 Product;

constexpr std::size_t least_left = 5;  // of fewer batches the statistic says little
constexpr std::uint64_t most_sum = std::uint64_t{1} << 40;

}  // namespace

std::size_t mser_truncation(std::span<const std::uint64_t> sums) {
  Product sum = 0, squares = 0, best_scatter = 0;
  std::size_t best = sums.size(), best_left = 0;
  for (std::size_t left = 1; left <= sums.size(); ++left) {
    const Product value = sums[sums.size() - left];
    sum += value;
    squares += value * value;
    if (left < least_left) continue;
    const Product scatter = left * squares - sum * sum;
    const auto cube = [](std::size_t count) { return static_cast<Product>(count) * count * count; };
    if (best_left != 0 && scatter * cube(best_left) > best_scatter * cube(left)) continue;
    best = sums.size() - left;
    best_left = left;
    best_scatter = scatter;
  }
  return best;
}

WarmupSearch::WarmupSearch(const WarmupOptions& options, std::uint64_t hosts) : batches_(options.batches) {
  found_.batch_deliveries = options.batch_deliveries;
  if (found_.batch_deliveries == 0) found_.batch_deliveries = std::max<std::uint64_t>(5, (hosts + 19) / 20);
}

void WarmupSearch::add(Cycle latency) {
  if (found()) return;
  sum_ += latency;
  ++found_.deliveries;
  if (++count_ < found_.batch_deliveries) return;
  sums_.push_back(sum_);
  sum_ = count_ = 0;
  if (sums_.size() == batches_) look();
}

void WarmupSearch::look() {
  std::vector<std::uint64_t> rounded = sums_;
  while (*std::max_element(rounded.begin(), rounded.end()) >= most_sum)
    for (std::uint64_t& sum : rounded) sum /= 2;
  const std::size_t dropped = mser_truncation(rounded);
  if (dropped <= batches_ / 2) {
    found_.dropped = dropped * found_.batch_deliveries;
    return;
  }
  for (std::size_t i = 0; i < batches_ / 2; ++i) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
  sums_.resize(batches_ / 2);
  found_.batch_deliveries *= 2;
}

}  // namespace wormcast
