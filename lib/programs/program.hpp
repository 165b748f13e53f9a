// What the nodes of a network do: processes that send, receive, and wait for each other by counters.
//
// Routes beside a program are *flows*: ways that packets take as often as a process sends one. A process is a
// list of steps, some of them repeated, the last perhaps for ever. What it waits for is what real nodes wait
// for: a window for what arrives, a lock, a semaphore, a token. cite: this project; the deadlocks are those
// of Hansson, Goossens, Rădulescu 2007 (message-dependent deadlock).
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "multicast/routes.hpp"
#include "topology/ids.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// One step, as a record says it: exactly one of send, receive, take, give, compute, repeat and forever.
struct ProgramStep {
  std::optional<std::uint64_t> send;       ///< the id of a flow
  std::optional<std::uint64_t> flits{};    ///< of what it sends; nothing: as the flow's routes say
  std::optional<std::uint64_t> receive{};  ///< flits: the window for what arrives at the process's host
  std::optional<std::uint64_t> from{};     ///< the flow that it is for; nothing: any
  bool until_tail = false;                 ///< the window is closed by a packet's tail, too
  std::string take{}, give{};              ///< names of counters
  std::uint64_t count = 1;                 ///< how many of it
  std::optional<Cycle> compute{};          ///< so long
  std::optional<std::uint64_t> repeat{};   ///< so often, `steps`
  bool forever = false;                    ///< `steps`, and no step comes behind them
  std::vector<ProgramStep> steps{};
};

struct ProgramCounter {
  std::string name;
  std::uint64_t start = 0;
  std::optional<std::uint64_t> limit{};  ///< what would raise it beyond waits
};

struct ProgramProcess {
  std::string name;
  std::optional<HostId> host{};
  std::vector<ProgramStep> steps{};
};

/// What happens in a run: a hop is granted to the packet of a flow that stands before it (−1: its source's
/// link), or a process makes a step that others contend for.
struct ProgramEvent {
  std::optional<std::uint64_t> flow;
  std::int32_t hop = -1;
  std::optional<std::uint32_t> process{};
};

/// The next steps of a process, in an order of all.
struct ProcessSteps {
  std::uint32_t process = 0;
  std::uint64_t steps = 0;
};

/// A `program` record.
struct Program {
  std::vector<ProgramCounter> counters;
  std::vector<ProgramProcess> processes;
  std::vector<ProgramEvent> run;  ///< the order in which a simulation grants; empty: as it comes
  std::string extras;             ///< the record's x_ members
};

/// One instruction of a process: a step, or the end of a loop.
struct Instruction {
  enum class Kind : std::uint8_t { send, receive, take, give, compute, loop };
  static constexpr std::uint32_t any_flow = UINT32_MAX;

  Kind kind = Kind::compute;
  std::uint32_t what = 0;   ///< flow (receive: perhaps any_flow), counter, or where the loop begins
  std::uint64_t count = 0;  ///< flits, how many of the counter, cycles, or how often; 0: for ever
  bool until_tail = false;
  std::uint32_t loop = 0;  ///< of a loop: its number within the process
  std::string step{};      ///< "steps[2].steps[0]", for messages
  bool contended = false;  ///< a take where other processes take, too; a give up to a limit likewise
};

/// A program on its network, with its flows: names are indices, loops are jumps.
struct BoundProgram {
  struct Process {
    std::string name;
    std::optional<HostId> host;
    std::vector<Instruction> code;
    std::uint32_t loops = 0;
    bool forever = false;  ///< it never ends
  };
  std::vector<ProgramCounter> counters;
  std::vector<Process> processes;
  std::vector<Routes> flows;      ///< of one worm each
  std::vector<ProgramEvent> run;  ///< of the program

  bool any_for_ever() const { return std::any_of(processes.begin(), processes.end(), for_ever); }
  bool all_for_ever() const { return std::all_of(processes.begin(), processes.end(), for_ever); }
  static bool for_ever(const Process& process) { return process.forever; }
};

/// Throws InputError, on the member of the program or of the routes, for what cannot be run.
BoundProgram bind_program(const Topology& topology, const Program& program, std::vector<Routes> flows);

/// What a standstill says of a packet that waits for a hop (−1: its source's link), which packets of
/// `holders` hold; of one that has brought flits to a window, which is open or not; and of a process.
std::string waiting_in_words(const Topology& topology, const BoundProgram& program, std::uint32_t flow,
                             std::int32_t hop, std::vector<std::uint32_t> holders);
std::string arrival_in_words(const Topology& topology, const Routes& flow, HostId at, std::uint64_t brought,
                             std::uint64_t flits, bool open);
std::string step_in_words(const Topology& topology, const BoundProgram& program, std::size_t process,
                          const Instruction& in, std::uint64_t received,
                          std::span<const std::uint64_t> counters);

}  // namespace wormcast
