// Everything that the packets and processes of a program can do, state by state.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "deadlock/verdict.hpp"
#include "programs/program.hpp"
#include "router/shared_worms.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Where a program stands: its packets on the network, its counters, and of each process the instruction, how
/// far that is, and how often each loop has been run.
struct ProgramState {
  SharedState packets;
  std::vector<std::uint64_t> numbers;
};

/// Packets are worms of SharedWorms: of each flow and length as many as can be under way, the oldest first;
/// one that has arrived makes room for the next.
class ProgramRuns {
 public:
  ProgramRuns(const Topology& topology, const RouterModel& model, const BoundProgram& program);

  /// What can be next where the order matters: a grant, or a step of a process.
  struct Choice {
    std::optional<SharedWorms::Place> grant;
    std::uint32_t process = 0;
  };

  ProgramState start() const;
  std::size_t processes() const { return program_.processes.size(); }
  const BoundProgram& program() const { return program_; }
  /// The process has ended; one that is for ever is not within a send that waits for what others hold, unless
  /// these lack windows.
  bool is_well(const ProgramState& state, std::size_t process) const;
  std::size_t places() const { return worms_->size(); }
  std::size_t resources() const { return worms_->taken().size(); }
  /// Lets everything happen that delays nothing else; adds the grants and contended steps that this takes.
  /// True: some process ran round its loop so often that the rest is left for later.
  bool settle(ProgramState& state, std::vector<ProgramEvent>& events, std::vector<bool>& steps) const;
  /// What can be next, once all has settled.
  std::vector<Choice> choices(const ProgramState& state) const;
  /// Of these choices all that one resource is for, if none can come to it but who asks for it now: whatever
  /// else comes first leaves them as they are. Where there is none all choices.
  std::vector<Choice> decision(const ProgramState& state, const std::vector<Choice>& choices) const;
  void take(ProgramState& state, const Choice& choice, std::vector<ProgramEvent>& events) const;
  /// What can end has ended, and what is under way lacks windows alone: no deadlock.
  bool ended(const ProgramState& state) const;
  /// Who waits for what, a sentence each, of a state in which nothing can go on.
  std::vector<std::string> standstill(const ProgramState& state) const;

 private:
  using Place = SharedWorms::Place;
  /// Packets of one flow and one length.
  struct Sort {
    std::uint32_t flow = 0;
    std::uint64_t flits = 0;
    std::uint32_t first = 0;   ///< worm
    std::uint32_t most = 0;    ///< worms
    std::uint32_t places = 0;  ///< of each
  };
  /// A consumption channel of one packet, and the processes of its host.
  struct Window {
    Place place = 0;
    std::vector<std::uint32_t> processes;
  };

  void find_sorts(const RouterModel& model);
  void find_windows();
  void find_rivals();
  std::uint32_t flow_of(Place place) const { return sorts_[sort_of_worm_[worms_->spot(place).worm]].flow; }
  bool under_way(const ProgramState& state, Place place) const {
    const std::uint32_t worm = worms_->spot(place).worm;
    const std::uint32_t sort = sort_of_worm_[worm];
    return worm - sorts_[sort].first < state.numbers[active_ + sort];
  }
  /// The process that is at this instruction takes what comes by the place.
  bool receives(const Instruction& in, Place place) const {
    return in.kind == Instruction::Kind::receive &&
           (in.what == Instruction::any_flow || in.what == flow_of(place));
  }
  const Instruction* instruction(const ProgramState& state, std::size_t process) const;
  std::uint32_t sort_of(const Instruction& send) const { return sort_of_send_.at(&send); }
  Place newest(const ProgramState& state, const Instruction& send, std::uint32_t sort) const;
  bool contested(const ProgramState& state, Place place) const;
  bool may_come(const ProgramState& state, std::uint32_t worm) const;
  bool is_behind(const ProgramState& state, Place taker, Place place) const;
  std::optional<std::uint32_t> window_of(const ProgramState& state, Place place) const;
  void open_windows(ProgramState& state, std::vector<std::uint64_t>& before) const;
  bool close_windows(ProgramState& state, const std::vector<std::uint64_t>& before) const;
  bool can_step(const ProgramState& state, std::size_t process) const;
  void step(ProgramState& state, std::size_t process) const;
  bool run_process(ProgramState& state, std::size_t process, std::uint32_t& rounds) const;
  bool remove_arrived(ProgramState& state) const;
  std::vector<bool> lack_windows(const ProgramState& state) const;
  ProgramEvent event_of(Place place) const;
  std::vector<bool> concerned(const ProgramState& state) const;

  const Topology& topology_;
  const BoundProgram& program_;
  std::vector<ExploredWorm> packets_;
  std::vector<Sort> sorts_;
  std::vector<std::uint32_t> sort_of_worm_;
  std::unordered_map<const Instruction*, std::uint32_t> sort_of_send_;
  std::vector<std::uint32_t> sender_;  ///< by flow
  std::optional<SharedWorms> worms_;
  std::vector<Window> windows_;
  std::vector<std::vector<std::uint32_t>> kept_;  ///< by place, resources
  std::vector<std::vector<bool>> may_send_;       ///< by flow, by instruction of its process
  std::vector<std::size_t> process_start_;        ///< of its numbers: instruction, progress, loops
  std::size_t active_ = 0;                        ///< start of the numbers of packets under way, by sort
};

}  // namespace wormcast
