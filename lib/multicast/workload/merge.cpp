// Merges a workload into the multicasts of a stream; answers, which come back one by one as AXI's write
// responses do. cite: Fischer et al.: FlooNoC, a multi-Tb/s wide NoC for heterogeneous AXI4 traffic, 2023.
// SPDX-License-Identifier: MIT
#include "multicast/workload/workload.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "multicast/reply_tracker.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

std::uint64_t doubled(const char* field, std::uint64_t id) {
  if (id > max_integer / 2) refuse(field, "{} is above 2^52-1: merging doubles the ids of the stream", id);
  return 2 * id;
}

void state(SharedValues& workload, std::string_view name, std::string value) {
  NamedValues values = workload.values();
  const auto stated =
      std::find_if(values.begin(), values.end(), [&](const auto& entry) { return entry.first == name; });
  if (stated == values.end())
    values.emplace_back(name, std::move(value));
  else
    stated->second = std::move(value);
  workload = SharedValues(std::move(values));
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

AnsweredWorkload::AnsweredWorkload(WorkloadMerge::Source source, std::uint64_t flits)
    : source_(std::move(source)), flits_(flits) {
  if (flits_ == 0) throw InputError("--answers", "0 flits, at least 1");
}

Request AnsweredWorkload::answer(const Request& asked, HostId from) {
  Request request{.id = made_++,
                  .source = from,
                  .destinations = {asked.source},
                  .length_flits = flits_,
                  .start_cycle = asked.start_cycle,
                  .depends_on = {asked.id},
                  .workload = asked.workload};
  request.workload.add(std::string(workload_answer), "true");
  return request;
}

std::optional<Request> AnsweredWorkload::next() {
  if (!waiting_.empty()) {
    Request next = std::move(waiting_.front());
    waiting_.pop_front();
    return next;
  }
  std::optional<Request> asked = source_();
  if (!asked) return std::nullopt;
  ids_.push_back(made_);
  asked->id = made_++;
  for (std::uint64_t& id : asked->depends_on) id = ids_[id];
  const bool has_answers = is_answered(*asked);
  state(asked->workload, workload_answers, std::to_string(flits_));
  if (is_answer(*asked)) {
    asked->length_flits = flits_;
    awaited_[asked->destinations.front().value].push_back(asked->id);
    return asked;
  }
  std::vector<std::uint64_t>& awaited = awaited_[asked->source.value];
  asked->depends_on.insert(asked->depends_on.end(), awaited.begin(), awaited.end());
  std::sort(asked->depends_on.begin(), asked->depends_on.end());
  awaited.clear();
  if (has_answers) return asked;
  for (const HostId from : asked->destinations) {
    if (from == asked->source) continue;
    awaited.push_back(made_);
    waiting_.push_back(answer(*asked, from));
  }
  return asked;
}

}  // namespace wormcast
