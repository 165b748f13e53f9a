// Resources in records: objects that name them without this library's numbers.
//   {"channel":5} {"channel":5,"vc":1} {"injection":3} {"host_link":3}
//   {"consumption":3} (one queue a host) {"consumption":3,"channel":5} (one for each input)
// SPDX-License-Identifier: MIT
#pragma once

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "topology/resources.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

void write_resource_member(const Resource& resource, RecordLine& line);
/// Throws InputError where the object names no resource of the topology.
ResourceId read_resource_member(const Value& object, const Topology& topology, const Resources& resources);

}  // namespace wormcast::io
