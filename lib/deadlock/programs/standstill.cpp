// Whether a program stands still, or has come to an end, and who waits for what there, in words. Cost: linear
// in what is under way, times what shares it.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "deadlock/programs/program_runs.hpp"

namespace wormcast {

/// By packet: it lacks a window, or waits for what one holds that does.
std::vector<bool> ProgramRuns::lack_windows(const ProgramState& state) const {
  std::vector<bool> lacks(packets_.size());
  const auto waits_for_others = [&](std::uint32_t r) {
    const std::vector<Place>& takers = worms_->taken()[r].takers;
    return std::any_of(takers.begin(), takers.end(), [&](Place taker) {
      return !lacks[worms_->spot(taker).worm] && worms_->holds(state.packets, taker);
    });
  };
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t w = 0; w < packets_.size(); ++w) {
      if (lacks[w]) continue;
      bool blocked = false;
      for (Place at = worms_->source(w); at <= worms_->source(w) + packets_[w].route.hops.size(); ++at)
        if (under_way(state, at) && !state.packets.granted[at] && worms_->reached(state.packets, at))
          for (const std::uint32_t r : worms_->spot(at).resources) blocked = blocked || waits_for_others(r);
      lacks[w] = !blocked;
      more = more || !blocked;
    }
  }
  return lacks;
}

bool ProgramRuns::is_well(const ProgramState& state, std::size_t process) const {
  const Instruction* const in = instruction(state, process);
  if (!program_.processes[process].forever) return in == nullptr;
  const bool sends =
      in != nullptr && in->kind == Instruction::Kind::send && state.numbers[process_start_[process] + 1] != 0;
  return !sends || lack_windows(state)[worms_->spot(newest(state, *in, sort_of(*in))).worm];
}

bool ProgramRuns::ended(const ProgramState& state) const {
  bool any = false;
  for (std::size_t p = 0; p < program_.processes.size(); ++p) {
    if (program_.processes[p].forever) continue;
    if (instruction(state, p) != nullptr) return false;
    any = true;
  }
  const std::vector<bool> lacks = lack_windows(state);
  return any && std::find(lacks.begin(), lacks.end(), false) == lacks.end();
}

/// Processes that should end, those that receive what has come to them, and who would give or send what one
/// of these waits for. Others that go on for ever only wait for more.
std::vector<bool> ProgramRuns::concerned(const ProgramState& state) const {
  std::vector<bool> result(processes());
  std::vector<std::size_t> open;
  const auto add = [&](std::size_t p, const auto& reason) {
    const std::vector<Instruction>& code = program_.processes[p].code;
    if (result[p] || instruction(state, p) == nullptr || !std::any_of(code.begin(), code.end(), reason))
      return;
    result[p] = true;
    open.push_back(p);
  };
  for (std::size_t p = 0; p < processes(); ++p)
    add(p, [&](const Instruction&) { return program_.all_for_ever() || !program_.processes[p].forever; });
  for (const Window& window : windows_)
    for (const std::uint32_t p : window.processes)
      if (under_way(state, window.place) && state.packets.granted[window.place])
        add(p, [&](const Instruction& in) { return receives(in, window.place); });
  while (!open.empty()) {
    const BoundProgram::Process& waiting = program_.processes[open.back()];
    const Instruction& step = *instruction(state, open.back());
    open.pop_back();
    for (std::size_t p = 0; p < processes(); ++p)
      add(p, [&](const Instruction& in) {
        if (step.kind == Instruction::Kind::receive)
          return in.kind == Instruction::Kind::send &&
                 (step.what == Instruction::any_flow || step.what == in.what) &&
                 program_.flows[in.what].worms.front().comes_to(*waiting.host);
        return step.what == in.what &&
               ((step.kind == Instruction::Kind::take && in.kind == Instruction::Kind::give) ||
                (step.kind == Instruction::Kind::give && in.kind == Instruction::Kind::take));
      });
  }
  return result;
}

std::vector<std::string> ProgramRuns::standstill(const ProgramState& state) const {
  std::vector<std::string> result;
  for (Place place = 0; place < worms_->size(); ++place) {
    if (!under_way(state, place)) continue;
    const SharedWorms::Spot& spot = worms_->spot(place);
    const std::uint32_t flow = flow_of(place);
    if (state.packets.granted[place]) {
      if (spot.consumption && state.packets.entered[place] < worms_->flits(place))
        result.push_back(arrival_in_words(
            topology_, program_.flows[flow], HostId{packets_[spot.worm].route.hops[spot.position - 1].target},
            state.packets.entered[place], worms_->flits(place), window_of(state, place).has_value()));
    } else if (worms_->reached(state.packets, place)) {
      std::vector<std::uint32_t> holders;
      for (const std::uint32_t r : spot.resources)
        for (const Place taker : worms_->taken()[r].takers)
          if (worms_->holds(state.packets, taker)) holders.push_back(flow_of(taker));
      result.push_back(waiting_in_words(topology_, program_, flow,
                                        static_cast<std::int32_t>(spot.position) - 1, std::move(holders)));
    }
  }
  const std::vector<bool> of_concern = concerned(state);
  for (std::size_t p = 0; p < program_.processes.size(); ++p) {
    const Instruction* in = of_concern[p] ? instruction(state, p) : nullptr;
    if (in == nullptr || in->kind == Instruction::Kind::loop || in->kind == Instruction::Kind::compute)
      continue;  // it has ended, goes on, or waits for more
    if (can_step(state, p)) continue;
    result.push_back(
        step_in_words(topology_, program_, p, *in, state.numbers[process_start_[p] + 1], state.numbers));
  }
  return result;
}

}  // namespace wormcast
