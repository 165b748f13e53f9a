// A digest of numbers and texts: equal ones have equal digests, others differ but for chance.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace wormcast {

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
