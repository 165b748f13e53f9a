// What tests/mutate writes into sources: each place asks by its number whether it is the one that is changed,
// so that one build holds all mutants. $WORMCAST_MUTANT is the number; a place that is reached is written to
// $WORMCAST_REACHED.
// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace mutants {

inline std::atomic<bool> reached[1 << 20];

inline void note(int place) {
  const char* path = std::getenv("WORMCAST_REACHED");
  if (reached[place].exchange(true, std::memory_order_relaxed) || !path) return;
  char line[16];
  const int length = std::snprintf(line, sizeof line, "%d\n", place);
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0644);
  if (write(file, line, static_cast<std::size_t>(length)) != length) std::abort();
  close(file);
}

inline bool on(int place) {
  static const int changed = std::getenv("WORMCAST_MUTANT") ? std::atoi(std::getenv("WORMCAST_MUTANT")) : -1;
  if (!reached[place].load(std::memory_order_relaxed)) note(place);
  return place == changed;
}

// a < b is written a < Less{place} < b, which binds as before.
#define WORMCAST_MUTANT_OPERATOR(NAME, OPERATOR, CHANGED)                 \
  struct NAME {                                                           \
    int place;                                                            \
  };                                                                      \
  template <class Left>                                                   \
  struct NAME##Of {                                                       \
    const Left& left;                                                     \
    int place;                                                            \
  };                                                                      \
  template <class Left>                                                   \
  NAME##Of<Left> operator OPERATOR(const Left& left, NAME mutant) {       \
    return {left, mutant.place};                                          \
  }                                                                       \
  template <class Left, class Right>                                      \
  auto operator OPERATOR(NAME##Of<Left> of, const Right& right) {         \
    return on(of.place) ? of.left CHANGED right : of.left OPERATOR right; \
  }
WORMCAST_MUTANT_OPERATOR(Less, <, <=)
WORMCAST_MUTANT_OPERATOR(AtMost, <=, <)
WORMCAST_MUTANT_OPERATOR(More, >, >=)
WORMCAST_MUTANT_OPERATOR(AtLeast, >=, >)
WORMCAST_MUTANT_OPERATOR(Equal, ==, !=)
WORMCAST_MUTANT_OPERATOR(Unlike, !=, ==)
WORMCAST_MUTANT_OPERATOR(Plus, +, -)
WORMCAST_MUTANT_OPERATOR(Minus, -, +)

// What += and -= add.
template <class Number>
requires std::is_arithmetic_v<Number>
auto turned(int place, Number number) {
  if constexpr (std::is_integral_v<Number>) {
    const auto whole = static_cast<long long>(number);
    return on(place) ? -whole : whole;
  } else {
    return on(place) ? -number : number;
  }
}

template <bool Smaller>
struct Chosen {
  int place;
  template <class Value>
  const Value& operator()(const Value& left, const Value& right) const {
    return Smaller != on(place) ? std::min(left, right) : std::max(left, right);
  }
};

}  // namespace mutants
