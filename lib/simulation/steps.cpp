// Step by step: the messages that are due, in the order of their priority, each let through unless it
// needs a link of one let through before it.
//
// A node sends one message a step. A message that is blocked tries again in the next step; what its
// receiver has to send is due one, two, … steps after it got through.
// Cost: O(worms + hops of the messages due · log) a step. cite: Song, Hou, Shi 1999 (section 6); Robinson,
// McKinley, Cheng 1995 (the same study for tori).
// SPDX-License-Identifier: MIT
#include "simulation/steps.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "multicast/measures.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

constexpr std::uint64_t no_step = UINT64_MAX;

using Users = std::vector<std::pair<std::uint32_t, std::size_t>>;  ///< channel, message

/// Sorts them, each once, and calls visit(begin, end) with those of each channel.
template <class Visit>
void for_each_channel(Users& users, Visit visit) {
  sort_unique(users);
  for (auto first = users.begin(), last = first; first != users.end(); first = last) {
    while (last != users.end() && last->first == first->first) ++last;
    visit(first, last);
  }
}

class StepSimulation {
 public:
  StepSimulation(const Routes& routes, const StepModel& model)
      : routes_(routes), model_(model), worms_(routes.worms.size()), senders_(routes.worms) {
    next_.resize(senders_.count(), 0);
    due_.resize(worms_, no_step);
    done_.resize(worms_, no_step);
    std::vector<Worm> tree(worms_);
    for (std::size_t w = 0; w < worms_; ++w) {
      tree[w].source = routes.worms[w].source;
      tree[w].after = routes.worms[w].after;
    }
    sends_ = schedule(tree);
    rank_ = ranks(tree);
  }

  StepRun run() {
    if (model_.reading == StepReading::nominal)
      for (std::size_t w = 0; w < worms_; ++w) due_[w] = sends_[w].step;
    else
      arrive(0, 0);
    std::size_t unsent = worms_;
    for (std::uint64_t step = 1; unsent > 0; ++step) {
      collect(step);
      if (candidates_.empty()) continue;
      admit();
      for (std::size_t c = 0; c < candidates_.size(); ++c) {
        if (!admitted_[c] && model_.reading != StepReading::nominal) continue;
        const std::size_t w = candidates_[c];
        done_[w] = step;
        --unsent;
        ++next_[senders_.of(w)];
        if (model_.reading != StepReading::nominal) arrive(w + 1, step);
      }
    }
    measure();
    return std::move(result_);
  }

