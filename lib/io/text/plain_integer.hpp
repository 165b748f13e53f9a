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

/// A number and where it ends.
struct Digits {
  const char* end = nullptr;  ///< nullptr: there is none
  std::uint64_t value = 0;
};

/// plain_digits() of whatever is no short number.
[[gnu::noinline]] inline Digits many_digits(const char* at) {
  constexpr std::ptrdiff_t most = 18;  // never more than 63 bits
  std::uint64_t digits = 0;
  std::uint64_t others = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&digits, at, sizeof digits);
    digits ^= 0x3030303030303030U;
    others = (digits | (digits + 0x7676767676767676U)) & 0x8080808080808080U;
  }
  Digits number{at, 0};
  if (others != 0) {
    const int count = std::countr_zero(others) / 8;
    if (count == 0) return {};
    std::uint64_t part = digits << (64 - 8 * count);
    part = part * 10 + (part >> 8);
    number.value = ((part & 0x000000ff000000ffU) * (100 + (std::uint64_t{1000000} << 32)) +
                    (part >> 16 & 0x000000ff000000ffU) * (1 + (std::uint64_t{10000} << 32))) >>
                   32;
    number.end += count;
  } else {
    while (static_cast<unsigned char>(*number.end - '0') <= 9)
      number.value = number.value * 10 + static_cast<unsigned char>(*number.end++ - '0');
    if (number.end == at || number.end - at > most) return {};
  }
  if (*at == '0' && number.end != at + 1) return {};
  return number;
}

/// The digits at `at`, up to 18, as the grammar of JSON has them. Behind the text stands what readable_behind
/// says. Four bytes, or eight, are taken as one number, how many of them are digits is counted, and pairs of
/// them are put together at once; most numbers have up to three. cite: D. Lemire: Quickly parsing eight
/// digits (2018).
[[gnu::always_inline]] inline Digits plain_digits(const char* at) {
  if constexpr (std::endian::native != std::endian::little) return many_digits(at);
  std::uint32_t digits = 0;
  std::memcpy(&digits, at, sizeof digits);
  digits ^= 0x30303030U;  // 0 to 9 in a byte that is one
  // Carries come from bytes that are none, and change only those behind.
  const std::uint32_t others = (digits | (digits + 0x76767676U)) & 0x80808080U;
  if (others == 0 || (digits & 0xff) == 0) return many_digits(at);
  const int count = std::countr_zero(others) / 8;
  if (count == 0) return {};
  digits <<= 32 - 8 * count;             // as many zeros in front
  digits = digits * 10 + (digits >> 8);  // pairs of digits, in every second byte
  return {at + count, (digits & 0xff) * 100 + (digits >> 16 & 0xff)};
}

/// The same, and the number ends there.
inline Digits plain_integer(const char* at) {
  const Digits number = plain_digits(at);
  if (number.end == nullptr || *number.end == '.' || *number.end == 'e' || *number.end == 'E') return {};
  return number;
}

}  // namespace wormcast::io
