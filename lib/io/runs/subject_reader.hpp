// From records of any kind to what the report adds up.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/shapes.hpp"
#include "report/expectation.hpp"
#include "report/subject.hpp"
#include "simulation/window.hpp"

namespace wormcast::io {

/// Throws SystemError for a file that cannot be read, InputError, its place the line, for what is no
/// expectation, and for a file that has none.
std::vector<Expectation> read_expectations(const std::string& path);

/// What each event costs, and whether any record counted events.
struct Energy {
  EventCounts attojoules;
  bool used = false;
};
/// From a file: a JSON object {"name", "cite", "attojoules": {each event: integer}}. Throws SystemError where
/// it cannot be read, InputError where it is none.
Energy read_energy(const std::string& path);

/// What a record that its codec has accepted says of a whole segment: integers are added up, the parameters
/// of the run and of its routers, texts and booleans can be grouped by. Lists and nested evidence are left
/// out.
void add_members(const Value& object, Subject& subject, bool model = false);
/// The parameters of the router that its record leaves out, since they are as usual.
void add_usual(const RouterModel& model, Subject& subject);
/// A number as it is printed: its digits, and how many of them stand behind the point.
void decimal_metric(Subject& subject, std::string_view name, std::string_view text);
/// x_ keys: texts, booleans and numbers can be grouped by, integers added up as well.
void add_extras(const Value& record, Subject& subject);

/// Calls take(subject) for each record of the files (none or "-": standard input) that says more
/// than where a segment opens and closes, and end_segment() at each end record, while the segment's topology
/// is still there. An InputError that they throw is told the place.
void read_subjects(const std::vector<std::string>& files, const std::function<void(const Subject&)>& take,
                   const std::function<void()>& end_segment, Energy* energy = nullptr);

}  // namespace wormcast::io
