// Which engine simulates a network: the worm engine wherever it is exact, else the copy engine or the link
// engine where that is, else the flit engine; and where it depends on what worms use, the first until the
// second is needed.
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

struct NamedEngine {
  std::string_view name;
  MakeEngine make;
};
constexpr NamedEngine kEngines[] = {{"auto", make_engine},      {"worm", make_worm_engine},
                                    {"copy", make_copy_engine}, {"link", make_link_engine},
                                    {"flit", make_flit_engine}, {"join", make_join_engine}};

bool vcs_may_share_links(const Topology& topology, const RouterModel& model) {
  return model.shared_links && topology.spec().virtual_channels != 1;
}

/// What the worm engine lacks whatever worms use, or nullptr.
const char* lack_of_any_worm(const Topology& topology, const RouterModel& model) {
  if (model.copies == Copies::per_flit) return "copies are made flit by flit";
  if (model.vc_reuse == VcReuse::early) return "virtual channels are used again early";
  return topology.uniform_hop_cycles() ? nullptr : "links have hop cycles of their own";
}

}  // namespace

const char* worm_engine_lack(const Topology& topology, const RouterModel& model) {
  if (const char* lack = lack_of_any_worm(topology, model)) return lack;
  return vcs_may_share_links(topology, model) ? "virtual channels share links" : nullptr;
}

bool worm_engine_is_exact(const Topology& topology, const RouterModel& model) {
  return worm_engine_lack(topology, model) == nullptr;
}

namespace {

/// Engines whose worms take the virtual channels that their routes state.
void refuse_allocation(const RouterModel& model, const char* name) {
  if (model.vc_allocation != VcAllocation::as_routed)
    throw InputError("--engine",
                     std::string("the ") + name +
                         " engine knows no routers that allocate virtual channels (--vc-allocation); "
                         "the allocating engine does");
}

}  // namespace

/// The flit engine joins as ideal routers do, which take one worm after the other.
void check_joins(const RouterModel& model) {
  if (model.copies == Copies::per_flit)
    throw InputError("--engine", "the flit engine knows no joins flit by flit; the join engine does");
  if (model.copies != Copies::as_planned || model.allocation != Allocation::incremental ||
      model.path_reservation || model.output_arbitration != OutputArbitration::first_come ||
      model.consumption_release != ConsumptionRelease::arrived)
    throw InputError(
        "--engine",
        "reductions are joined by routers with --replication as-planned or per-flit, --allocation "
        "incremental, --output-arbitration first-come and --consumption-release arrived alone");
}

std::unique_ptr<Engine> make_flit_engine(const Topology& topology, const SimulationOptions& options) {
  refuse_allocation(options.model, "flit");
  if (options.reductions) check_joins(options.model);
  return std::make_unique<EngineCore>(topology, options, make_flit_motion);
}

std::unique_ptr<Engine> make_worm_engine(const Topology& topology, const SimulationOptions& options) {
  refuse_allocation(options.model, "worm");
  if (!worm_engine_is_exact(topology, options.model))
    throw InputError(
        "--engine",
        "the worm engine cannot follow links shared by virtual channels, early reuse, copies made flit by "
        "flit or links with hop cycles of their own");
  return std::make_unique<EngineCore>(topology, options, make_worm_motion);
}

bool link_engine_is_exact(const RouterModel& model) {
  return model.copies == Copies::as_planned && model.vc_reuse != VcReuse::early;
}

std::unique_ptr<Engine> make_link_engine(const Topology& topology, const SimulationOptions& options) {
  refuse_allocation(options.model, "link");
  if (!link_engine_is_exact(options.model))
    throw InputError("--engine", "the link engine cannot follow early reuse or copies made flit by flit");
  return std::make_unique<EngineCore>(topology, options, make_link_motion);
}

const char* copy_engine_lack(const Topology& topology, const RouterModel& model) {
  if (model.copies != Copies::per_flit) return "copies are not made flit by flit";
  if (grants_need_slots(model)) return "headers wait for slots";
  return vcs_may_share_links(topology, model) ? "virtual channels share links" : nullptr;
}

std::unique_ptr<Engine> make_copy_engine(const Topology& topology, const SimulationOptions& options) {
  if (copy_engine_lack(topology, options.model) != nullptr)
    throw InputError("--engine",
                     "the copy engine follows copies made flit by flit only, no links shared by virtual "
                     "channels, and no headers that wait for slots");
  return std::make_unique<EngineCore>(topology, options, make_copy_motion);
}

std::vector<std::string_view> engine_names() {
  std::vector<std::string_view> names;
  for (const NamedEngine& engine : kEngines) names.push_back(engine.name);
  return names;
}

MakeEngine engine_named(std::string_view name) {
  for (const NamedEngine& engine : kEngines)
    if (engine.name == name) return engine.make;
  return nullptr;
}

std::unique_ptr<Engine> make_engine(const Topology& topology, const SimulationOptions& options) {
  const RouterModel& model = options.model;
  if (options.reductions)
    return model.copies == Copies::per_flit ? make_join_engine(topology, options)
                                            : make_flit_engine(topology, options);
  if (model.vc_allocation == VcAllocation::islip) return make_allocating_engine(topology, options);
  // An observer is told of tails and releases as soon as they are known; they must not be taken back, nor
  // what answers have let go of by them.
  const bool may_hand_over = lack_of_any_worm(topology, model) == nullptr && options.observer == nullptr &&
                             model.consumption_release == ConsumptionRelease::arrived;
  if (worm_engine_is_exact(topology, model) || may_hand_over)
    return std::make_unique<EngineCore>(topology, options, make_worm_motion);
  if (copy_engine_lack(topology, model) == nullptr) return make_copy_engine(topology, options);
  return link_engine_is_exact(model) ? make_link_engine(topology, options)
                                     : make_flit_engine(topology, options);
}

}  // namespace wormcast
