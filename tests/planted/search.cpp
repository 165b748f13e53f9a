// The search for deadlocks with a fault, in place of the library's: $PLANTED says which. `blind`: no set of
// worms can be reached, in no order. `hasty`: whatever fits together is taken for reached. With both no run
// of reductions is found to stand still or to mix anything, and all runs are said to have been followed.
// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <map>
#include <string_view>

#include "deadlock/search/join_exploration.hpp"
#include "deadlock/search/search.hpp"
#include "proofs/runs.hpp"

namespace wormcast {

namespace {

bool hasty() {
  const char* planted = std::getenv("PLANTED");
  return planted != nullptr && std::string_view(planted) == "hasty";
}

}  // namespace

Exploration explore(const Topology&, const RouterModel&, const std::vector<ExploredWorm>&, std::uint64_t,
                    const std::function<void(std::uint64_t)>&) {
  Exploration nothing;
  nothing.exhausted = true;
  return nothing;
}

JoinExploration explore_joins(const Topology&, const RouterModel&, const std::vector<Routes>&, std::uint64_t,
                              const std::function<void(std::uint64_t)>&) {
  JoinExploration nothing;
  nothing.exhausted = true;
  return nothing;
}

bool JoinRuns::search(const std::vector<Routes>&, const std::vector<std::uint64_t>&) { return false; }

StartOrder find_start_order(std::vector<BlockedWorm>& set, const SearchedWorms& searched, const Resources&) {
  if (!hasty()) return StartOrder::impossible;
  std::map<std::uint32_t, std::size_t> copies;
  for (BlockedWorm& member : set) {
    const std::vector<WormRef>& worms = searched.route(member).worms;
    member.name = worms[copies[member.route]++ % worms.size()];
  }
  return StartOrder::possible;
}

}  // namespace wormcast
