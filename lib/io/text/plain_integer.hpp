// Reading the integers of records, most of which are short.
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace wormcast::io {

/// Bytes behind the end of a text that can be read: the first is one that no value goes on with, such as a
/// newline, the others may be any.
inline constexpr std::size_t readable_behind = 8;

/// True if digits stand at `at`, up to 18, as the grammar of JSON has them; they end at `end`. Behind the
/// text stands what readable_behind says. Up to seven digits are read without a loop: eight bytes are taken
/// as one number, and how many of them are digits is counted. cite: D. Lemire: Quickly parsing eight digits
/// (2018).
inline bool plain_digits(const char* at, const char*& end, std::uint64_t& value) {
  constexpr std::ptrdiff_t most_digits = 18;  // never more than 63 bits
  const bool zero = *at == '0';               // then no other digit may follow
  std::uint64_t others = 0;
  std::uint64_t digits = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&digits, at, sizeof digits);
    digits ^= 0x3030303030303030U;  // 0 to 9 in a byte that is one
    // Carries come from bytes that are none, and change only those behind.
    others = (digits | (digits + 0x7676767676767676U)) & 0x8080808080808080U;
  }
  const char* const begin = at;
  if (others != 0) [[likely]] {
    const int count = std::countr_zero(others) / 8;
    if (count == 0) return false;
    std::uint64_t part = digits << (64 - 8 * count);  // as many zeros in front
    part = part * 10 + (part >> 8);                   // pairs of digits, in every second byte
    value = ((part & 0x000000ff000000ffU) * (100 + (std::uint64_t{1000000} << 32)) +
             (part >> 16 & 0x000000ff000000ffU) * (1 + (std::uint64_t{10000} << 32))) >>
            32;
    end = begin + count;
  } else {
    value = 0;
    end = begin;
    while (static_cast<unsigned char>(*end - '0') <= 9)
      value = value * 10 + static_cast<unsigned char>(*end++ - '0');
    if (end == begin || end - begin > most_digits) return false;
  }
  return !zero || end == begin + 1;
}

/// The same, and the number ends there.
inline bool plain_integer(const char* at, const char*& end, std::uint64_t& value) {
  return plain_digits(at, end, value) && *end != '.' && *end != 'e' && *end != 'E';
}

}  // namespace wormcast::io
