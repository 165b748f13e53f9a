// Virtual channels and the crossbar allocated together, for routers that make one copy after the other.
//
// A copy's header asks for one virtual channel of its link: of those that it may take, are free and have a slot
// the next after the last that its input virtual channel has asked for. A flit behind it asks while there is a
// slot. Of an input one virtual channel goes on to ask, the next after the last that was granted; of those that
// ask for a link one input is granted, the next after the last. A header has its virtual channel with that, up to
// its tail. A flit behind a header waits a cycle where the virtual channel that its input virtual channel had
// before is short of slots at that link, as that is looked up a cycle ahead. Where buffers are of more than four
// flits a virtual channel with a single slot is as good as full for headers. Cost: a look a cycle at each copy
// under way, wherever anything moves. cite: ProNoC: comb_nonspec_allocator, nonspec_sw_alloc,
// vc_alloc_request_gen, full_ovc_predictor, OVC_ALLOC_MODE (router_two_stage)
// SPDX-License-Identifier: MIT
#include "simulation/allocating/allocating_engine.hpp"
#include "simulation/engines/output_arbiter.hpp"

namespace wormcast {

/// Inputs in the order of the rotating arbiters; each starts with the lowest that can ask as the one served last.
void AllocatingEngine::set_turns() {
  turns_.resize(links_.links());
  for (std::uint32_t number = 0; number < links_.links(); ++number) {
    const Link& link = links_.link(number);
    if (link.kind == LinkKind::absent) continue;
    Hop hop;
    hop.kind = link.kind == LinkKind::channel ? HopKind::channel : HopKind::injection;
    hop.target = number;
    turns_[number].rank = input_port(*topology_, hop, InputOrder::own_first);
    turns_[number].served = link.kind == LinkKind::consumption ? 1 : 0;
  }
}

/// Slots that a virtual channel must have for a header.
inline std::uint32_t slots_for_header(const RouterModel& model) { return model.buffer_flits > 4 ? 2 : 1; }

/// The virtual channel that a header asks for; kNone: there is none.
std::uint32_t AllocatingEngine::choose_vc(const Branch& branch) {
  LinkVc& input = links_.vc(LinkTable::vc_number(branch.link_input, branch.input_vc));
  for (const OutputCandidate& way : branch.ways)
    for (std::uint32_t i = 1; i <= links_.vcs(); ++i) {
      const std::uint32_t vc = (input.accept + i) % links_.vcs();
      if (vc < way.vc_begin || vc >= way.vc_end) continue;
      const std::uint32_t number = LinkTable::vc_number(way.link, vc);
      if (!is_free(number) ||
          crossbars_.at(crossbars_.place(way.link, vc)).credits < slots_for_header(model()))
        continue;
      input.accept = vc;
      return number;
    }
  return kNone;
}

/// True if the branch asks for branch.accepted.
bool AllocatingEngine::asks(Branch& branch) {
  if (branch.since > now_) return false;
  branch.accepted = branch.link_vc == kNone ? choose_vc(branch) : branch.link_vc;
  if (branch.accepted == kNone) return false;
  if (branch.link_vc == kNone) return more_ = true;
  const SwitchRequest& request = crossbars_.at(branch.place);
  if (request.available == 0 || request.credits == 0) return false;
  more_ = true;
  return branch.granted + 1 != now_ || branch.accept_rank == kNone ||
         crossbars_.at(branch.accept_rank).credited_at == static_cast<std::uint32_t>(now_);
}

/// The branch is granted: its next flit crosses.
void AllocatingEngine::cross(std::uint32_t slot) {
  Branch& branch = branches_[slot];
  if (branch.link_vc == kNone) {
    std::uint32_t& before = links_.vc(LinkTable::vc_number(branch.link_input, branch.input_vc)).grant;
    branch.accept_rank = kNone;
    if (before > 0) {
      const std::uint32_t place = crossbars_.place(LinkTable::link_of(branch.accepted), before - 1);
      if (crossbars_.at(place).credits < slots_for_header(model())) branch.accept_rank = place;
    }
    before = LinkTable::vc_of(branch.accepted) + 1;
    grant_vc(slot, branch.accepted);
  }
  ++event_count_;
  moved_ = now_;
  send(branch.place);
}

void AllocatingEngine::allocate_together(std::uint32_t number) {
  std::vector<std::uint32_t>& copies = routers_[number].waiting;
  const std::uint32_t vcs = links_.vcs();
  asking_.clear();
  for (const std::uint32_t slot : copies) {
    const Branch& branch = branches_[slot];
    if (!asks(branches_[slot])) continue;
    asking_.push_back(slot);
    Turn& input = turns_[branch.link_input];
    const auto distance = [&](std::uint32_t at) {
      return (branches_[at].input_vc + vcs - input.vc - 1) % vcs;
    };
    if (input.best == kNone || distance(slot) < distance(input.best)) input.best = slot;
  }
  for (const std::uint32_t slot : asking_) {
    if (turns_[branches_[slot].link_input].best != slot) continue;
    Turn& output = turns_[LinkTable::link_of(branches_[slot].accepted)];
    const auto distance = [&](std::uint32_t at) {  // wraps
      return turns_[branches_[at].link_input].rank - output.served - 1;
    };
    if (output.best == kNone || distance(slot) < distance(output.best)) output.best = slot;
  }
  for (const std::uint32_t slot : asking_) {
    const Branch& branch = branches_[slot];
    Turn& input = turns_[branch.link_input];
    Turn& output = turns_[LinkTable::link_of(branch.accepted)];
    if (input.best == slot) input.best = kNone;
    if (output.best != slot) continue;
    output = {output.vc, output.rank, input.rank, kNone};
    input.vc = branch.input_vc;
    const bool tail = branch.link_vc == kNone ? branch.flits == 1 : crossbars_.at(branch.place).to_go == 1;
    if (tail) std::erase(copies, slot);
    cross(slot);
  }
  routers_[number].asks = !copies.empty();
}

/// What is still under way stands still.
void AllocatingEngine::end_stream() {
  if (!together_ || deadlock_ || unfinished_worms_ == 0) return;
  settle();
  end_with(deadlock_search_.standing(moved_, resources_));
}

}  // namespace wormcast
