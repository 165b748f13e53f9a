// Random numbers fixed by definition, not by a library: the standard's distributions differ between
// implementations, and no result may.
//
// Generator: xoshiro256** seeded by SplitMix64. A stream's key hashes (seed, length of purpose, its
// bytes, index) through SplitMix64's output function, a bijection, so that streams of one seed and
// purpose never share a key. Bounded draws: Lemire's multiplication with rejection, exactly uniform.
// Sets: Floyd's algorithm, one draw an element. Bernoulli: the binary digits of the exact probability
// against random digits, 64 at a time; no floating point anywhere.
// cite: Blackman, Vigna 2021, "Scrambled linear pseudorandom number generators"
// cite: Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators"
// cite: Lemire 2019, "Fast random integer generation in an interval"
// cite: Bentley, Floyd 1987, "Programming pearls: a sample of brilliance"
// SPDX-License-Identifier: MIT
#include "topology/random.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_set>

#include "topology/ids.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

__extension__ typedef unsigned __int128 Product;

std::uint64_t mix(std::uint64_t value) { return SplitMix64(value).next(); }

}  // namespace

std::uint64_t SplitMix64::next() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

Random::Random(std::uint64_t seed) : state_{} {
  SplitMix64 seeder(seed);
  for (std::uint64_t& word : state_) word = seeder.next();
}

std::uint64_t Random::below(std::uint64_t bound) {
  Product product = Product{next()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    // 2^64 mod bound low halves would be hit once too often; they are drawn again.
    const std::uint64_t surplus = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < surplus) product = Product{next()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t Random::between(std::uint64_t low, std::uint64_t high) {
  const std::uint64_t width = high - low + 1;
  return width == 0 ? next() : low + below(width);
}

RandomStreams::RandomStreams(std::uint64_t seed, std::string_view purpose)
    : key_(mix(mix(seed) ^ purpose.size())) {
  for (const char letter : purpose) key_ = mix(key_ ^ static_cast<unsigned char>(letter));
}

Random RandomStreams::stream(std::uint64_t index) const { return Random(mix(key_ ^ index)); }

std::vector<std::uint32_t> sample(Random& random, std::uint32_t count, std::uint32_t bound) {
  constexpr std::uint32_t few = 48;  // up to here looking through the chosen ones is the fastest set
  std::vector<std::uint32_t> chosen;
  chosen.reserve(count);
  std::unordered_set<std::uint32_t> seen;
  if (count > few) seen.reserve(count);
  for (std::uint32_t last = bound - count; last < bound; ++last) {
    const auto drawn = static_cast<std::uint32_t>(random.below(std::uint64_t{last} + 1));
    const bool again =
        count > few ? seen.count(drawn) != 0 : std::find(chosen.begin(), chosen.end(), drawn) != chosen.end();
    chosen.push_back(again ? last : drawn);
    if (count > few) seen.insert(chosen.back());
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Fraction parse_decimal(std::string_view field, std::string_view text) {
  constexpr std::uint64_t limit = max_integer;
  Fraction value;
  bool digits = false;
  bool point = false;
  for (const char letter : text) {
    if (letter == '.' && !point) {
      point = true;
      continue;
    }
    if (letter < '0' || letter > '9') refuse_text(field, text, "is not a decimal number such as 0.05");
    digits = true;
    const auto digit = static_cast<std::uint64_t>(letter - '0');
    if (point && value.denominator == 1'000'000'000'000'000u)
      refuse_text(field, text, "has more than 15 decimals");
    if (value.numerator > (limit - digit) / 10)
      refuse_text(field, text, "has too many digits (the digits must make a number below 2^53)");
    value.numerator = value.numerator * 10 + digit;
    if (point) value.denominator *= 10;
  }
  if (!digits) refuse_text(field, text, "is not a decimal number such as 0.05");
  return value;
}

bool operator<(const Fraction& a, const Fraction& b) {
  return Product{a.numerator} * b.denominator < Product{b.numerator} * a.denominator;
}

Fraction product(std::string_view field, const Fraction& a, const Fraction& b) {
  const std::uint64_t first = std::gcd(a.numerator, b.denominator),
                      second = std::gcd(b.numerator, a.denominator);
  Fraction result;
  if (__builtin_mul_overflow(a.numerator / first, b.numerator / second, &result.numerator) ||
      __builtin_mul_overflow(a.denominator / second, b.denominator / first, &result.denominator))
    throw InputError(std::string(field), "has too many digits");
  return result;
}

Bernoulli::Bernoulli(Fraction probability) : denominator_(probability.denominator) {
  certain_ = probability.numerator >= probability.denominator;
  if (certain_) {
    threshold_ = ~std::uint64_t{0};
    return;
  }
  const Product scaled = Product{probability.numerator} << 64;
  threshold_ = static_cast<std::uint64_t>(scaled / denominator_);
  remainder_ = static_cast<std::uint64_t>(scaled % denominator_);
}

bool Bernoulli::tie(Random& random) const {
  if (certain_) return true;
  return remainder_ != 0 && Bernoulli(Fraction{remainder_, denominator_})(random);
}

}  // namespace wormcast
