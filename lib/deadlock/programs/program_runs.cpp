// Flits, grants without rivals and steps of processes that delay no other happen at once; what is left is
// chosen.
//
// Why that loses no order: a flit that can move, a process that alone takes from a counter and a window that
// is open wait for nothing that could come first, and whatever happens early only lets more happen. Only
// grants of what packets of several flows may still want, and takes and gives that several processes contend
// for, exclude each other; so all timings of one order of these end in the same state. A packet that has yet
// to pass what this one keeps until the grant wants nothing before it. Which flits a window takes is not a
// matter of order: one link leads to the host, or one flow comes there (bind_program()).
//
// Why states are few: packets of a flow come one behind the other, so the oldest that is under way is always
// the same worm, and what has arrived leaves nothing behind. A loop that goes on for ever is left where it
// has run a number of rounds, and its states recur. Cost: settling is linear in the packets under way, times
// their hops.
// SPDX-License-Identifier: MIT
#include "deadlock/programs/program_runs.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "router/worm_footprint.hpp"

namespace wormcast {

namespace {

constexpr std::uint32_t rounds_at_once = 8;
constexpr std::uint32_t nobody = UINT32_MAX;
using Kind = Instruction::Kind;

/// How often a process can send by the instruction at most; 0: there is no limit.
std::uint64_t most_sends(const BoundProgram::Process& process, std::size_t send) {
  std::uint64_t times = 1;
  for (std::size_t at = send; at < process.code.size(); ++at) {
    const Instruction& loop = process.code[at];
    if (loop.kind != Kind::loop || loop.what > send) continue;
    if (loop.count == 0 || times > UINT32_MAX / loop.count) return 0;
    times *= loop.count;
  }
  return times;
}

}  // namespace

ProgramRuns::ProgramRuns(const Topology& topology, const RouterModel& model, const BoundProgram& program)
    : topology_(topology), program_(program), sender_(program.flows.size(), nobody) {
  std::size_t numbers = program.counters.size();
  for (std::uint32_t p = 0; p < program.processes.size(); ++p) {
    process_start_.push_back(numbers);
    numbers += 2 + program.processes[p].loops;
    for (const Instruction& in : program.processes[p].code)
      if (in.kind == Kind::send) sender_[in.what] = p;
  }
  active_ = numbers;
  find_sorts(model);
  worms_.emplace(topology, model, packets_, true, true);
  find_windows();
  find_rivals();
}

/// A packet under way has its source, or one of its hops, for itself; between the newest, at its source, and
/// the oldest, some of which has arrived, all stand in buffers.
void ProgramRuns::find_sorts(const RouterModel& model) {
  for (const BoundProgram::Process& process : program_.processes)
    for (std::size_t i = 0; i < process.code.size(); ++i) {
      const Instruction& in = process.code[i];
      if (in.kind != Kind::send) continue;
      const WormRoute& route = program_.flows[in.what].worms.front();
      const std::uint64_t flits = route.flits(in.count, model.header_flits), times = most_sends(process, i);
      auto most = static_cast<std::uint32_t>(route.hops.size() + 2);
      if (times != 0) most = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, times));
      auto sort = std::find_if(sorts_.begin(), sorts_.end(),
                               [&](const Sort& one) { return one.flow == in.what && one.flits == flits; });
      if (sort == sorts_.end()) {
        sorts_.push_back({in.what, flits, 0, 0, static_cast<std::uint32_t>(route.hops.size() + 1)});
        sort = sorts_.end() - 1;
      }
      sort_of_send_[&in] = static_cast<std::uint32_t>(sort - sorts_.begin());
      sort->most =
          std::min<std::uint32_t>(sort->most + most, static_cast<std::uint32_t>(route.hops.size() + 2));
    }
  const Resources resources(topology_, model);
  for (std::uint32_t s = 0; s < sorts_.size(); ++s) {
    Sort& sort = sorts_[s];
    const WormRoute& route = program_.flows[sort.flow].worms.front();
    const std::uint64_t room = Footprint(topology_, resources, model, route, UINT64_MAX).flits();
    sort.most = static_cast<std::uint32_t>(std::min<std::uint64_t>(sort.most, room / sort.flits + 2));
    sort.first = static_cast<std::uint32_t>(packets_.size());
    packets_.insert(packets_.end(), sort.most, {route, sort.flits});
    sort_of_worm_.insert(sort_of_worm_.end(), sort.most, s);
  }
}

