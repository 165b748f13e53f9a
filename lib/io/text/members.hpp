// Strict reading of an object's members: every known key at most once, required ones present,
// nothing unknown; x_ keys of a record are kept as they stand.
//
// Objects that stand in a stream by the thousand are read by code made for their list of members
// (read_frequent_record and read_frequent_members), all others by one loop for all lists: each list's own
// code would take a second to compile.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/text/json_text.hpp"

namespace wormcast::io {

struct Member {
  std::string_view key;
  bool required = true;
  bool late = false;  ///< stands behind those that follow it in the list
};

/// Looks up keys in a fixed list and remembers which were seen; the part of read_members that
/// does not depend on the visitor.
class MemberCheck {
 public:
  MemberCheck(const Value& object, const Member* members, std::size_t count, bool carries_extras,
              std::uint64_t seen)
      : object_(object), members_(members), count_(count), carries_extras_(carries_extras), seen_(seen) {}

  /// Index of `key`, or −1 for an x_ key that is carried; throws for an unknown or repeated key. The value
  /// has not been read yet. Keys in documented order are found at once.
  int find(std::string_view key, const Value& value);
  /// Throws for a required member that did not come.
  void finish(std::uint64_t required) const {
    if ((seen_ & required) != required) fail_for_missing();
  }
  /// The record's x_ members as raw text, each with a comma before it.
  const std::string& extras() const { return extras_; }

 private:
  void fail_for_missing() const;
  void carry(std::string_view key, const Value& value);

  const Value& object_;
  const Member* members_;
  std::size_t count_;
  bool carries_extras_;
  std::uint64_t seen_;    // a bit for each
  std::size_t next_ = 0;  // the one behind the last that was found
  std::string extras_;
  std::vector<std::string> extra_keys_;
};

/// Throws on a decimal that is not what others say it must be (`expected`, as it would be written; "" = none
/// can be there). It may be spelled in any way: other programs may write 34.000 as 34.0.
void check_derived(const Value& value, const std::string& expected);

/// A function that takes the index of a member and its value; it refers to one that lives longer.
class MemberVisitor {
 public:
  template <class Visit>
  explicit MemberVisitor(Visit& visit)
      : visit_(&visit), call_([](void* callee, int member, const Value& value) {
          (*static_cast<Visit*>(callee))(member, value);
        }) {}
  void operator()(int member, const Value& value) const { call_(visit_, member, value); }

 private:
  void* visit_;
  void (*call_)(void*, int, const Value&);
};

/// Calls visit(index into members, value) for each member of an object, in its order. Returns its x_ members,
/// where they are carried.
std::string visit_members(const Value& object, std::span<const Member> members, bool carries_extras,
                          MemberVisitor visit);

/// Reads an object inside a record.
template <const auto& members, class Visit>
void read_members(const Value& object, Visit visit) {
  visit_members(object, members, false, MemberVisitor(visit));
}

/// Reads a whole record. members[0] is `kind`, which has been read and is not visited.
/// Returns the record's x_ members.
template <const auto& members, class Visit>
std::string read_record(const Value& record, Visit visit) {
  auto visit_own = [&](int index, const Value& value) {
    if (index > 0) visit(index, value);
  };
  return visit_members(record, members, true, MemberVisitor(visit_own));
}

/// A bit for each member that is required.
template <std::size_t N>
constexpr std::uint64_t required_bits(const std::array<Member, N>& members) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < N; ++i)
    if (members[i].required) bits |= std::uint64_t{1} << i;
  return bits;
}

/// The key of member `index` of `members` as it mostly stands: in quotes, with a colon.
template <const auto& members, int index>
inline constexpr auto quoted_key = [] {
  constexpr std::string_view key = members[std::size_t{index}].key;
  std::array<char, key.size() + 3> quoted{};
  for (std::size_t i = 0; i < key.size(); ++i) quoted[i + 1] = key[i];
  quoted.front() = quoted[key.size() + 1] = '"';
  quoted.back() = ':';
  return quoted;
}();

/// Calls visit(index into members, value) for each member of an object: those that come in documented order
/// with an index that is known at compile time, so that a record is read by straight code, then the others.
template <const auto& members, class Visit>
std::string read_all_members(const Value& object, bool carries_extras, Visit visit) {
  constexpr std::size_t count = members.size();
  static_assert(count <= 64);
  MemberCursor at(object);
  std::uint64_t seen = 0;
  const auto expect = [&](auto index, auto late) {
    if constexpr (members[std::size_t{index}].late == late) {
      if (!at.more() || !at.key_is(quoted_key<members, index>)) return;
      seen |= std::uint64_t{1} << index;
      visit(index, at.value());
      at.next();
    }
  };
  const auto expect_all = [&]<int... index>(std::integer_sequence<int, index...>, auto late) {
    (expect(std::integral_constant<int, index>(), late), ...);
  };
  constexpr auto all = std::make_integer_sequence<int, static_cast<int>(count)>();
  expect_all(all, std::false_type());
  if (at.more()) expect_all(all, std::true_type());
  constexpr std::uint64_t required = required_bits(members);
  if (!at.more() && (seen & required) == required) [[likely]]
    return {};
  object.json().written_otherwise();
  MemberCheck check(object, members.data(), count, carries_extras, seen);
  for (; at.more(); at.next()) {
    const std::string_view key = at.key();
    const int index = check.find(key, at.value());
    if (index >= 0) visit(index, at.value());
  }
  check.finish(required);
  return check.extras();
}

/// read_members() by such code.
template <const auto& members, class Visit>
void read_frequent_members(const Value& object, Visit visit) {
  read_all_members<members>(object, false, visit);
}

/// read_record() by such code.
template <const auto& members, class Visit>
std::string read_frequent_record(const Value& record, Visit visit) {
  const auto visit_own = [&](auto index, const Value& value) {
    if (index > 0) visit(index, value);
  };
  return read_all_members<members>(record, true, visit_own);
}

}  // namespace wormcast::io
