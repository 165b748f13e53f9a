// A program run alone, with packets that arrive at once: which steps it makes, and what each process knows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "programs/program.hpp"
#include "router/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// What one process takes of what comes to its host: packets of one flow, or of several, all of one length.
struct Stream {
  std::uint32_t process = 0;
  std::vector<std::uint32_t> flows;
  std::uint64_t flits = 0;          ///< taken so far, of one flow
  std::vector<std::uint32_t> done;  ///< by packet: the step that takes its tail
};
struct SentPacket {
  std::uint32_t step = 0;  ///< of the flow's process
  std::uint64_t end = 0;   ///< flits of the flow up to its tail
};
/// A step that may wait: all but those that compute, and ends of loops.
struct OrderedStep {
  const Instruction* in = nullptr;
  std::uint32_t stream = 0, packets = 0;  ///< of a receive: how many must have been sent
  std::uint64_t sum = 0;                  ///< of a take or give: of all by this process so far
};
struct Counted {
  std::uint32_t step = 0;
  std::uint64_t sum = 0;
};
struct CounterUse {
  std::uint64_t value = 0, taken = 0, given = 0;
  std::vector<std::vector<Counted>> takes, gives;  ///< by process
  bool lock = false;  ///< several contend for it, and there may not be enough for all
};

class LoneRun {
 public:
  struct Process {
    std::size_t pc = 0;
    std::vector<std::uint64_t> rounds;
    std::vector<std::uint32_t> knows;  ///< by process: steps that are surely made
    std::vector<OrderedStep> steps;
    std::vector<std::uint32_t> known;  ///< `knows` before each step, one behind the other
  };

  LoneRun(const Topology& topology, const RouterModel& model, const BoundProgram& program);

  /// False where the program is none of those of program_order.cpp.
  bool applies() const { return applies_; }
  const std::vector<Process>& processes() const { return processes_; }
  const std::vector<Stream>& streams() const { return streams_; }
  const std::vector<CounterUse>& counters() const { return counters_; }
  const std::vector<std::uint32_t>& streams_of(std::uint32_t flow) const { return streams_of_[flow]; }
  const std::vector<SentPacket>& sent(std::uint32_t flow) const { return sent_[flow]; }
  std::uint32_t sender(std::uint32_t flow) const { return sender_[flow]; }
  /// How many steps of `of` the process knows before its step to be made.
  std::uint32_t known(std::uint32_t process, std::uint32_t step, std::uint32_t of) const {
    return processes_[process].known[step * processes_.size() + of];
  }

 private:
  using Kind = Instruction::Kind;

  void learn(Process& process, std::uint32_t other, std::uint32_t step, std::uint32_t steps);
  bool find_streams();
  bool one_length(const Stream& stream) const;
  bool run_alone();
  std::uint64_t packets(const Stream& stream) const;
  bool goes_on(std::uint32_t p);
  bool make_alone(std::uint32_t p, const Instruction& in, std::uint32_t at, OrderedStep& step);
  bool leaves_at_once(std::uint32_t flow) const;
  bool receive_alone(std::uint32_t p, const Instruction& in, std::uint32_t at, OrderedStep& step);
  bool count_alone(std::uint32_t p, const Instruction& in, std::uint32_t at, OrderedStep& step);
  bool classify_counters();

  const Topology& topology_;
  const RouterModel& model_;
  const BoundProgram& program_;
  std::vector<Process> processes_;
  std::vector<CounterUse> counters_;
  std::vector<Stream> streams_;
  std::vector<std::vector<std::uint32_t>> streams_of_;  ///< by flow
  std::map<const Instruction*, std::uint32_t> stream_of_;
  std::vector<std::uint32_t> sender_;          ///< by flow
  std::vector<std::vector<SentPacket>> sent_;  ///< by flow
  std::size_t numbers_ = 0, steps_ = 0;
  bool applies_ = false;
};

}  // namespace wormcast
