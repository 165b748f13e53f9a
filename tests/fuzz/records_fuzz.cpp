// Fuzz target of the record reader: any bytes are a stream. What is accepted must be written and
// read again to the same bytes, and plans that are accepted must expand or be refused.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "fuzz/memory_file.hpp"
#include "io/multicast_record.hpp"
#include "io/output.hpp"
#include "io/record_stream.hpp"
#include "io/topology_record.hpp"
#include "multicast/expand.hpp"
#include "topology/error.hpp"

using namespace wormcast;
using namespace wormcast::io;

namespace {

/// Networks larger than this are built by no fuzz run: size is tested elsewhere.
constexpr std::uint32_t most_channels = 1u << 16;

struct TooLarge {};

void expand_or_refuse(const Plan& plan, const Topology& topology) {
  try {
    const auto routing = bind_routing(plan.routing, topology);
    expand(plan, *routing);
  } catch (const InputError&) {
    // A refusal is an answer.
  }
}

/// The stream read by every codec and written again.
std::string copy(const std::string& stream) {
  const MemoryFile file(stream);
  RecordStream in({file.path()});
  RecordLine line;
  std::string out;
  Request request;
  Plan plan;
  Routes routes;
  in.for_each([&](const Record& record) {
    if (in.topology()->channel_bound() > most_channels) throw TooLarge{};
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
        expand_or_refuse(plan, *in.topology());
        out += write_plan_record(plan, line);
        break;
      case Kind::routes:
        read_routes_record(record.value, *in.topology(), routes);
        out += write_routes_record(routes, line);
        break;
      case Kind::end:
        out += end_line;
        break;
      default:
        refuse_kind(record, "the kinds that this target covers");
    }
  });
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string once = copy(std::string(reinterpret_cast<const char*>(data), size));
    if (copy(once) != once) std::abort();
  } catch (const InputError&) {
  } catch (const TooLarge&) {
  }
  return 0;
}