/// Consumption channels, and the process that receives there what comes by them.
void ProgramRuns::find_windows() {
  for (Place place = 0; place < worms_->size(); ++place) {
    const SharedWorms::Spot& spot = worms_->spot(place);
    if (!spot.consumption) continue;
    Window& window = windows_.emplace_back(Window{place, {}});
    const HostId host{packets_[spot.worm].route.hops[spot.position - 1].target};
    for (std::uint32_t p = 0; p < program_.processes.size(); ++p)
      if (program_.processes[p].host == host) window.processes.push_back(p);
  }
}

/// What a header that asks for a place keeps until it has got that, as its packet does not fit between; and
/// of each flow where its process may still send it.
void ProgramRuns::find_rivals() {
  kept_.resize(worms_->size());
  for (Place place = 0; place < worms_->size(); ++place) {
    std::uint64_t room = 0;
    for (Place at = place; worms_->spot(at).position > 0 && room < worms_->flits(place);) {
      at = worms_->spot(at).parent;
      for (const std::uint32_t r : worms_->spot(at).resources)
        if (worms_->taken()[r].units == 1) kept_[place].push_back(r);
      room += worms_->spot(at).slots;
    }
  }
  may_send_.resize(program_.flows.size());
  for (std::uint32_t f = 0; f < may_send_.size(); ++f) {
    if (sender_[f] == nobody) continue;
    const std::vector<Instruction>& code = program_.processes[sender_[f]].code;
    for (std::size_t pc = 0; pc <= code.size(); ++pc) {
      std::size_t from = pc;  // where loops that are not over begin
      for (std::size_t at = pc; at < code.size(); ++at)
        if (code[at].kind == Kind::loop) from = std::min<std::size_t>(from, code[at].what);
      may_send_[f].push_back(
          std::any_of(code.begin() + static_cast<std::ptrdiff_t>(from), code.end(),
                      [&](const Instruction& in) { return in.kind == Kind::send && in.what == f; }));
    }
  }
}

ProgramState ProgramRuns::start() const {
  ProgramState state{worms_->nothing_granted(), std::vector<std::uint64_t>(active_ + sorts_.size())};
  state.packets.allowed.resize(worms_->size());
  for (std::size_t c = 0; c < program_.counters.size(); ++c) state.numbers[c] = program_.counters[c].start;
  return state;
}

const Instruction* ProgramRuns::instruction(const ProgramState& state, std::size_t process) const {
  const std::vector<Instruction>& code = program_.processes[process].code;
  const std::uint64_t pc = state.numbers[process_start_[process]];
  return pc < code.size() ? &code[pc] : nullptr;
}

/// Of the packets that a process sends at this instruction the newest that is under way: the last one it
/// sent.
ProgramRuns::Place ProgramRuns::newest(const ProgramState& state, const Instruction& send,
                                       std::uint32_t sort) const {
  const Sort& packets = sorts_[sort];
  const std::uint64_t active = state.numbers[active_ + sort];
  if (active == 0 || packets.flow != send.what) throw std::logic_error("a send without its packet");
  return worms_->source(packets.first + static_cast<std::uint32_t>(active) - 1);
}

bool ProgramRuns::contested(const ProgramState& state, Place place) const {
  const SharedWorms::Spot& spot = worms_->spot(place);
  if (spot.never_refused) return false;
  const std::uint32_t own = flow_of(place);
  for (const std::uint32_t r : spot.resources) {
    const SharedWorms::Taken& taken = worms_->taken()[r];
    if (taken.units == 0) continue;
    for (const Place taker : taken.takers) {
      const std::uint32_t flow = flow_of(taker);
      if (flow != own && !state.packets.granted[taker] && may_come(state, worms_->spot(taker).worm) &&
          !is_behind(state, taker, place))
        return true;
    }
  }
  return false;
}

/// The packet is under way, or the next one that its process may send.
bool ProgramRuns::may_come(const ProgramState& state, std::uint32_t worm) const {
  const std::uint32_t sort = sort_of_worm_[worm], flow = sorts_[sort].flow;
  const std::uint64_t number = worm - sorts_[sort].first, active = state.numbers[active_ + sort];
  return number < active ||
         (number == active && may_send_[flow][state.numbers[process_start_[sender_[flow]]]]);
}

