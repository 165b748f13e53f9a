// Which engine simulates a network: the first of this table that is exact there.
// SPDX-License-Identifier: MIT
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/engine.hpp"
#include "simulation/engines/engine_core.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

/// An engine that moves worms by `motion` and is exact where `lack` gives nullptr: it gives the answers of
/// the flit engine, which are right by definition. Otherwise `lack` says what it cannot follow.
struct ExactEngine {
  std::string_view name;
  MakeEngine make;
  MakeMotion motion;
  const char* (*lack)(const Topology& topology, const RouterModel& model);
};

/// Of engines whose worms take the virtual channels that their routes state.
const char* lack(const Topology& /*topology*/, const RouterModel& model) {
  return model.vc_allocation == VcAllocation::islip ? "routers allocate virtual channels" : nullptr;
}

const char* worm_lack(const Topology& topology, const RouterModel& model) {
  if (const char* why = lack(topology, model)) return why;
  if (model.copies == Copies::per_flit) return "copies are made flit by flit";
  if (model.vc_reuse == VcReuse::early) return "virtual channels are used again early";
  if (!topology.uniform_hop_cycles()) return "links have hop cycles of their own";
  if (model.shared_links && topology.spec().virtual_channels != 1) return "virtual channels share links";
  return nullptr;
}

/// The fastest first.
constexpr ExactEngine kEngines[] = {{"worm", make_worm_engine, make_worm_motion, worm_lack},
                                    {"link", make_link_engine, make_link_motion, lack},
                                    {"flit", make_flit_engine, make_flit_motion, lack}};

std::unique_ptr<Engine> make(const ExactEngine& engine, const Topology& topology,
                             const SimulationOptions& options) {
  if (const char* why = engine.lack(topology, options.model))
    throw InputError("--engine", "the " + std::string(engine.name) + " engine is not exact where " + why);
  return std::make_unique<EngineCore>(topology, options, engine.motion);
}

}  // namespace

const char* worm_engine_lack(const Topology& topology, const RouterModel& model) {
  return worm_lack(topology, model);
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
  for (const ExactEngine& engine : kEngines)
    if (engine.name == name) return engine.make;
  return nullptr;
}

std::unique_ptr<Engine> make_engine(const Topology& topology, const SimulationOptions& options) {
  for (const ExactEngine& engine : kEngines)
    if (engine.lack(topology, options.model) == nullptr) return make(engine, topology, options);
  return make_allocating_engine(topology, options);
}

}  // namespace wormcast
