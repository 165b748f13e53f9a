// Strict reading of an object's members: every known key at most once, required ones present,
// nothing unknown; x_ keys of a record are kept as they stand.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/json_text.hpp"

namespace wormcast::io {

struct Member {
  std::string_view key;
  bool required = true;
};

/// Looks up keys in a fixed list and remembers which were seen; the part of read_members that
/// does not depend on the visitor.
class MemberCheck {
 public:
  MemberCheck(const Value& object, const Member* members, std::size_t count, bool carries_extras)
      : object_(object), members_(members), count_(count), carries_extras_(carries_extras) {}

  /// Index of `key`, or −1 for an x_ key that is carried; throws for an unknown or repeated key. The value
  /// has not been read yet.
  int find(std::string_view key, const Value& value) {
    const std::size_t i = expected_;
    if (i < count_ && members_[i].key.data() == key.data() && (seen_ >> i & 1) == 0) [[likely]] {
      seen_ |= std::uint64_t{1} << i;
      expected_ = i + 1;
      return static_cast<int>(i);
    }
    return find_other(key, value);
  }
  /// The key that stands next where keys come in documented order; empty behind the last.
  std::string_view expected() const {
    return expected_ < count_ ? members_[expected_].key : std::string_view();
  }
  /// Throws for a required member that did not come.
  void finish(std::uint64_t required) const {
    if ((seen_ & required) != required) fail_for_missing();
  }
  /// The record's x_ members as raw text, each with a comma before it.
  const std::string& extras() const { return extras_; }

 private:
  int find_other(std::string_view key, const Value& value);
  void fail_for_missing() const;
  void carry(std::string_view key, const Value& value);

  const Value& object_;
  const Member* members_;
  std::size_t count_;
  bool carries_extras_;
  std::size_t expected_ = 0;  // keys mostly come in documented order
  std::uint64_t seen_ = 0;
  std::string extras_;
  std::vector<std::string> extra_keys_;
};

/// Throws on a decimal that is not what others say it must be (`expected`, as it would be written; "" = none
/// can be there). It may be spelled in any way: other programs may write 34.000 as 34.0.
void check_derived(const Value& value, const std::string& expected);

/// A bit for each member that is required.
template <std::size_t N>
constexpr std::uint64_t required_bits(const std::array<Member, N>& members) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < N; ++i)
    if (members[i].required) bits |= std::uint64_t{1} << i;
  return bits;
}

/// Calls visit(index into members, value) for each member of `object` in the order they stand.
template <std::size_t N, class Visit>
void read_members(const Value& object, const std::array<Member, N>& members, Visit visit) {
  static_assert(N <= 64);
  MemberCheck check(object, members.data(), N, false);
  object.members([&] { return check.expected(); },
                 [&](std::string_view key, const Value& value) { visit(check.find(key, value), value); });
  check.finish(required_bits(members));
}

/// The same for a whole record. members[0] is `kind`, which has been read and is not visited.
/// Returns the record's x_ members.
template <std::size_t N, class Visit>
std::string read_record(const Value& record, const std::array<Member, N>& members, Visit visit) {
  static_assert(N <= 64);
  MemberCheck check(record, members.data(), N, true);
  record.members([&] { return check.expected(); },
                 [&](std::string_view key, const Value& value) {
                   const int index = check.find(key, value);
                   if (index > 0) visit(index, value);
                 });
  check.finish(required_bits(members));
  return check.extras();
}

}  // namespace wormcast::io
