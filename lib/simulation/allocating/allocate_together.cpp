// Virtual channels and the crossbar allocated together, for routers that make one copy after the other.
//
// A copy's header asks for one virtual channel of its link: of those that it may take, are free and have
// slots the next after the last that its input virtual channel has asked for. A flit behind it asks while
// there is a slot. Of an input the next virtual channel that asks after the one granted last goes on; of the
// inputs that ask for a link one is granted, in turn. A header has its virtual channel with that. A flit
// behind a header waits a cycle where the virtual channel that its input virtual channel had before is short
// of slots at that link: that is looked up a cycle ahead. Cost: a look a cycle at each copy under way. cite:
// ProNoC: comb_nonspec_allocator, nonspec_sw_alloc, full_ovc_predictor, OVC_ALLOC_MODE (router_two_stage)
// SPDX-License-Identifier: MIT
#include "simulation/allocating/allocating_engine.hpp"
#include "simulation/engines/output_arbiter.hpp"

namespace wormcast {

/// Inputs in the order of rotating arbiters. The lowest that can ask counts as the one served last.
void AllocatingEngine::set_turns() {
  turns_.resize(links_.links());
  for (std::uint32_t number = 0; number < links_.links(); ++number) {
    const LinkKind kind = links_.link(number).kind;
    if (kind == LinkKind::absent) continue;
    Hop hop;
    hop.kind = kind == LinkKind::channel ? HopKind::channel : HopKind::injection;
    hop.target = number;
    turns_[number].rank = input_port(*topology_, hop, InputOrder::own_first);
    turns_[number].served = kind == LinkKind::consumption ? 1 : 0;
  }
}

/// True if a header finds too few slots there: of deeper buffers the last one does not count.
bool AllocatingEngine::is_short(std::uint32_t place) const {
  return crossbars_.credits(place) < (model().buffer_flits > 4 ? 2U : 1U);
}

/// The virtual channel that a header asks for; kNone: there is none.
std::uint32_t AllocatingEngine::choose_vc(const Branch& branch) {
  std::uint32_t& last = links_.vc(LinkTable::vc_number(branch.link_input, branch.input_vc)).accept;
  for (const OutputCandidate& way : branch.ways)
    for (std::uint32_t i = 1; i <= links_.vcs(); ++i) {
      const std::uint32_t vc = (last + i) % links_.vcs();
      const std::uint32_t number = LinkTable::vc_number(way.link, vc);
      if (vc < way.vc_begin || vc >= way.vc_end || !is_free(number)) continue;
      if (is_short(crossbars_.place(way.link, vc))) continue;
      last = vc;
      return number;
    }
  return kNone;
}

/// True if the branch asks for branch.accepted; while it could, the next cycle may bring something.
bool AllocatingEngine::asks(Branch& branch) {
  if (branch.since > now_) return false;
  branch.accepted = branch.link_vc == kNone ? choose_vc(branch) : branch.link_vc;
  if (branch.accepted == kNone) return false;
  if (branch.link_vc == kNone) return more_ = true;
  if (crossbars_.extra(branch.place).available == 0 || crossbars_.credits(branch.place) == 0) return false;
  more_ = true;
  return branch.granted + 1 != now_ || branch.accept_rank == kNone ||
         crossbars_.extra(branch.accept_rank).credited_at == static_cast<std::uint32_t>(now_);
}

/// The branch is granted: its next flit crosses.
void AllocatingEngine::cross(std::uint32_t slot) {
  Branch& branch = branches_[slot];
  if (const std::uint32_t number = branch.accepted; branch.link_vc == kNone) {
    std::uint32_t& before = links_.vc(LinkTable::vc_number(branch.link_input, branch.input_vc)).grant;
    const std::uint32_t place = crossbars_.place(LinkTable::link_of(number), before - 1);
    branch.accept_rank = before > 0 && is_short(place) ? place : kNone;
    before = LinkTable::vc_of(number) + 1;
    grant_vc(slot, number);
  }
  ++event_count_;
  moved_ = now_;
  const std::uint32_t place = branch.place;
  crossbars_.cross(now_, flits_, credits_, place);
  copied(place);
}

void AllocatingEngine::allocate_together(std::uint32_t number) {
  std::vector<std::uint32_t>& copies = routers_[number].waiting;
  const std::uint32_t vcs = links_.vcs();
  const auto stand = [&](std::uint32_t& best, std::uint32_t slot, auto distance) {
    if (best == kNone || distance(branches_[slot]) < distance(branches_[best])) best = slot;
  };
  asking_.clear();
  for (const std::uint32_t slot : copies) {
    if (!asks(branches_[slot])) continue;
    asking_.push_back(slot);
    Turn& input = turns_[branches_[slot].link_input];
    stand(input.best, slot, [&](const Branch& one) { return (one.input_vc + vcs - input.vc - 1) % vcs; });
  }
  for (const std::uint32_t slot : asking_) {
    if (turns_[branches_[slot].link_input].best != slot) continue;
    Turn& output = turns_[LinkTable::link_of(branches_[slot].accepted)];
    stand(output.best, slot, [&](const Branch& one) {  // wraps
      return turns_[one.link_input].rank - output.served - 1;
    });
  }
  for (const std::uint32_t slot : asking_) {
    const Branch& branch = branches_[slot];
    Turn& input = turns_[branch.link_input];
    Turn& output = turns_[LinkTable::link_of(branch.accepted)];
    if (input.best == slot) input.best = kNone;
    if (output.best != slot) continue;
    output.best = kNone;
    output.served = input.rank;
    input.vc = branch.input_vc;
    cross(slot);
    if (branch.sent == branch.flits) std::erase(copies, slot);
  }
  routers_[number].asks = !copies.empty();
}

/// What is still under way stands still.
void AllocatingEngine::end_stream() {
  if (!together_ || deadlock_ || unfinished_worms_ == 0) return;
  settle();
  end_with(deadlock_search_.find(moved_, resources_, true));
}

}  // namespace wormcast
