// Starts must not decrease in what an engine takes, and each run goes to its end.
// SPDX-License-Identifier: MIT
#include "proofs/runs.hpp"

#include <algorithm>

#include "topology/random.hpp"

namespace wormcast {
namespace {

constexpr std::uint64_t drawn_runs = 300;
constexpr std::size_t few_messages = 3;
constexpr Cycle most_apart = 12;  ///< cycles between starts one behind the other

JoinStarts starts_of(const std::vector<Routes>& messages) {
  JoinStarts starts;
  for (const Routes& routes : messages) {
    const Request& request = routes.plan.request;
    starts.push_back(request.reduces() ? request.start_cycles : std::vector{request.start_cycle});
  }
  return starts;
}

}  // namespace

std::optional<Summary> run_stream(const Topology& topology, const SimulationOptions& options,
                                  std::vector<Routes>& stream, std::uint64_t& left) {
  std::uint64_t flits = 0;
  for (const Routes& routes : stream) {
    const Request& request = routes.plan.request;
    const std::uint64_t parts = request.reduces() ? request.destinations.size() : 1;
    for (const WormRoute& worm : routes.worms)
      flits = std::min(
          flits + parts * std::min(worm.flits(request.length_flits, options.model.header_flits), left + 1),
          left + 1);
  }
  const bool fits = flits <= left;
  left = fits ? left - flits : 0;
  if (!fits) return std::nullopt;
  std::stable_sort(stream.begin(), stream.end(), [](const Routes& a, const Routes& b) {
    return a.plan.request.start_cycle < b.plan.request.start_cycle;
  });
  const auto engine = make_engine(topology, options);
  for (Routes taken : stream) engine->take(taken);
  engine->finish();
  return engine->summary();
}

bool JoinRuns::deadlocks(const std::vector<Routes>& messages, const JoinStarts& starts) {
  std::vector<Routes> stream = messages;
  std::map<std::uint64_t, Cycle> last;  // by id; nothing starts before what it depends on does
  for (std::size_t m = 0; m < stream.size(); ++m) {
    Request& request = stream[m].plan.request;
    std::vector<Cycle> own = starts[m];
    for (const std::uint64_t id : request.depends_on)
      for (Cycle& start : own) start = std::max(start, last[id]);
    last[request.id] = *std::max_element(own.begin(), own.end());
    request.start_cycle = *std::min_element(own.begin(), own.end());
    if (request.reduces()) request.start_cycles = std::move(own);
    for (WormRoute& worm : stream[m].worms)
      for (RouteHop& hop : worm.hops) hop.not_before_cycle = 0;
  }
  SimulationOptions options;
  options.model = model_;
  options.reductions = true;
  const std::optional<Summary> ran = run_stream(topology_, options, stream, left_);
  if (!ran) return false;
  const Summary& summary = *ran;
  ++runs_;
  const Cycle first = stream.front().plan.request.start_cycle;
  for (Routes& routes : stream) {
    routes.plan.request.start_cycle -= first;
    for (Cycle& start : routes.plan.request.start_cycles) start -= first;
  }
  const auto note = [&](Seen& seen, const std::vector<Summary::Ids>& sets) {
    for (const Summary::Ids& ids : sets)
      if (std::vector<MessageStart>& run = seen[ids]; run.empty())
        for (std::size_t m = 0; const std::vector<Cycle>& start : starts_of(stream))
          run.push_back({stream[m++].plan.request.id, start});
  };
  note(mixed, summary.mixed);
  note(interleaved, summary.interleaved);
  if (summary.outcome != Outcome::deadlock) {
    if (shown_.empty() && summary.mixed.size() + summary.interleaved.size() > 0) shown_ = std::move(stream);
    return false;
  }
  std::map<WormName, const StuckWorm*> stuck;
  for (const StuckWorm& worm : summary.deadlock->core) stuck[worm.name] = &worm;
  witness_.clear();
  for (const Routes& routes : stream)
    for (std::uint32_t w = 0; w < routes.worms.size(); ++w) {
      const Request& request = routes.plan.request;
      WitnessWorm& worm = witness_.emplace_back();
      worm.name = {request.id, w};
      worm.route = routes.worms[w];
      worm.length_flits = request.length_flits;
      worm.start_cycle = request.start_cycle;
      worm.start_cycles = request.start_cycles;
      const auto found = stuck.find({request.id, w});
      if (found == stuck.end()) continue;
      const auto as_hops = [&](const std::vector<ResourceId>& from, std::vector<std::int32_t>& to) {
        for (const ResourceId resource : from) to.push_back(hop_of(request, routes.worms[w], resource));
        sort_unique(to);
      };
      as_hops(found->second->holds, worm.holds);
      as_hops(found->second->waits, worm.waits);
    }
  replayed_ = std::move(stream);
  return true;
}

/// −1: the source, of a reduction its root.
std::int32_t JoinRuns::hop_of(const Request& request, const WormRoute& route, ResourceId resource) const {
  const Resource of = Resources(topology_, model_).describe(resource);
  const bool starts = of.kind == Resource::Kind::injection || of.kind == Resource::Kind::host_link;
  const auto found = std::find_if(route.hops.begin(), route.hops.end(), [&](const RouteHop& hop) {
    if (of.kind == Resource::Kind::network)
      return hop.is_channel() && ChannelId{hop.target} == of.channel && hop.vc == of.vc;
    return !hop.is_channel() && starts == request.reduces() && HostId{hop.target} == of.host;
  });
  return found == route.hops.end() ? -1 : static_cast<std::int32_t>(found - route.hops.begin());
}

/// Weak, as explore_joins().
[[gnu::weak]] bool JoinRuns::search(const std::vector<Routes>& messages,
                                    const std::vector<std::uint64_t>& mixture) {
  JoinStarts starts = starts_of(messages);
  if (messages.size() <= few_messages) {
    std::vector<Cycle> at(messages.size(), 0);
    for (bool more = true; more;) {
      for (std::size_t m = 0; m < at.size(); ++m) std::fill(starts[m].begin(), starts[m].end(), at[m]);
      if (std::find(at.begin(), at.end(), 0) != at.end() && deadlocks(messages, starts)) return true;
      if (mixed.count(mixture) != 0) return false;
      std::size_t m = 0;
      for (; m < at.size() && at[m]++ == most_apart; ++m) at[m] = 0;
      more = m < at.size();
    }
  }
  Random random(0);
  for (std::uint64_t run = 0; run < drawn_runs; ++run) {
    const Cycle within = Cycle{2} << run / (drawn_runs / 6);  // to 64 cycles
    for (std::vector<Cycle>& message : starts)
      for (Cycle& start : message) start = random.below(within);
    if (deadlocks(messages, starts)) return true;
    if (mixed.count(mixture) != 0) return false;
  }
  return false;
}

void JoinRuns::leave_out(const std::function<bool(const Request&)>& stays) {
  std::vector<Routes> kept = replayed_;
  for (std::size_t i = kept.size(); i-- > 0;) {
    const std::uint64_t id = kept[i].plan.request.id;
    const bool needed =
        stays(kept[i].plan.request) || std::any_of(kept.begin(), kept.end(), [&](const Routes& routes) {
          const std::vector<std::uint64_t>& before = routes.plan.request.depends_on;
          return std::find(before.begin(), before.end(), id) != before.end();
        });
    if (needed || kept.size() == 1) continue;
    std::vector<Routes> fewer = kept;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (deadlocks(fewer, starts_of(fewer))) kept = std::move(fewer);
  }
}

}  // namespace wormcast
