// Safe by an order: the steps of all processes stand in one row, and whatever waits, waits for an earlier
// step.
//
// The programs: run alone, with packets that arrive at once, a program comes to an end of its own: every
// process that is not for ever has ended, there is one, and all that was sent has been received. What comes
// to a process is one flow, or packets of one length, each taken by a window of that length. A counter is
// lowered by one process (raised by one, where gives wait for its limit), or holds enough for all, or is a
// lock: who takes gives back as much before it takes again, and several else gives.
//
// Such a program makes the same steps in every run, whatever is granted first: none of its processes can be
// overtaken but at locks, which are given back. So a run ends, and it is safe unless it can stand still
// before all of these steps are made.
//
// Why it cannot: let it stand still, and look at the earliest step that is not made. All before it are. A
// take finds what it waits for: the gives are made before it. So a lock is held by a process at a later step.
// Otherwise a packet is under way: the one that is sent, or, of a receive, one whose send is before it. It
// waits for a channel of a packet that waits for a later channel, in an order of channels (CDG, Dally & Seitz
// 1987), or for an older packet of its own flow, and so on, up to a packet that stands at its host while the
// process there is at another step, later than the one that is looked at. Whether that can be is looked at
// for each step: it cannot where one of the two processes is known to be farther. What is known: who has
// received a tail knows that it was sent, and all that its sender knew then; who takes what one process gives
// likewise (vector clocks, Fidge 1988, Mattern 1989). Hence a row in which no step meets such a later one is
// a proof. The search for it is greedy: a step that can stand next can stand there later as well.
//
// Where streams merge, the process that takes them may be far ahead of the one whose packet waits, by packets
// of the others. Then the row so far, its steps before the later one and what is known there are made, and
// more follow in a row of their own; if that brings what the later step waits for, nobody stands there. These
// rows are looked for where the plain one ends, and look no deeper themselves.
//
// Cost: linear in the channels that two flows share, and in steps times processes, times what can be under
// way to others at once.
// SPDX-License-Identifier: MIT
#include "deadlock/programs/program_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "deadlock/programs/channel_order.hpp"
#include "deadlock/programs/lone_run.hpp"

namespace wormcast {

namespace {

constexpr std::uint64_t most_looks = 50'000'000;

class ProcessOrder {
 public:
  ProcessOrder(const Topology& topology, const RouterModel& model, const BoundProgram& program)
      : program_(program),
        channels_(topology, model, program),
        run_(topology, model, program),
        next_(program.processes.size()),
        made_(program.flows.size()),
        counted_(program.counters.size()) {}

  std::optional<BySteps> find() {
    BySteps result;
    return channels_.found() && run_.applies() && set_in_order(result) ? std::optional(result) : std::nullopt;
  }

 private:
  using Kind = Instruction::Kind;
  /// Of a counter, in the order so far.
  struct Counts {
    std::uint64_t taken = 0, given = 0;
  };

  const std::vector<OrderedStep>& steps_of(std::uint32_t p) const { return run_.processes()[p].steps; }

  bool set_in_order(BySteps& result) {
    for (const LoneRun::Process& process : run_.processes()) left_ += process.steps.size();
    for (bool more = true; left_ > 0 && (more || !supposes_);) {
      supposes_ = supposes_ || !more;
      more = false;
      for (std::uint32_t p = 0; p < next_.size(); ++p) {
        std::uint64_t steps = 0;
        for (; next_[p] < steps_of(p).size() && is_next(p); ++steps) make(p);
        if (steps > 0) result.process_order.push_back({p, steps});
        left_ -= steps;
        more = more || steps > 0;
        if (looks_ > most_looks) return false;
      }
    }
    return left_ == 0;
  }

  /// Let q be at this step, and all that is in the order so far made: then what it waits for there is made as
  /// well, by steps that wait for nothing else.
  bool is_brought(std::uint32_t q, std::uint32_t at) {
    if (!supposes_ || supposed_ || looks_ > most_looks) return false;
    std::size_t& failed = failed_.emplace(std::pair(q, at), SIZE_MAX).first->second;
    if (failed == never || failed == left_) return failed == never;
    const auto before = std::tuple(next_, made_, counted_);
    supposed_ = true;
    looks_ += next_.size();
    for (std::uint32_t p = 0; p < next_.size(); ++p)
      while (next_[p] < (p == q ? at : run_.known(q, at, p))) make(p);
    bool brought = !can_wait(q, at);
    for (bool more = true; more && !brought; brought = !can_wait(q, at)) {
      more = false;
      for (std::uint32_t p = 0; p < next_.size(); ++p)
        for (; p != q && next_[p] < steps_of(p).size() && is_next(p); more = true, ++looks_) make(p);
    }
    supposed_ = false;
    std::tie(next_, made_, counted_) = before;
    failed = brought ? never : left_;
    return brought;
  }

  void make(std::uint32_t p) {
    const OrderedStep& step = steps_of(p)[next_[p]++];
    if (step.in->kind == Kind::send) ++made_[step.in->what];
    if (step.in->kind == Kind::take) counted_[step.in->what].taken += step.in->count;
    if (step.in->kind == Kind::give) counted_[step.in->what].given += step.in->count;
  }

