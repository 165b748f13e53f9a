// Which engine simulates a network: the first of this table that is exact there; where that depends on what
// worms use, the worm engine until another one is needed (hand_over.cpp).
// SPDX-License-Identifier: MIT

#include "simulation/engines/engine_core.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// An engine that moves worms by `motion` and is exact where `lack` gives nullptr: it gives the answers of
/// the flit engine. Otherwise `lack` says what it cannot follow.
struct ExactEngine {
  std::string_view name;
  MakeEngine make;
  MakeMotion motion;
  const char* (*lack)(const Topology& topology, const SimulationOptions& options);
};

/// Of engines whose worms take the virtual channels that their routes state.
const char* lack(const Topology& topology, const SimulationOptions& options) {
  const RouterModel& model = options.model;
  if (model.discipline().copies_serially() && !topology.alike(LinkValue::buffer_flits))
    return "copies are made one after the other, into buffers that differ";
  if (allocates(model, topology)) return "routers allocate virtual channels";
  return options.reductions ? join_lack(options.model) : nullptr;
}

/// Of the worm engine, whatever worms use.
const char* lack_of_any_worm(const Topology& topology, const SimulationOptions& options) {
  const Discipline& discipline = options.model.discipline();
  if (const char* why = lack(topology, options)) return why;
  if (discipline.copies_serially()) return "copies are made one after the other";
  if (grants_need_slots(options.model)) return "headers wait for slots";
  if (discipline.copies_flit_by_flit()) return "copies are made flit by flit";
  if (options.model.reuses_early()) return "virtual channels are used again early";
  return topology.links_alike() ? nullptr : "links differ";
}

const char* worm_lack(const Topology& topology, const SimulationOptions& options) {
  if (const char* why = lack_of_any_worm(topology, options)) return why;
  return vcs_share_links(options.model, topology) ? "virtual channels share links" : nullptr;
}

/// The fastest first.
constexpr ExactEngine kEngines[] = {{"worm", make_worm_engine, make_worm_motion, worm_lack},
                                    {"link", make_link_engine, make_link_motion, lack},
                                    {"flit", make_flit_engine, make_flit_motion, lack}};

std::unique_ptr<Engine> make(const ExactEngine& engine, const Topology& topology,
                             const SimulationOptions& options) {
  if (const char* why = engine.lack(topology, options))
    refuse("--engine", "the {} engine is not exact where {}", engine.name, why);
  return std::make_unique<EngineCore>(topology, options, engine.motion);
}

}  // namespace

const char* join_lack(const RouterModel& model) {
  if (joins_by_flit(model)) return "parts of reductions are joined flit by flit (--engine join)";
  return joins_by_request(model)
             ? nullptr
             : "parts of reductions meet serial copies, another --allocation or --output-arbitration, path "
               "reservation, headers that wait for slots or nodes that answer";
}

const char* engine_lack(std::string_view name, const Topology& topology, const SimulationOptions& options) {
  for (const ExactEngine& engine : kEngines)
    if (engine.name == name) return engine.lack(topology, options);
  return nullptr;
}

std::unique_ptr<Engine> make_worm_engine(const Topology& topology, const SimulationOptions& options) {
  return make(kEngines[0], topology, options);
}

std::unique_ptr<Engine> make_link_engine(const Topology& topology, const SimulationOptions& options) {
  return make(kEngines[1], topology, options);
}

std::unique_ptr<Engine> make_flit_engine(const Topology& topology, const SimulationOptions& options) {
  return make(kEngines[2], topology, options);
}

std::vector<std::string_view> engine_names() {
  std::vector<std::string_view> names = {"auto"};
  for (const ExactEngine& engine : kEngines) names.push_back(engine.name);
  return names;
}

MakeEngine engine_named(std::string_view name) {
  if (name == "auto") return make_engine;
  if (name == "join") return make_join_engine;
  for (const ExactEngine& engine : kEngines)
    if (engine.name == name) return engine.make;
  return nullptr;
}

std::unique_ptr<Engine> make_engine(const Topology& topology, const SimulationOptions& options) {
  if (options.reductions && joins_by_flit(options.model)) return make_join_engine(topology, options);
  if (options.reductions && join_lack(options.model) != nullptr) return make_flit_engine(topology, options);
  // An observer is told of tails and releases as soon as they are known; they must not be taken back, nor
  // what answers have released by them.
  const bool hands_over = options.observer == nullptr && !options.model.answered() &&
                          lack_of_any_worm(topology, options) == nullptr;
  if (hands_over) return std::make_unique<EngineCore>(topology, options, make_worm_motion);
  for (const ExactEngine& engine : kEngines)
    if (engine.lack(topology, options) == nullptr) return make(engine, topology, options);
  return make_allocating_engine(topology, options);
}

void refuse_unsimulated(const Topology& topology, const RouterModel& model) {
  if (model.cut_through && allocates(model, topology))
    refuse("--cut-through", "is not for routers that allocate virtual channels");
  SimulationOptions options;
  options.model = model;
  options.model.cut_through = false;  // how long worms are; the simulator runs them all the same
  if (lack(topology, options) != nullptr) make_allocating_engine(topology, options);
}

}  // namespace wormcast