/// The packet has yet to take what the one that asks for `place` keeps until it has got that.
bool ProgramRuns::is_behind(const ProgramState& state, Place taker, Place place) const {
  while (worms_->spot(taker).position > 0) {
    taker = worms_->spot(taker).parent;
    if (state.packets.granted[taker]) return false;
    const std::vector<std::uint32_t>& takes = worms_->spot(taker).resources;
    if (std::find_first_of(takes.begin(), takes.end(), kept_[place].begin(), kept_[place].end()) !=
        takes.end())
      return true;
  }
  return false;
}

/// The process that receives what comes by the place.
std::optional<std::uint32_t> ProgramRuns::window_of(const ProgramState& state, Place place) const {
  const auto window =
      std::find_if(windows_.begin(), windows_.end(), [&](const Window& one) { return one.place == place; });
  for (const std::uint32_t p : window->processes)
    if (const Instruction* in = instruction(state, p); in != nullptr && receives(*in, place)) return p;
  return std::nullopt;
}

/// `before`: by window what has come by it.
void ProgramRuns::open_windows(ProgramState& state, std::vector<std::uint64_t>& before) const {
  before.clear();
  for (const Window& window : windows_) {
    std::uint64_t& allowed = state.packets.allowed[window.place];
    before.push_back(allowed = state.packets.entered[window.place]);
    if (!state.packets.granted[window.place]) continue;
    for (const std::uint32_t p : window.processes)
      if (const Instruction* in = instruction(state, p); in != nullptr && receives(*in, window.place))
        allowed += in->count - state.numbers[process_start_[p] + 1];
  }
}

bool ProgramRuns::close_windows(ProgramState& state, const std::vector<std::uint64_t>& before) const {
  bool any = false;
  std::size_t number = 0;
  for (const Window& window : windows_) {
    const std::uint64_t entered = state.packets.entered[window.place], more = entered - before[number++];
    state.packets.allowed[window.place] = entered;
    if (more == 0) continue;
    any = true;
    for (const std::uint32_t p : window.processes)
      if (const Instruction* in = instruction(state, p); in != nullptr && receives(*in, window.place)) {
        std::uint64_t& taken = state.numbers[process_start_[p] + 1];
        taken += more;
        if (in->until_tail && entered == worms_->flits(window.place)) taken = in->count;
      }
  }
  return any;
}

bool ProgramRuns::can_step(const ProgramState& state, std::size_t process) const {
  const Instruction& in = *instruction(state, process);
  const std::uint64_t progress = state.numbers[process_start_[process] + 1];
  switch (in.kind) {
    case Kind::send:
      return progress == 0 || !worms_->sends(state.packets, newest(state, in, sort_of(in)));
    case Kind::receive:
      return progress == in.count;
    case Kind::take:
      return state.numbers[in.what] >= in.count;
    case Kind::give: {
      const std::optional<std::uint64_t>& limit = program_.counters[in.what].limit;
      return !limit || state.numbers[in.what] + in.count <= *limit;
    }
    case Kind::compute:
    case Kind::loop:
      return true;
  }
  return false;
}

void ProgramRuns::step(ProgramState& state, std::size_t process) const {
  const Instruction& in = *instruction(state, process);
  std::uint64_t* const numbers = &state.numbers[process_start_[process]];
  std::uint64_t &pc = numbers[0], &progress = numbers[1];
  if (in.kind == Kind::send && progress == 0) {
    const std::uint32_t s = sort_of(in);
    const std::uint64_t number = state.numbers[active_ + s]++;
    if (number == sorts_[s].most) throw std::logic_error("more packets under way than fit");
    state.packets.allowed[worms_->source(sorts_[s].first + static_cast<std::uint32_t>(number))] = 1;
    progress = 1;
    return;
  }
  progress = 0;
  if (in.kind == Kind::take) state.numbers[in.what] -= in.count;
  if (in.kind == Kind::give) state.numbers[in.what] += in.count;
  if (in.kind == Kind::loop && (in.count == 0 || ++numbers[2 + in.loop] < in.count)) {
    pc = in.what;
    return;
  }
  if (in.kind == Kind::loop) numbers[2 + in.loop] = 0;
  ++pc;
}

bool ProgramRuns::run_process(ProgramState& state, std::size_t process, std::uint32_t& rounds) const {
  bool any = false;
  while (const Instruction* in = instruction(state, process)) {
    if (in->contended || !can_step(state, process)) break;
    if (in->kind == Kind::loop && ++rounds > rounds_at_once) break;
    step(state, process);
    any = true;
  }
  return any;
}

