// Merges a workload into the multicasts of a stream.
// SPDX-License-Identifier: MIT
#include "multicast/workload/merge.hpp"

#include <memory>
#include <string>

#include "topology/error.hpp"

namespace wormcast {
namespace {

std::uint64_t doubled(const char* field, std::uint64_t id) {
  if (id > max_integer / 2)
    throw InputError(field, std::to_string(id) + " is above 2^52-1: merging doubles the ids of the stream");
  return 2 * id;
}

}  // namespace

WorkloadMerge::Source workload_source(const WorkloadSpec& spec, const Topology& topology) {
  return [workload = std::make_shared<Workload>(spec, topology)] { return workload->next(); };
}

WorkloadMerge::WorkloadMerge(const WorkloadSpec& spec, const Topology& topology)
    : WorkloadMerge(workload_source(spec, topology)) {
  sharded_ = spec.shard.has_value();
}

void WorkloadMerge::add(Request& request, const Emit& emit) {
  if (sharded_)
    throw InputError("--shard", "the stream has multicasts already, and every shard would have them");
  merging_ = true;
  while (own_ && own_->start_cycle < request.start_cycle) emit_own(emit);
  request.id = doubled("id", request.id);
  for (std::uint64_t& id : request.depends_on) id = doubled("depends_on", id);
  emit(request);
}

void WorkloadMerge::finish(const Emit& emit) {
  while (own_) emit_own(emit);
}

void WorkloadMerge::emit_own(const Emit& emit) {
  if (merging_) {
    own_->id = 2 * own_->id + 1;
    for (std::uint64_t& id : own_->depends_on) id = 2 * id + 1;
  }
  emit(*own_);
  own_ = source_();
}

}  // namespace wormcast
