// What one engine took is given to the next: all are exact, so its deliveries are the same.
// SPDX-License-Identifier: MIT
#include "simulation/segment_engine.hpp"

#include <utility>

#include "router/discipline.hpp"
#include "topology/error.hpp"
#include "topology/name_table.hpp"

namespace wormcast {

SegmentEngine::SegmentEngine(const Topology& topology, const SimulationOptions& options, std::string wanted)
    : topology_(topology), options_(options), wanted_(std::move(wanted)) {
  options_.reductions = false;
  open();
  may_give_way_ = options_.model.discipline().copies_flit_by_flit() && options_.observer == nullptr;
}

void SegmentEngine::open() {
  const MakeEngine make = engine_named(wanted_);
  if (make == nullptr) {
    std::vector<std::string_view> names = engine_names();
    names.insert(names.end(), {"join", "steps"});
    throw InputError("--engine", unknown_name_message("engine", wanted_, names));
  }
  engine_ = make(topology_, options_);
}

void SegmentEngine::open_anew() {
  options_.reductions = true;
  open();
  for (Routes& routes : kept_) {
    engine_->take(routes);
    engine_->advance();
  }
  kept_.clear();
  again_ = std::exchange(polled_, 0);
}

void SegmentEngine::take(Routes& routes) {
  constexpr std::size_t most_kept = 10'000;
  if (!options_.reductions && routes.plan.request.reduces()) {
    if (kept_all_) open_anew();
  } else if (!options_.reductions && kept_all_) {
    kept_all_ = may_give_way_ && kept_.size() < most_kept;
    if (kept_all_)
      kept_.push_back(routes);
    else
      kept_ = {};
  }
  engine_->take(routes);
  engine_->advance();
}

const Delivery* SegmentEngine::poll() {
  for (; const Delivery* delivery = engine_->poll();)
    if (polled_++ >= again_) return delivery;
  return nullptr;
}

}  // namespace wormcast
