// A stream read by the codecs of what a multicast becomes on its way, and written again.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "io/records/multicast_record.hpp"
#include "io/records/record_stream.hpp"
#include "io/records/topology_record.hpp"
#include "io/text/output.hpp"

namespace wormcast::io {

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
        read_multicast_record(record.value, *in.topology(), request);
        out += write_multicast_record(request, line);
        break;
      case Kind::plan:
        read_plan_record(record.value, *in.topology(), plan);
        out += write_plan_record(plan, line);
        break;
      case Kind::routes:
        read_routes_record(record.value, in.route_check(), routes);
        out += write_routes_record(routes, line);
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
