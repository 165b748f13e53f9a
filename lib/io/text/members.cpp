// Strict reading of an object's members.
// SPDX-License-Identifier: MIT
#include "io/text/members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "topology/error.hpp"
#include "topology/name_table.hpp"

namespace wormcast::io {

namespace {

/// Looks up keys in a fixed list and remembers which were seen.
class MemberCheck {
 public:
  MemberCheck(std::span<const Member> members, bool carries_extras)
      : members_(members), carries_extras_(carries_extras) {}

  /// Index of `key`, or −1 for an x_ key that is carried; throws for an unknown or repeated key. The value
  /// has not been read yet. Keys in documented order are found at once.
  int find(std::string_view key, const Value& value);
  /// Throws for a required member that did not come.
  void finish(const Value& object) const;
  /// The record's x_ members as raw text, each with a comma before it.
  const std::string& extras() const { return extras_; }

 private:
  void carry(std::string_view key, const Value& value);

  std::span<const Member> members_;
  bool carries_extras_;
  std::uint64_t seen_ = 0;  // a bit for each
  std::size_t next_ = 0;    // the one behind the last that was found
  std::string extras_;
  std::vector<std::string> extra_keys_;
};

int MemberCheck::find(std::string_view key, const Value& value) {
  // Members that are left out stand between one that comes and the next.
  std::size_t i = next_;
  while (i < members_.size() && members_[i].key != key) ++i;
  if (i == members_.size()) {
    i = 0;
    while (i < next_ && members_[i].key != key) ++i;
    if (i == next_) i = members_.size();
  }
  if (i == members_.size()) {
    if (carries_extras_ && key.starts_with("x_")) {
      carry(key, value);
      return -1;
    }
    std::vector<std::string_view> known;
    for (const Member& member : members_) known.push_back(member.key);
    value.fail(unknown_name_message("key", key, known));
  }
  const std::uint64_t bit = std::uint64_t{1} << i;
  if ((seen_ & bit) != 0) value.fail("the key appears twice in the same object");
  seen_ |= bit;
  next_ = i + 1;
  return static_cast<int>(i);
}

void MemberCheck::finish(const Value& object) const {
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (members_[i].required && (seen_ >> i & 1) == 0)
      throw InputError(object.place(), fmt::format("required key \"{}\" is missing", members_[i].key));
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

}  // namespace

std::string visit_members(const Value& object, std::span<const Member> members, bool carries_extras,
                          MemberVisitor visit) {
  MemberCheck check(members, carries_extras);
  std::vector<std::pair<int, Value>> deferred;
  for (MemberCursor at(object); at.more(); at.next()) {
    const std::string_view key = at.key();  // the value is there then
    const int index = check.find(key, at.value());
    if (index < 0) continue;
    if (members[static_cast<std::size_t>(index)].deferred)
      deferred.emplace_back(index, at.value());
    else
      visit(index, at.value());
  }
  check.finish(object);
  for (const auto& [index, value] : deferred) visit(index, value);
  return check.extras();
}

void check_derived(const Value& value, const std::string& expected) {
  if (value.type() != JsonType::integer && value.type() != JsonType::fraction)
    value.fail(value.shown() + " is not a number");
  if (expected.empty() ||
      std::strtod(value.shown().c_str(), nullptr) != std::strtod(expected.c_str(), nullptr))
    value.fail(value.shown() + ", but the sums say " + (expected.empty() ? "none" : expected));
}

}  // namespace wormcast::io
