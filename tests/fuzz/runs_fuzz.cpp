// Fuzz target of the engines and the checker: routes that are accepted are simulated by both engines,
// which must agree, and judged; what deadlocks in a simulation must not have been proved safe.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "deadlock/checker/checker.hpp"
#include "fuzz/segments.hpp"
#include "simulation/engine.hpp"
#include "topology/error.hpp"

using namespace wormcast;

namespace {

// What the flit engine can simulate in a moment.
constexpr std::uint64_t most_flits = 64;
constexpr std::uint64_t latest_start = 4096;

std::vector<Segment> read(const std::string& stream) {
  return read_segments<Segment>(stream, [](const io::Record& record, const Segment& segment) {
    if (record.kind == io::Kind::end) return;
    if (record.kind != io::Kind::routes) io::refuse_kind(record, "routes records");
    const Request& request = segment.routes.back().plan.request;
    if (request.length_flits > most_flits || request.start_cycle > latest_start) throw TooLarge{};
  });
}

/// The end of a run in numbers, or nothing where the routes are refused.
using Result =
    std::tuple<Outcome, std::uint64_t, std::uint64_t, std::uint64_t, Cycle, Cycle, Cycle, std::uint64_t>;

std::optional<Result> simulate(std::unique_ptr<Engine> engine, const std::vector<Routes>& routes) {
  try {
    for (const Routes& one : routes) {
      engine->push(one);
      engine->advance();
    }
    engine->finish();
  } catch (const InputError&) {
    return std::nullopt;
  }
  while (engine->poll()) {
  }
  const Summary s = engine->summary();
  return Result{s.outcome,    s.delivered_destinations, s.finished_worms, s.flit_hops,
                s.last_cycle, s.latency_cycles_sum,     s.blocked_cycles, s.contention};
}

void judge(const Segment& segment, const RouterModel& model, bool deadlocked) {
  CheckOptions options;
  options.model = model;
  options.limits.partial_sets = 2000;
  options.limits.states = 2000;
  DeadlockChecker checker(*segment.topology, options);
  try {
    for (const Routes& one : segment.routes) checker.add(one);
  } catch (const InputError&) {
    return;
  }
  const Answer answer = checker.verdict().answer();
  if (deadlocked && (answer == Answer::safe || answer == Answer::safe_unreachable)) std::abort();
}

void run(const Segment& segment, std::uint32_t buffer_flits, bool path_reservation) {
  SimulationOptions options;
  options.model.buffer_flits = buffer_flits;
  options.model.path_reservation = path_reservation;
  const auto by_flits = simulate(make_flit_engine(*segment.topology, options), segment.routes);
  if (engine_lack("worm", *segment.topology, options) == nullptr) {
    const auto by_worms = simulate(make_worm_engine(*segment.topology, options), segment.routes);
    if (by_flits != by_worms) std::abort();
  }
  if (simulate(make_link_engine(*segment.topology, options), segment.routes) != by_flits) std::abort();
  options.model.shared_links = true;
  if (simulate(make_engine(*segment.topology, options), segment.routes) !=
      simulate(make_flit_engine(*segment.topology, options), segment.routes))
    std::abort();
  options.model.shared_links = false;
  if (by_flits) judge(segment, options.model, std::get<0>(*by_flits) == Outcome::deadlock);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    for (const Segment& segment : read(std::string(reinterpret_cast<const char*>(data), size)))
      for (const bool path_reservation : {false, true})
        run(segment, 1 + static_cast<std::uint32_t>(size % 4), path_reservation);
  } catch (const InputError&) {
    // A refusal is an answer.
  } catch (const TooLarge&) {
  }
  return 0;
}
