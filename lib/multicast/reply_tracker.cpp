// Answers are found by the multicast that they depend on; each node gives one. Cost: O(log) a destination.
// SPDX-License-Identifier: MIT
#include "multicast/reply_tracker.hpp"

#include <algorithm>

#include "topology/refuse.hpp"

namespace wormcast {

namespace {

bool says(const Request& request, std::string_view name, std::string_view value) {
  return std::any_of(request.workload.begin(), request.workload.end(), [&](const auto& entry) {
    return entry.first == name && (value.empty() || entry.second == value);
  });
}

}  // namespace

bool is_answered(const Request& request) {
  return !is_answer(request) && says(request, workload_answers, "");
}
bool is_answer(const Request& request) { return says(request, workload_answer, "true"); }

std::optional<Answered> ReplyTracker::add(const Request& request, const std::vector<WormRoute>& worms) {
  if (is_answered(request)) {
    Open open;
    if (!says(request, workload_answers, answers_anywhere)) open.source = request.source;
    for (std::uint32_t w = 0; w < worms.size(); ++w)
      for (const RouteHop& hop : worms[w].hops) {
        if (hop.kind != RouteHop::Kind::deliver || hop.target == request.source.value) continue;
        Awaited& awaited = open.by[HostId{hop.target}];
        awaited.worm = w;
        if (hop.parent < 0) continue;
        const RouteHop& input = worms[w].hops[static_cast<std::size_t>(hop.parent)];
        awaited.port = {ChannelId{input.target}, input.vc};
      }
    if (!open.by.empty()) open_[request.id] = std::move(open);
    return std::nullopt;
  }
  if (!is_answer(request)) return std::nullopt;
  if (request.depends_on.size() != 1)
    throw InputError("depends_on", "an answer depends on the multicast that it answers, and on nothing else");
  const std::uint64_t id = request.depends_on.front();
  const auto asked = open_.find(id);
  const auto awaited =
      asked == open_.end() ? decltype(asked->second.by.begin())() : asked->second.by.find(request.source);
  if (asked == open_.end() || awaited == asked->second.by.end())
    refuse("depends_on[0]", "multicast {} awaits no answer of node {}", id, request.source.value);
  if (const auto& source = asked->second.source; source && request.destinations != std::vector{*source})
    refuse("destinations", "an answer to multicast {} goes to its source, node {}", id, source->value);
  Answered result{id, awaited->second.worm, 0, awaited->second.port};
  const auto starts = [](const WormRoute& worm) { return worm.after < 0; };
  if (std::count_if(worms.begin(), worms.end(), starts) != 1)
    throw InputError("worms", "an answer leaves its source in one worm");
  result.starter =
      static_cast<std::uint32_t>(std::find_if(worms.begin(), worms.end(), starts) - worms.begin());
  asked->second.by.erase(awaited);
  if (asked->second.by.empty()) open_.erase(asked);
  return result;
}

void ReplyTracker::refuse_unanswered() const {
  if (open_.empty()) return;
  const auto& [id, open] = *open_.begin();
  refuse("workload.answers", "multicast {} is never answered by node {}", id, open.by.begin()->first.value);
}

}  // namespace wormcast
