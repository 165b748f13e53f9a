// Nominal steps, and the chain order of a tree of messages.
//
// Recursive halving sends to the middle of what is left, so the receivers of one sender stand in the
// chain in the reverse order of sending, each before all that it informs: a walk of the tree that
// visits later sends first meets the receivers in chain order.
// cite: McKinley, Xu, Esfahanian, Ni 1994.
// SPDX-License-Identifier: MIT
#include "multicast/schedule.hpp"

#include <bit>
#include <cassert>

namespace wormcast {

std::vector<Send> schedule(const std::vector<Worm>& worms) {
  const Senders senders(worms);
  std::vector<std::uint32_t> latest(senders.count());  // step of the latest send
  // Sends that wait for the same arrival, newest first; index 0 for those of the multicast's source.
  constexpr std::int32_t none = -1;
  std::vector<std::int32_t> newest(worms.size() + 1, none);
  std::vector<std::int32_t> older(worms.size(), none);
  std::vector<Send> sends(worms.size());
  for (std::size_t i = 0; i < worms.size(); ++i) {
    const auto after = slot_after(worms[i].after);
    assert(after <= i);
    const std::uint32_t informed = after == 0 ? 0 : sends[after - 1].step;
    std::uint32_t& before = latest[senders.of(i)];
    before = sends[i].step = std::max(before, informed) + 1;
    older[i] = newest[after];
    newest[after] = static_cast<std::int32_t>(i);
  }
  std::uint32_t position = 0;
  std::vector<std::int32_t> todo;
  if (newest[0] != none) todo.push_back(newest[0]);
  while (!todo.empty()) {
    const auto i = static_cast<std::size_t>(todo.back());
    todo.pop_back();
    sends[i].position = ++position;
    if (older[i] != none) todo.push_back(older[i]);
    if (newest[i + 1] != none) todo.push_back(newest[i + 1]);
  }
  return sends;
}

std::uint32_t least_steps(std::uint64_t nodes) {
  return nodes <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(nodes - 1));
}

}  // namespace wormcast
