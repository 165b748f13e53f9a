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
  std::size_t i = next_;
  if (i == count_ || members_[i].key != key) {
    i = 0;
    while (i < count_ && members_[i].key != key) ++i;
  }
  if (i == count_) {
    if (carries_extras_ && key.starts_with("x_")) {
      carry(key, value);
      return -1;
    }
    std::vector<std::string_view> known;
    for (std::size_t m = 0; m < count_; ++m) known.push_back(members_[m].key);
    value.fail(unknown_name_message("key", key, known));
  }
  const std::uint64_t bit = std::uint64_t{1} << i;
  if ((seen_ & bit) != 0) value.fail("the key appears twice in the same object");
  seen_ |= bit;
  next_ = i + 1;
  return static_cast<int>(i);
}

void MemberCheck::fail_for_missing() const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (!members_[i].required || (seen_ >> i & 1) != 0) continue;
    throw InputError(object_.place(), fmt::format("required key \"{}\" is missing", members_[i].key));
  }
}

std::string visit_members(const Value& object, std::span<const Member> members, bool carries_extras,
                          MemberVisitor visit) {
  object.json().written_otherwise();  // nobody copies what such objects say
  MemberCheck check(object, members.data(), members.size(), carries_extras, 0);
  for (MemberCursor at(object); at.more(); at.next()) {
    const std::string_view key = at.key();  // the value is there then
    const int index = check.find(key, at.value());
    if (index >= 0) visit(index, at.value());
  }
  std::uint64_t required = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i].required) required |= std::uint64_t{1} << i;
  check.finish(required);
  return check.extras();
}

void check_derived(const Value& value, const std::string& expected) {
  if (value.type() != JsonType::integer && value.type() != JsonType::fraction)
    value.fail(value.shown() + " is not a number");
  if (expected.empty() ||
      std::strtod(value.shown().c_str(), nullptr) != std::strtod(expected.c_str(), nullptr))
    value.fail(value.shown() + ", but the sums say " + (expected.empty() ? "none" : expected));
}

void MemberCheck::carry(std::string_view key, const Value& value) {
  if (std::find(extra_keys_.begin(), extra_keys_.end(), key) != extra_keys_.end())
    value.fail("the key appears twice in the same object");
  extra_keys_.emplace_back(key);
  const char* const begin = value.json().member_begin();
  const std::string_view raw = value.raw();
  extras_ += ',';
  extras_.append(begin, raw.data() + raw.size());
}

}  // namespace wormcast::io
