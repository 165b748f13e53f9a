// Strict reading of an object's members.
// SPDX-License-Identifier: MIT
#include "io/text/members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast::io {

int MemberCheck::find(std::string_view key, const Value& value) {
  std::size_t i = expected_;
  if (i >= count_ || members_[i].key != key) {
    i = 0;
    while (i < count_ && members_[i].key != key) ++i;
  }
  if (i == count_) {
    if (carries_extras_ && key.starts_with("x_")) {
      has_extras_ = true;
      return -1;
    }
    std::vector<std::string_view> known;
    for (std::size_t m = 0; m < count_; ++m) known.push_back(members_[m].key);
    value.fail(unknown_name_message("key", key, known));
  }
  const std::uint64_t bit = std::uint64_t{1} << i;
  if ((seen_ & bit) != 0) value.fail("the key stands twice in the same object");
  seen_ |= bit;
  expected_ = i + 1;
  return static_cast<int>(i);
}

void MemberCheck::finish() const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (!members_[i].required || (seen_ >> i & 1) != 0) continue;
    const std::string inside = object_.json().place_of(object_.index());
    throw InputError(inside, fmt::format("required key \"{}\" is missing", members_[i].key));
  }
}

namespace {

/// Splits the members of a valid top-level object at their commas.
std::vector<std::string_view> top_level_members(std::string_view raw) {
  std::vector<std::string_view> members;
  int depth = 0;
  bool in_string = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    const bool opens = c == '{' || c == '[';
    const bool closes = c == '}' || c == ']';
    if (depth == 1 && (c == ',' || closes)) members.push_back(raw.substr(start, i - start));
    if (opens) ++depth;
    if (closes) --depth;
    if (depth == 1 && (c == ',' || c == '{')) start = i + 1;
  }
  return members;
}

}  // namespace

void check_derived(const Value& value, const std::string& expected) {
  if (value.type() != JsonType::integer && value.type() != JsonType::fraction)
    value.fail(value.shown() + " is not a number");
  if (expected.empty() ||
      std::strtod(value.shown().c_str(), nullptr) != std::strtod(expected.c_str(), nullptr))
    value.fail(value.shown() + ", but the sums say " + (expected.empty() ? "none" : expected));
}

std::string raw_extras(const JsonText& json) {
  std::string extras;
  std::vector<std::string_view> keys;
  const std::vector<std::string_view> raw = top_level_members(json.raw());
  std::size_t position = 0;
  json.root().members([&](std::string_view key, const Value& value) {
    std::string_view text = raw[position++];
    if (!key.starts_with("x_")) return;
    if (std::find(keys.begin(), keys.end(), key) != keys.end())
      value.fail("the key stands twice in the same object");
    keys.push_back(key);
    text.remove_prefix(text.find('"'));
    while (text.back() == ' ' || text.back() == '\t' || text.back() == '\r') text.remove_suffix(1);
    extras += ',';
    extras += text;
  });
  return extras;
}

}  // namespace wormcast::io
