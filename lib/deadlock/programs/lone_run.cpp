// Each process as far as it comes; what it learns it learns in the step that waits for it. Cost: steps times
// processes.
// SPDX-License-Identifier: MIT
#include "deadlock/programs/lone_run.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace wormcast {

namespace {

constexpr std::size_t most_steps = 1U << 18U, most_numbers = 1U << 24U;  // numbers: steps, times processes
constexpr std::uint32_t several = UINT32_MAX;

}  // namespace

LoneRun::LoneRun(const Topology& topology, const RouterModel& model, const BoundProgram& program)
    : topology_(topology),
      model_(model),
      program_(program),
      processes_(program.processes.size()),
      streams_of_(program.flows.size()),
      sender_(program.flows.size(), several),
      sent_(program.flows.size()) {
  for (const ProgramCounter& counter : program.counters) {
    CounterUse& use = counters_.emplace_back();
    use.value = counter.start;
    use.takes.resize(processes_.size());
    use.gives.resize(processes_.size());
  }
  applies_ = find_streams() && run_alone() && classify_counters();
}

void LoneRun::learn(Process& process, std::uint32_t other, std::uint32_t step, std::uint32_t steps) {
  for (std::uint32_t p = 0; p < processes_.size(); ++p)
    process.knows[p] = std::max(process.knows[p], known(other, step, p));
  process.knows[other] = std::max(process.knows[other], steps);
}

bool LoneRun::find_streams() {
  for (std::uint32_t p = 0; p < processes_.size(); ++p)
    for (const Instruction& in : program_.processes[p].code)
      if (in.kind == Kind::send) sender_[in.what] = p;
  for (std::uint32_t p = 0; p < processes_.size(); ++p)
    for (const Instruction& in : program_.processes[p].code) {
      if (in.kind != Kind::receive) continue;
      Stream stream{p, {}, 0, {}};
      for (std::uint32_t f = 0; f < sent_.size(); ++f)
        if (sender_[f] != several && program_.flows[f].worms.front().comes_to(*program_.processes[p].host) &&
            (in.what == Instruction::any_flow || in.what == f))
          stream.flows.push_back(f);
      const auto same = std::find_if(streams_.begin(), streams_.end(), [&](const Stream& one) {
        return one.process == p && one.flows == stream.flows;
      });
      stream_of_[&in] = static_cast<std::uint32_t>(same - streams_.begin());
      if (same != streams_.end()) continue;
      for (const std::uint32_t f : stream.flows) {
        for (const std::uint32_t other : streams_of_[f])
          if (streams_[other].process == p) return false;  // of several flows, and of one of them
        streams_of_[f].push_back(static_cast<std::uint32_t>(streams_.size()));
      }
      streams_.push_back(std::move(stream));
    }
  for (const Stream& stream : streams_)
    if (stream.flows.size() > 1 && !one_length(stream)) return false;
  return true;
}

bool LoneRun::one_length(const Stream& stream) const {
  std::optional<std::uint64_t> length;
  for (const std::uint32_t f : stream.flows)
    for (const Instruction& in : program_.processes[sender_[f]].code) {
      if (in.kind != Kind::send || in.what != f) continue;
      const std::uint64_t flits = program_.flows[f].worms.front().flits(in.count, model_.header_flits);
      if (length.value_or(flits) != flits) return false;
      length = flits;
    }
  const std::vector<Instruction>& code = program_.processes[stream.process].code;
  return std::all_of(code.begin(), code.end(), [&](const Instruction& in) {
    return in.kind != Kind::receive || in.count == *length || (in.until_tail && in.count > *length);
  });
}

bool LoneRun::run_alone() {
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    processes_[p].rounds.resize(program_.processes[p].loops);
    processes_[p].knows.resize(processes_.size());
  }
  for (bool more = true; more;) {
    more = false;
    for (std::uint32_t p = 0; p < processes_.size(); ++p)
      while (goes_on(p)) {
        more = true;
        if (numbers_ > most_numbers || steps_ > most_steps) return false;
      }
  }
  bool any_ended = false;
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    const BoundProgram::Process& process = program_.processes[p];
    if (!process.forever && processes_[p].pc < process.code.size()) return false;
    any_ended = any_ended || !process.forever;
    if (process.forever && process.code[processes_[p].pc].contended) return false;
  }
  for (std::uint32_t f = 0; f < sent_.size(); ++f)
    for (const RouteHop& hop : program_.flows[f].worms.front().hops)
      if (!hop.is_channel() && !sent_[f].empty() &&
          std::none_of(streams_of_[f].begin(), streams_of_[f].end(), [&](std::uint32_t s) {
            return hop.comes_to(*program_.processes[streams_[s].process].host);
          }))
        return false;
  return any_ended && std::all_of(streams_.begin(), streams_.end(), [&](const Stream& stream) {
           return stream.done.size() == packets(stream);
         });
}

std::uint64_t LoneRun::packets(const Stream& stream) const {
  std::uint64_t all = 0;
  for (const std::uint32_t f : stream.flows) all += sent_[f].size();
  return all;
}

