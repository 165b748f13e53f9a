// Strict reading of an object's members: every known key at most once, required ones present,
// nothing unknown; x_ keys of a record are kept as they stand. One loop for all lists of members.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/text/json_text.hpp"

namespace wormcast::io {

struct Member {
  std::string_view key;
  bool required = true;
  bool deferred = false;  ///< visited when all others have been
};

/// Throws on a decimal that is not what others say it must be (`expected`, as it would be written; "" = none
/// can be there). It may be spelled in any way: other programs may write 34.000 as 34.0.
void check_derived(const Value& value, const std::string& expected);

/// A function that takes the index of a member and its value; it refers to one that lives longer.
class MemberVisitor {
 public:
  template <class Visit>
  explicit MemberVisitor(const Visit& visit)
      : visit_(&visit), call_([](const void* callee, int member, const Value& value) {
          (*static_cast<const Visit*>(callee))(member, value);
        }) {}
  void operator()(int member, const Value& value) const { call_(visit_, member, value); }

 private:
  const void* visit_;
  void (*call_)(const void*, int, const Value&);
};

/// Calls visit(index into members, value) for each member of an object: in the object's order, then for those
/// that are deferred. Returns its x_ members, each with a comma before it, where they are carried.
std::string visit_members(const Value& object, std::span<const Member> members, bool carries_extras,
                          MemberVisitor visit);

}  // namespace wormcast::io
