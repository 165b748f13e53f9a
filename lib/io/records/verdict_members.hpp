// Dependencies and witnesses as members of verdicts: what is held, what is waited for, and by whom.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "deadlock/verdict.hpp"
#include "io/text/shapes.hpp"
#include "topology/router_model.hpp"

namespace wormcast::io {

// Resources in records: objects that name them without this library's numbers.
//   {"channel":5} {"channel":5,"vc":1} {"injection":3} {"host_link":3}
//   {"consumption":3} (one queue a host) {"consumption":3,"channel":5} (one for each input)

/// A resource of the network under the record's router. Throws InputError where the object names none.
struct ResourceShape {
  static void read(const Value& object, ResourceId& to, const Scope& scope);
  static void write(ResourceId from, RecordLine& line, const Scope& scope);
  static ValueForm form();
};

/// The cause is a worm of the stream (multicast, worm, hop), legs of a planner (source, destination, perhaps
/// the next), or of tables a route (source, destination) or a group, whose name joins `verdict.groups` where
/// it is new. The scope of `verdict` is known. Throws InputError, also where a switch or port is not that of
/// the resources.
Dependency read_dependency(const Value& object, const Scope& scope, Verdict& verdict);
/// With the names of `verdict`'s groups; dependencies of its tables name the switch and its ports too.
void write_dependency(const Dependency& edge, const Verdict& verdict, RecordLine& line, const Scope& scope);
ValueForm dependency_form();
RowForms dependency_rows_form();

/// The worms of a witness, in the order of their starts.
struct Witness {
  static void read(const Value& array, std::vector<WitnessWorm>& witness, const Scope& scope);
  static void write(const std::vector<WitnessWorm>& witness, RecordLine& line, const Scope& scope);
  static ValueForm form();
};
RowForms witness_rows_form();

}  // namespace wormcast::io