 private:
  /// Position of every worm in the order of priority.
  std::vector<std::size_t> ranks(const std::vector<Worm>& tree) const {
    std::vector<std::uint64_t> informed(worms_, 1);
    for (std::size_t w = worms_; w-- > 0;)
      if (tree[w].after >= 0) informed[static_cast<std::size_t>(tree[w].after)] += informed[w];
    std::vector<std::size_t> order(worms_);
    for (std::size_t w = 0; w < worms_; ++w) order[w] = w;
    const auto key = [&](std::size_t w) {
      const std::uint64_t size = model_.priority == StepPriority::subtree ? worms_ - informed[w] : 0;
      const std::uint32_t step = model_.priority == StepPriority::chain ? 0 : sends_[w].step;
      return std::tuple(size, step, sends_[w].position);
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<std::size_t> rank(worms_);
    for (std::size_t i = 0; i < worms_; ++i) rank[order[i]] = i;
    return rank;
  }

  /// What each of the nodes sends that arrival `index` readies is due from the step after `step` on.
  void arrive(std::size_t index, std::uint64_t step) {
    for (const std::size_t sender : senders_.readied_by(index)) {
      std::uint64_t due = step;
      for (const std::size_t w : senders_.sends(sender)) due_[w] = ++due;
    }
  }

  /// The worms that want to be sent in `step`, in the order of priority.
  void collect(std::uint64_t step) {
    candidates_.clear();
    for (std::size_t sender = 0; sender < senders_.count(); ++sender) {
      const std::vector<std::size_t>& sends = senders_.sends(sender);
      if (model_.reading == StepReading::one_port) {
        if (next_[sender] < sends.size() && due_[sends[next_[sender]]] <= step)
          candidates_.push_back(sends[next_[sender]]);
        continue;
      }
      for (const std::size_t w : sends)
        if (done_[w] == no_step && due_[w] <= step) candidates_.push_back(w);
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [&](std::size_t a, std::size_t b) { return rank_[a] < rank_[b]; });
  }

  /// Decides which messages get through, and counts which share what.
  void admit() {
    wanted_.clear();
    for (std::size_t c = 0; c < candidates_.size(); ++c)
      for (const RouteHop& hop : routes_.worms[candidates_[c]].hops)
        if (hop.is_channel()) wanted_.emplace_back(hop.target, c);
    rivals_.clear();
    for_each_channel(wanted_, [this](auto first, auto last) {
      if (last - first > 1) ++result_.shared_links;
      for (auto b = first; b != last; ++b)
        for (auto a = first; a != b; ++a) rivals_.emplace_back(b->second, a->second);
    });
    sort_unique(rivals_);
    result_.sharing_pairs += rivals_.size();
    admitted_.assign(candidates_.size(), true);
    for (const auto& [late, early] : rivals_)
      if (admitted_[early]) admitted_[late] = false;
    result_.blocked += static_cast<std::uint64_t>(std::count(admitted_.begin(), admitted_.end(), false));
  }

  void measure() {
    const Request& request = routes_.plan.request;
    result_.least_steps = least_steps(request.destinations.size() + 1);
    result_.arrival_steps.assign(request.destinations.size(), no_step);
    for (std::size_t w = 0; w < worms_; ++w)
      for (const RouteHop& hop : routes_.worms[w].hops) {
        if (hop.kind != RouteHop::Kind::deliver) continue;
        const std::size_t place = place_of(HostId{hop.target}, request.destinations);
        if (request.destinations[place].value == hop.target) result_.arrival_steps[place] = done_[w];
      }
    const bool self_send = request.destinations == std::vector<HostId>{request.source};
    if (self_send) {
      result_.arrival_steps = {0};
      result_.least_steps = 0;
    }
    for (const std::uint64_t step : result_.arrival_steps) {
      if (step == no_step) throw InputError("worms", "a destination is in no worm");
      result_.steps = std::max(result_.steps, step);
    }
  }

  const Routes& routes_;
  StepModel model_;
  std::size_t worms_;
  std::vector<Send> sends_;
  std::vector<std::size_t> rank_;
  Senders senders_;
  std::vector<std::size_t> next_;  ///< worms sent so far, by sender
  std::vector<std::uint64_t> due_;
  std::vector<std::uint64_t> done_;  ///< step in which the worm got through
  std::vector<std::size_t> candidates_;
  Users wanted_;                                             ///< candidates
  std::vector<std::pair<std::size_t, std::size_t>> rivals_;  ///< candidate, one of higher priority
  std::vector<bool> admitted_;
  StepRun result_;
};

// Processor sharing: between two arrivals nothing changes, so time jumps from arrival to arrival.
// A message that shares its most crowded link with u − 1 others proceeds at rate 1/u. Amounts are
// integers, one step being 720720 · 2²⁰ units (720720 is divisible by 1 … 16): a share of 1/u is exact
// for a small u, and rounding loses less than 10⁻¹¹ of a step at every arrival.
// Cost: O(hops under way · log) an arrival.
// cite: Song, Hou, Shi 1999 (section 6: "two messages can share a physical link" by virtual channels)

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
    for_each_channel(users_, [this](auto first, auto last) {
      const auto sharers = static_cast<std::uint64_t>(last - first);
      for (; first != last; ++first)
        flows_[first->second].sharers = std::max(flows_[first->second].sharers, sharers);
    });
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
  Users users_;  ///< flows
  std::vector<std::size_t> arrived_;
};

}  // namespace

StepRun run_steps(const Routes& routes, const StepModel& model) {
  return StepSimulation(routes, model).run();
}

std::uint64_t fluid_millisteps(const Routes& routes) { return FluidRun(routes).run(); }

}  // namespace wormcast
