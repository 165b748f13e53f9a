// Names and values as records write them: objects of strings, in their order.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wormcast {

/// Names and values as written in a record, in its order.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

/// The value of that name; empty where there is none.
inline std::string_view value_of(const NamedValues& values, std::string_view name) {
  for (const auto& [key, value] : values)
    if (key == name) return value;
  return {};
}

/// The number that all of the text is, digits alone; nothing where it is none, or too large.
template <class Number = std::uint32_t>
std::optional<Number> whole_number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// What stands between the separators of a text: one part, if it has none.
inline std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size(); at += parts.back().size() + 1)
    parts.push_back(text.substr(at, text.find(separator, at) - at));
  return parts;
}

/// A few names that a constant of a registry lists: the values of an option, say.
class NameList {
 public:
  constexpr NameList() = default;
  constexpr NameList(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) names_.at(size_++) = name;
  }
  constexpr const std::string_view* begin() const { return names_.data(); }
  constexpr const std::string_view* end() const { return names_.data() + size_; }
  constexpr std::size_t size() const { return size_; }
  constexpr std::string_view front() const { return names_.front(); }

 private:
  std::array<std::string_view, 5> names_{};
  std::size_t size_ = 0;
};

/// Names and values, unchangeable and shared: the records of a segment repeat them, so a copy is a pointer.
class SharedValues {
 public:
  SharedValues() = default;
  SharedValues(NamedValues values)  // NOLINT(google-explicit-constructor): they say the same
      : values_(values.empty() ? nullptr : std::make_shared<const NamedValues>(std::move(values))) {}
  SharedValues(std::initializer_list<NamedValues::value_type> values) : SharedValues(NamedValues(values)) {}

  const NamedValues& values() const {
    static const NamedValues none;
    return values_ ? *values_ : none;
  }
  NamedValues::const_iterator begin() const { return values().begin(); }
  NamedValues::const_iterator end() const { return values().end(); }
  bool empty() const { return values_ == nullptr; }
  std::size_t size() const { return values().size(); }
  /// One more, behind them.
  void add(std::string name, std::string value) {
    NamedValues more = values();
    more.emplace_back(std::move(name), std::move(value));
    *this = SharedValues(std::move(more));
  }
  friend bool operator==(const SharedValues& a, const SharedValues& b) {
    return a.values_ == b.values_ || a.values() == b.values();
  }

 private:
  std::shared_ptr<const NamedValues> values_;  ///< nullptr: none
};

}  // namespace wormcast