  /// Whatever its process can wait for there comes earlier in the order.
  bool is_next(std::uint32_t p) {
    const OrderedStep& step = steps_of(p)[next_[p]];
    if (step.in->kind == Kind::send) return !meets(p, channels_.of_send(step.in->what));
    if (step.in->kind == Kind::receive) {
      const Stream& stream = run_.streams()[step.stream];
      std::uint64_t made = 0;
      for (const std::uint32_t f : stream.flows) made += made_[f];
      return made >= step.packets &&
             std::none_of(stream.flows.begin(), stream.flows.end(),
                          [&](std::uint32_t f) { return meets(p, channels_.of_packet(f)); });
    }
    const CounterUse& use = run_.counters()[step.in->what];
    const auto& [name, start, limit] = program_.counters[step.in->what];
    const auto& [taken, given] = counted_[step.in->what];
    if (step.in->kind == Kind::give)
      return !limit || step.in->contended || start + given + step.in->count <= *limit + taken;
    return taken + step.in->count <= start + given && (!use.lock || !is_held(p, use));
  }

  /// Another process may wait while it has the lock.
  bool is_held(std::uint32_t p, const CounterUse& use) {
    for (std::uint32_t q = 0; q < next_.size(); ++q) {
      const std::uint32_t next = next_[q];
      const auto first = std::partition_point(use.gives[q].begin(), use.gives[q].end(),
                                              [&](const Counted& give) { return give.step < next; });
      for (auto i = static_cast<std::size_t>(first - use.gives[q].begin()); i < use.takes[q].size(); ++i) {
        if (q == p || is_past(p, q, use.takes[q][i].step)) break;
        for (std::uint32_t at = std::max(use.takes[q][i].step + 1, next); at <= use.gives[q][i].step; ++at)
          if (!is_past(p, q, at) && can_wait(q, at)) return true;
      }
    }
    return false;
  }

  /// When q is at the step, p has made the one that is looked at.
  bool is_past(std::uint32_t p, std::uint32_t q, std::uint32_t at) {
    ++looks_;
    return run_.known(q, at, p) > next_[p];
  }

  bool can_wait(std::uint32_t q, std::uint32_t at) {
    const OrderedStep& step = steps_of(q)[at];
    const bool takes = step.in->kind == Kind::take;
    if (!takes && step.in->kind != Kind::give) return true;
    const auto& [name, start, limit] = program_.counters[step.in->what];
    const auto& [taken, given] = counted_[step.in->what];
    const bool waits = !takes ? limit && !step.in->contended && start + step.sum > *limit + taken
                       : step.in->contended ? run_.counters()[step.in->what].lock
                                            : step.sum > start + given;
    return waits && !is_brought(q, at);
  }

  /// A packet of these flows may be at its host while the process there waits for something else, though
  /// everything is made that comes earlier in the order.
  bool meets(std::uint32_t p, const std::vector<bool>& flows) {
    for (std::uint32_t f = 0; f < flows.size(); ++f)
      for (std::size_t s = 0; flows[f] && s < run_.streams_of(f).size(); ++s)
        if (looks_ > most_looks || meets(p, run_.streams_of(f)[s])) return true;
    return false;
  }
  bool meets(std::uint32_t p, std::uint32_t stream_number) {
    const Stream& stream = run_.streams()[stream_number];
    const std::uint32_t q = stream.process;
    for (std::uint32_t at = next_[q]; at < steps_of(q).size() && !is_past(p, q, at); ++at) {
      const auto received = static_cast<std::uint64_t>(
          std::lower_bound(stream.done.begin(), stream.done.end(), at) - stream.done.begin());
      std::uint64_t may_be_sent = 0, by_then = 0;  // while p is at its step; and q at this one
      for (const std::uint32_t f : stream.flows) {
        const auto early = [&](bool both) {
          return std::partition_point(run_.sent(f).begin(), run_.sent(f).end(),
                                      [&](const SentPacket& sent) {
                                        return run_.known(run_.sender(f), sent.step, p) <= next_[p] &&
                                               (!both || run_.known(run_.sender(f), sent.step, q) <= at);
                                      }) -
                 run_.sent(f).begin();
        };
        may_be_sent += static_cast<std::uint64_t>(early(false));
        by_then += static_cast<std::uint64_t>(early(true));
      }
      if (may_be_sent <= received) return false;
      const OrderedStep& step = steps_of(q)[at];
      const bool takes = step.in->kind == Kind::receive && step.stream == stream_number;
      if (by_then > received && !takes && can_wait(q, at)) return true;
    }
    return false;
  }

  const BoundProgram& program_;
  ChannelOrder channels_;
  LoneRun run_;
  std::vector<std::uint32_t> next_;  ///< step, by process
  std::vector<std::uint64_t> made_;  ///< by flow: packets sent
  std::vector<Counts> counted_;
  std::uint64_t looks_ = 0;
  std::size_t left_ = 0;  ///< steps that are not in the order
  // Once nothing else can be next: of is_brought(), by process and step, what was left when it failed.
  static constexpr std::size_t never = 0;
  bool supposes_ = false, supposed_ = false;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> failed_;
};

}  // namespace

std::optional<BySteps> order_of_program(const Topology& topology, const RouterModel& model,
                                        const BoundProgram& program) {
  return ProcessOrder(topology, model, program).find();
}

}  // namespace wormcast