/// The oldest of a sort that has arrived makes room: the others move up.
bool ProgramRuns::remove_arrived(ProgramState& state) const {
  bool any = false;
  for (std::size_t s = 0; s < sorts_.size(); ++s) {
    const Sort& sort = sorts_[s];
    std::uint64_t& active = state.numbers[active_ + s];
    const Place base = worms_->source(sort.first);
    const auto arrived = [&] {
      for (Place place = base; place < base + sort.places; ++place)
        if (worms_->spot(place).consumption && state.packets.entered[place] < sort.flits) return false;
      return true;
    };
    while (active > 0 && arrived()) {
      const auto up = [&](auto& of) {
        const auto begin = of.begin() + base;
        std::fill(
            std::copy(begin + sort.places, begin + static_cast<std::ptrdiff_t>(active * sort.places), begin),
            begin + static_cast<std::ptrdiff_t>(active * sort.places), 0);
      };
      up(state.packets.granted);
      up(state.packets.entered);
      up(state.packets.allowed);
      for (std::uint32_t& place : state.packets.lines)
        if (place >= base + sort.places && place < base + active * sort.places) place -= sort.places;
      --active;
      any = true;
    }
  }
  return any;
}

bool ProgramRuns::settle(ProgramState& state, std::vector<ProgramEvent>& events,
                         std::vector<bool>& steps) const {
  std::vector<std::uint32_t> rounds(program_.processes.size());
  std::vector<std::uint64_t> before;
  bool packets = true;  // they may move, or be granted what others will not come for
  for (bool changed = true; changed;) {
    changed = false;
    if (packets) {
      open_windows(state, before);
      const std::size_t granted = events.size();
      worms_->settle(state.packets, [&](Place place) {
        if (contested(state, place)) return false;
        events.push_back(event_of(place));
        return true;
      });
      changed = packets = close_windows(state, before) || events.size() > granted;
    }
    for (std::size_t p = 0; p < rounds.size(); ++p)
      if (run_process(state, p, rounds[p])) {
        changed = steps[p] = true;
        packets = packets || program_.processes[p].host;
      }
    if (packets && remove_arrived(state)) changed = true;
  }
  return std::any_of(rounds.begin(), rounds.end(), [](std::uint32_t n) { return n > rounds_at_once; });
}

std::vector<ProgramRuns::Choice> ProgramRuns::choices(const ProgramState& state) const {
  std::vector<Choice> result;
  for (Place place = 0; place < worms_->size(); ++place)
    if (!state.packets.granted[place] && under_way(state, place) && worms_->can_ask(state.packets, place))
      result.push_back({place, 0});
  for (std::uint32_t p = 0; p < program_.processes.size(); ++p)
    if (const Instruction* in = instruction(state, p); in != nullptr && in->contended && can_step(state, p))
      result.push_back({std::nullopt, p});
  return result;
}

std::vector<ProgramRuns::Choice> ProgramRuns::decision(const ProgramState& state,
                                                       const std::vector<Choice>& choices) const {
  for (const Choice& choice : choices) {
    if (!choice.grant || worms_->spot(*choice.grant).resources.size() != 1) continue;
    const SharedWorms::Taken& taken = worms_->taken()[worms_->spot(*choice.grant).resources.front()];
    std::vector<Choice> result;
    for (const Choice& other : choices)
      if (other.grant && worms_->spot(*other.grant).resources == worms_->spot(*choice.grant).resources)
        result.push_back(other);
    const auto waits = [&](Place taker) {
      return std::any_of(result.begin(), result.end(), [&](const Choice& one) {
        return flow_of(taker) == flow_of(*one.grant) || is_behind(state, taker, *one.grant);
      });
    };
    if (std::all_of(taken.takers.begin(), taken.takers.end(), [&](Place taker) {
          return state.packets.granted[taker] || !may_come(state, worms_->spot(taker).worm) || waits(taker);
        }))
      return result;
  }
  return choices;
}

void ProgramRuns::take(ProgramState& state, const Choice& choice, std::vector<ProgramEvent>& events) const {
  if (choice.grant) {
    worms_->ask(state.packets, *choice.grant);
    events.push_back(event_of(*choice.grant));
  } else {
    step(state, choice.process);
    events.push_back({std::nullopt, -1, choice.process});
  }
}

/// What has what the place asks for.
ProgramEvent ProgramRuns::event_of(Place place) const {
  return {program_.flows[flow_of(place)].plan.request.id,
          static_cast<std::int32_t>(worms_->spot(place).position) - 1, std::nullopt};
}

}  // namespace wormcast
