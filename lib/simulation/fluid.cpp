// Processor sharing: between two arrivals nothing changes, so time jumps from arrival to arrival.
//
// A message that shares its most crowded link with u − 1 others proceeds at rate 1/u. Amounts are
// integers, one step being 720720 · 2²⁰ units (720720 is divisible by 1 … 16): a share of 1/u is exact
// for a small u, and rounding loses less than 10⁻¹¹ of a step at every arrival.
// Cost: O(hops under way · log) an arrival.
// cite: Song, Hou, Shi 1999 (section 6: "two messages can share a physical link" by virtual channels)
// SPDX-License-Identifier: MIT
#include "simulation/steps.hpp"

#include <algorithm>
#include <utility>

#include "multicast/measures.hpp"

namespace wormcast {
namespace {

constexpr std::uint64_t one_step = 720720ull << 20;

/// A message under way.
struct Flow {
  std::size_t worm = 0;
  std::uint64_t left = one_step;
  std::uint64_t sharers = 1;  ///< on its most crowded link, itself included
};

class FluidRun {
 public:
  explicit FluidRun(const Routes& routes)
      : routes_(routes), senders_(routes.worms), next_(senders_.count(), 0) {}

  std::uint64_t run() {
    arrive(0);
    std::uint64_t now = 0;
    while (!flows_.empty()) {
      share();
      std::uint64_t wait = UINT64_MAX;
      for (const Flow& flow : flows_) wait = std::min(wait, flow.left * flow.sharers);
      now += wait;
      finish(wait);
    }
    return (now + one_step / 2000) / (one_step / 1000);
  }

 private:
  void arrive(std::size_t arrival) {
    for (const std::size_t sender : senders_.readied_by(arrival)) send_next(sender);
  }

  void send_next(std::size_t sender) {
    const std::vector<std::size_t>& sends = senders_.sends(sender);
    if (next_[sender] < sends.size()) flows_.push_back({sends[next_[sender]++]});
  }

  void share() {
    users_.clear();
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      flows_[f].sharers = 1;
      for (const RouteHop& hop : routes_.worms[flows_[f].worm].hops)
        if (hop.is_channel()) users_.emplace_back(hop.target, f);
    }
    std::sort(users_.begin(), users_.end());
    users_.erase(std::unique(users_.begin(), users_.end()), users_.end());
    for (std::size_t first = 0; first < users_.size();) {
      std::size_t last = first;
      while (last < users_.size() && users_[last].first == users_[first].first) ++last;
      for (std::size_t u = first; u < last; ++u) {
        Flow& flow = flows_[users_[u].second];
        flow.sharers = std::max<std::uint64_t>(flow.sharers, last - first);
      }
      first = last;
    }
  }

  /// `wait` units later: what arrives by then frees its sender and informs its receiver.
  void finish(std::uint64_t wait) {
    arrived_.clear();
    for (Flow& flow : flows_) {
      // Rounding up keeps messages of equal share together: they arrive in the same instant.
      flow.left -= std::min(flow.left, (wait + flow.sharers - 1) / flow.sharers);
      if (flow.left == 0) arrived_.push_back(flow.worm);
    }
    std::erase_if(flows_, [](const Flow& flow) { return flow.left == 0; });
    for (const std::size_t worm : arrived_) {
      arrive(worm + 1);
      send_next(senders_.of(worm));
    }
  }

  const Routes& routes_;
  Senders senders_;
  std::vector<std::size_t> next_;  ///< worms sent so far, by sender
  std::vector<Flow> flows_;
  std::vector<std::pair<std::uint32_t, std::size_t>> users_;  ///< channel, flow
  std::vector<std::size_t> arrived_;
};

}  // namespace

std::uint64_t fluid_millisteps(const Routes& routes) { return FluidRun(routes).run(); }

}  // namespace wormcast
