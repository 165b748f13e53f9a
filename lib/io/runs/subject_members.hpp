// Members of records as what the report adds up and groups by, whatever the kind of record.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "io/text/shapes.hpp"
#include "report/subject.hpp"

namespace wormcast::io {

/// What a record that its codec has accepted says of a whole segment: integers are added up, the parameters
/// of the run and of its routers, texts and booleans can be grouped by. Lists and nested evidence are left
/// out.
void add_members(const Value& object, Subject& subject, bool model = false);
/// A number as it is printed: its digits, and how many of them stand behind the point.
void decimal_metric(Subject& subject, std::string_view name, std::string_view text);
/// x_ keys: texts, booleans and numbers can be grouped by, integers added up as well.
void add_extras(const Value& record, Subject& subject);

}  // namespace wormcast::io
