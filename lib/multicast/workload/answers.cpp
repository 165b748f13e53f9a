// Writes to many nodes whose answers come back one by one, as AXI's write responses do.
// cite: Fischer et al.: FlooNoC, a multi-Tb/s wide NoC for heterogeneous AXI4 traffic, 2023.
// SPDX-License-Identifier: MIT
#include "multicast/workload/merge.hpp"

#include <algorithm>
#include <string>

#include "multicast/reply_tracker.hpp"
#include "topology/error.hpp"

namespace wormcast {

AnsweredWorkload::AnsweredWorkload(WorkloadMerge::Source source, std::uint64_t flits)
    : source_(std::move(source)), flits_(flits) {
  if (flits_ == 0) throw InputError("--answers", "0 flits, at least 1");
}

namespace {

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

Request AnsweredWorkload::answer(const Request& asked, HostId from) {
  Request request;
  request.id = made_++;
  request.source = from;
  request.destinations = {asked.source};
  request.length_flits = flits_;
  request.start_cycle = asked.start_cycle;
  request.depends_on = {asked.id};
  request.workload = asked.workload;
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