bool LoneRun::goes_on(std::uint32_t p) {
  Process& process = processes_[p];
  const std::vector<Instruction>& code = program_.processes[p].code;
  if (process.pc == code.size()) return false;
  const Instruction& in = code[process.pc];
  ++steps_;
  if (in.kind == Kind::loop) {
    const bool again = in.count == 0 || ++process.rounds[in.loop] < in.count;
    if (!again) process.rounds[in.loop] = 0;
    process.pc = again ? in.what : process.pc + 1;
    return true;
  }
  if (in.kind != Kind::compute) {
    OrderedStep step{&in, 0, 0, 0};
    const auto at = static_cast<std::uint32_t>(process.steps.size());
    process.knows[p] = at;
    const std::vector<std::uint32_t> before = process.knows;
    if (!make_alone(p, in, at, step)) return false;
    process.known.insert(process.known.end(), before.begin(), before.end());
    process.steps.push_back(step);
    numbers_ += before.size();
  }
  ++process.pc;
  return true;
}

bool LoneRun::make_alone(std::uint32_t p, const Instruction& in, std::uint32_t at, OrderedStep& step) {
  if (in.kind == Kind::send) {
    const std::uint64_t flits = program_.flows[in.what].worms.front().flits(in.count, model_.header_flits);
    sent_[in.what].push_back({at, flits + (sent_[in.what].empty() ? 0 : sent_[in.what].back().end)});
    return true;
  }
  return in.kind == Kind::receive ? receive_alone(p, in, at, step) : count_alone(p, in, at, step);
}

bool LoneRun::leaves_at_once(std::uint32_t flow) const {
  const std::vector<RouteHop>& hops = program_.flows[flow].worms.front().hops;
  return topology_.hosts_have_links() ||
         std::count_if(hops.begin(), hops.end(), [](const RouteHop& hop) { return hop.parent < 0; }) == 1;
}

bool LoneRun::receive_alone(std::uint32_t p, const Instruction& in, std::uint32_t at, OrderedStep& step) {
  step.stream = stream_of_.at(&in);
  Stream& stream = streams_[step.stream];
  if (stream.flows.size() != 1) {
    step.packets = static_cast<std::uint32_t>(stream.done.size() + 1);
    if (packets(stream) < step.packets) return false;
    stream.done.push_back(at);
    return true;
  }
  const std::vector<SentPacket>& sent = sent_[stream.flows.front()];
  std::uint64_t end = stream.flits + in.count;
  if (in.until_tail && stream.done.size() < sent.size()) end = std::min(end, sent[stream.done.size()].end);
  if (sent.empty() || sent.back().end < end) return false;
  stream.flits = end;
  while (stream.done.size() < sent.size() && sent[stream.done.size()].end <= end) stream.done.push_back(at);
  const bool tail = sent[stream.done.size() - (stream.done.empty() ? 0 : 1)].end == end;
  step.packets = static_cast<std::uint32_t>(stream.done.size() + (tail ? 0 : 1));
  const std::uint32_t last = sent[step.packets - 1].step;
  const std::uint32_t flow = stream.flows.front();
  learn(processes_[p], sender_[flow], last, last + (tail && leaves_at_once(flow) ? 1 : 0));
  return true;
}

bool LoneRun::count_alone(std::uint32_t p, const Instruction& in, std::uint32_t at, OrderedStep& step) {
  CounterUse& use = counters_[in.what];
  const ProgramCounter& counter = program_.counters[in.what];
  const bool takes = in.kind == Kind::take;
  if (takes ? use.value < in.count : counter.limit && *counter.limit < use.value + in.count) return false;
  use.value += takes ? -in.count : in.count;
  std::vector<Counted>& own = (takes ? use.takes : use.gives)[p];
  step.sum = in.count + (own.empty() ? 0 : own.back().sum);
  own.push_back({at, step.sum});
  if (in.contended || (!takes && !counter.limit)) return true;
  // Where one process does what it waits for, so much of that has been done.
  const std::uint64_t least = takes ? counter.start : *counter.limit - counter.start;
  const std::vector<std::vector<Counted>>& others = takes ? use.gives : use.takes;
  std::optional<std::uint32_t> only;
  for (std::uint32_t q = 0; q < processes_.size(); ++q)
    for (const Instruction& one : program_.processes[q].code)
      if (one.what == in.what && one.kind == (takes ? Kind::give : Kind::take))
        only = only.value_or(q) == q ? q : several;
  if (step.sum <= least || only.value_or(several) == several) return true;
  const auto made = std::find_if(others[*only].begin(), others[*only].end(),
                                 [&](const Counted& one) { return least + one.sum >= step.sum; });
  learn(processes_[p], *only, made->step, made->step + 1);
  return true;
}

bool LoneRun::classify_counters() {
  for (std::uint32_t c = 0; c < counters_.size(); ++c) {
    CounterUse& use = counters_[c];
    const ProgramCounter& counter = program_.counters[c];
    std::uint64_t taken = 0, given = 0;
    bool takes = false, gives = false, lock = true;  // contended
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      taken += use.takes[p].empty() ? 0 : use.takes[p].back().sum;
      given += use.gives[p].empty() ? 0 : use.gives[p].back().sum;
      for (const Instruction& in : program_.processes[p].code)
        if (in.contended && in.what == c) (in.kind == Kind::take ? takes : gives) = true;
      lock = lock && use.takes[p].size() == use.gives[p].size();
      for (std::size_t i = 0; lock && i < use.takes[p].size(); ++i)
        lock = use.takes[p][i].sum == use.gives[p][i].sum && use.takes[p][i].step < use.gives[p][i].step &&
               (i == 0 || use.gives[p][i - 1].step < use.takes[p][i].step);
    }
    use.lock = (takes && taken > counter.start) || (gives && counter.start + given > *counter.limit);
    if (use.lock && !lock) return false;
    use.value = counter.start;
  }
  return true;
}

}  // namespace wormcast
