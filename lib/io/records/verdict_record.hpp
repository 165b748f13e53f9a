// Codec of verdict records: what check-deadlock answers, under which model, and the evidence; with the
// members that it shares with summaries.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "deadlock/verdict.hpp"
#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "io/text/shapes.hpp"
#include "router/router_model.hpp"
#include "router/router_parameters.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

std::string_view write_verdict_record(const Verdict& verdict, const Topology& topology, RecordLine& line);

/// Fills `verdict` (its old contents go) from a verdict record; throws InputError. The worms of a
/// witness come without their routes, which only a witness stream has.
void read_verdict_record(const Value& record, const Topology& topology, Verdict& verdict);

// Resources in records: objects that name them without this library's numbers.
//   {"channel":5} {"channel":5,"vc":1} {"injection":3} {"host_link":3}
//   {"consumption":3} (one queue a host) {"consumption":3,"channel":5} (one for each input)

/// A resource of the network under the record's router. Throws InputError where the object names none.
struct ResourceShape {
  static void read(const Value& object, ResourceId& to, const Scope& scope);
  static void write(ResourceId from, RecordLine& line, const Scope& scope);
  static std::string form();
};

/// The cause is a worm of the stream (multicast, worm, hop), legs of a planner (source, destination, perhaps
/// the next), or of tables a route (source, destination) or a group, whose name joins `verdict.tables.groups`
/// where it is new. The scope of `verdict` is known. Throws InputError, also where a switch or port is not
/// that of the resources.
Dependency read_dependency(const Value& object, const Scope& scope, Verdict& verdict);
/// With the names of `verdict`'s groups; dependencies of its tables name the switch and its ports too.
void write_dependency(const Dependency& edge, const Verdict& verdict, RecordLine& line, const Scope& scope);
std::string dependency_form();

/// The worms of a witness, in the order of their starts.
struct Witness {
  static void read(const Value& array, std::vector<WitnessWorm>& witness, const Scope& scope);
  static void write(const std::vector<WitnessWorm>& witness, RecordLine& line, const Scope& scope);
  static std::string form();
};

std::uint64_t read_router_parameter(const Value& value, const RouterParameter& parameter);
void write_router_parameter(const RouterModel& model, const RouterParameter& parameter, RecordLine& line);
std::string router_parameter_form(const RouterParameter& parameter);

template <std::size_t at>
struct RouterMember {
  static constexpr const RouterParameter& parameter = router_parameters[at];
  static void read(const Value& value, RouterModel& to, const Scope&) {
    parameter.set(to, read_router_parameter(value, parameter));
  }
  static void write(const RouterModel& from, RecordLine& line, const Scope&) {
    write_router_parameter(from, parameter, line);
  }
  static void clear(RouterModel& of) { parameter.set(of, parameter.get(RouterModel{})); }
  static std::string form() { return router_parameter_form(parameter); }
};
/// A row for each of router_parameters.
inline constexpr auto router_rows = with_indices<router_parameters.size()>([](auto... i) {
  const auto row_of = [](auto at) {
    const RouterParameter& parameter = router_parameters[at];
    const auto field = row<Self<RouterModel>, RouterMember<at>>(parameter.key, parameter.meaning);
    return parameter.stated == nullptr ? field : field.only_if(parameter.stated);
  };
  return std::array{row_of(i)...};
});

}  // namespace wormcast::io
