// A stream read by the codecs of what a multicast becomes on its way, and written again.
// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "io/records/multicast_record.hpp"
#include "io/records/record_stream.hpp"
#include "io/records/topology_record.hpp"
#include "io/text/output.hpp"

namespace wormcast::io {

/// write(line, members) writes the next record: copied members are what would be written anew.
template <class Write>
void check_as_read(VerbatimMembers members, Write write) {
  RecordLine line;
  const std::string anew(write(line, VerbatimMembers()));
  if (write(line, members) != anew) throw std::logic_error("copied members differ: " + anew);
}
inline void check_as_read(const Request& request, VerbatimMembers members) {
  Plan plan;
  plan.request = request;
  check_as_read(members, [&](RecordLine& line, VerbatimMembers copied) {
    return write_plan_record(plan, line, copied);
  });
}
inline void check_as_read(const Plan& plan, VerbatimMembers members) {
  Routes routes;
  routes.plan = plan;
  check_as_read(members, [&](RecordLine& line, VerbatimMembers copied) {
    return write_routes_record(routes, line, copied);
  });
}

/// What reader and writer keep from one record to the next changes nothing: `read` by itself and written by
/// itself, the record is `written`, too.
template <class Read, class Write>
void check_alone(const Record& record, std::string_view written, Read read, Write write) {
  JsonText alone;
  alone.parse(record.line);
  RecordLine line;
  const auto made = read(alone.root());
  const std::string_view anew = write(made, line);
  if (anew != written) throw std::logic_error("by itself another record: " + std::string(anew));
}

/// `look(kind, topology, plan)` follows each record, with the last plan that was read.
template <class Look>
std::string copy_records(RecordStream& in, const Look& look) {
  RecordLine line;
  std::string out;
  Request request;
  Plan plan;
  Routes routes;
  in.for_each([&](const Record& record) {
    switch (record.kind) {
      case Kind::topology:
        out += write_topology_record(*in.topology(), line);
        break;
      case Kind::multicast:
        check_as_read(request, read_multicast_record(record.value, *in.topology(), request));
        out += write_multicast_record(request, line);
        break;
      case Kind::plan:
        check_as_read(plan, read_plan_record(record.value, in.route_check(), plan));
        out += write_plan_record(plan, line);
        check_alone(
            record, line.written(),
            [&](const Value& value) {
              Plan alone;
              RouteCheck check(*in.topology());
              read_plan_record(value, check, alone);
              return alone;
            },
            [](const Plan& alone, RecordLine& other) { return write_plan_record(alone, other); });
        break;
      case Kind::routes:
        read_routes_record(record.value, in.route_check(), routes);
        out += write_routes_record(routes, line);
        check_alone(
            record, line.written(),
            [&](const Value& value) {
              Routes alone;
              RouteCheck check(*in.topology());
              read_routes_record(value, check, alone);
              return alone;
            },
            [](const Routes& alone, RecordLine& other) { return write_routes_record(alone, other); });
        break;
      case Kind::end:
        out += end_line;
        break;
      default:
        refuse_kind(record, "topology, multicast, plan, routes and end");
    }
    look(record.kind, *in.topology(), plan);
  });
  return out;
}

}  // namespace wormcast::io
