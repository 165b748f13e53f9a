// Resources in records: objects that name them without this library's numbers.
//   {"channel":5} {"channel":5,"vc":1} {"injection":3} {"host_link":3}
//   {"consumption":3} (one queue a host) {"consumption":3,"channel":5} (one for each input)
// SPDX-License-Identifier: MIT
#pragma once

#include "io/text/shapes.hpp"
#include "topology/resources.hpp"

namespace wormcast::io {

/// A resource of the network under the record's router. Throws InputError where the object names none.
struct ResourceShape {
  static void read(const Value& object, ResourceId& to, const Scope& scope);
  static void write(ResourceId from, RecordLine& line, const Scope& scope);
  static ValueForm form();
};

}  // namespace wormcast::io
