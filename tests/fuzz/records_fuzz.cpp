// Fuzz target of the record reader: any bytes are a stream. What is accepted must be written and
// read again to the same bytes, and plans that are accepted must expand or be refused, and be verified.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "fuzz/memory_file.hpp"
#include "multicast/expansion/expand.hpp"
#include "multicast/verification/verify.hpp"
#include "topology/error.hpp"
#include "unit/io/copy_records.hpp"

using namespace wormcast;
using namespace wormcast::io;

namespace {

/// Networks larger than this are built by no fuzz run: size is tested elsewhere.
constexpr std::uint32_t most_channels = 1u << 16;

/// Bounds and fronts are looked for in small networks only.
constexpr std::uint32_t most_verified_channels = 1u << 9;

struct TooLarge {};

void expand_or_refuse(const Plan& plan, const Topology& topology) {
  try {
    const auto routing = bind_routing(plan.routing, topology);
    expand(plan, *routing);
  } catch (const InputError&) {
    // A refusal is an answer.
  }
}

/// What a plan states is checked, its certificate and front too.
void verify_or_refuse(const Plan& plan, const Topology& topology) {
  if (topology.channel_bound() > most_verified_channels) return;
  try {
    PlanVerifier(topology).check(plan);
  } catch (const InputError&) {
  }
}

/// The stream read by every codec and written again.
std::string copy(const std::string& stream) {
  const MemoryFile file(stream);
  RecordStream in({file.path()});
  return copy_records(in, [](Kind kind, const Topology& topology, const Plan& plan) {
    if (topology.channel_bound() > most_channels) throw TooLarge{};
    if (kind != Kind::plan) return;
    expand_or_refuse(plan, topology);
    verify_or_refuse(plan, topology);
  });
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
