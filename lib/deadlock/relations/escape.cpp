// Escape subfunctions.
//
// Theorem. Number some of the VCs. Suppose that at every place
// where a header can wait, one of the VCs offered has a larger number than every numbered VC that a worm
// can hold while its header waits there. Then no set of worms blocks itself, if a buffer holds flits of one
// worm at a time.
// Proof. Let all VCs offered to each of a set of worms be held within the set. Take the largest number that
// is held, of VC b. Its holder waits at some place, and there is offered a VC with a larger number.
// It is held within the set: a contradiction. (One worm holds b at least: each place offers a numbered VC,
// and it is held.) This is Duato's condition. The escape R1 of a place is its offered VCs that are numbered
// above all that can be held there; it is connected, as no place is without. Direct, indirect and cross
// dependencies are all in "can hold", since every way to the place counts, by escapes or not; so are those of
// stops, since ways lead across them. Nothing is supposed of the relation: it may look at the channel by
// which a worm came (routing state), and need not be coherent, that is closed under parts of its ways; Duato
// needs this for the converse alone. Worms of any length: a short one holds less. Where buffers hold several
// worms in order (early reuse), a header may stand behind another worm that is already bound to a VC which
// is no escape, and the theorem says nothing.
//
// Worms that go by routes of their own, and may branch, are offered one VC wherever they wait: where each
// of their dependencies rises, all of their VCs being numbered, the proof holds for them, too.
//
// The search is exact. VCs are numbered from the largest number down. A VC may come next if behind it lie
// only places that are satisfied already, by VCs with larger numbers, and what other worms wait for that
// hold it has a number. To number one VC takes no other its chance, so when none is left there is no
// complete escape; and in every set of worms that block each other all wait at places not satisfied and hold
// no numbered VC. Cost: linear in places and candidates; where worms can come back to a place, times the
// rounds in which cycles of satisfied places are looked for (at most one for each VC). cite: Duato 1993;
// Duato 1995 (A necessary and sufficient condition for deadlock-free adaptive routing in wormhole networks);
// Dally, Seitz 1987 (the case in which all VCs are escapes).
// SPDX-License-Identifier: MIT
#include "deadlock/relations/relation_check.hpp"

#include <algorithm>

namespace wormcast {

namespace {

class EscapeSearch {
 public:
  EscapeSearch(const RelationGraph& graph, const DependencyGraph& others)
      : graph_(graph),
        vcs_(std::max<std::size_t>(graph.vc_bound(), others.taken().size())),
        taken_(others.taken()),
        before_(graph.vertices().size()),
        open_(graph.vertices().size(), 0),
        unsafe_(graph.vertices().size(), true),
        lower_bounds_(vcs_, 0),
        asked_by_(vcs_),
        held_before_(vcs_) {
    result_.satisfied.assign(graph.vertices().size(), false);
    result_.numbered.assign(vcs_, false);
    for (const DependencyGraph::Edge& edge : others.edges()) {
      held_before_[edge.to.value].push_back(edge.from);
      ++lower_bounds_[edge.from.value];
    }
  }

  Escape run() {
    prepare();
    do {
      settle();
    } while (clear_cycles());
    std::reverse(result_.numbering.begin(), result_.numbering.end());
    result_.complete =
        std::all_of(result_.satisfied.begin(), result_.satisfied.end(), [](bool s) { return s; });
    for (std::size_t vc = 0; vc < taken_.size(); ++vc)
      if (taken_[vc] && !result_.numbered[vc]) result_.complete = false;
    return std::move(result_);
  }

 private:
  bool asks(std::uint32_t v) const {
    const auto kind = graph_.vertices()[v].kind;
    return kind == RelationGraph::Kind::waits || kind == RelationGraph::Kind::consumed;
  }

  void prepare() {
    std::vector<bool> taken = taken_;
    taken.resize(vcs_);
    for (std::uint32_t v = 0; v < graph_.vertices().size(); ++v) {
      if (!asks(v)) result_.satisfied[v] = true;
      open_[v] = graph_.vertices()[v].arcs + (asks(v) ? 1 : 0);
      for (const RelationArc& arc : graph_.arcs(v)) {
        before_[arc.to].push_back({arc.vc, v});
        if (arc.vc == nothing_taken) continue;
        taken[arc.vc.value] = true;
        ++lower_bounds_[arc.vc.value];
        asked_by_[arc.vc.value].push_back(v);
      }
    }
    for (std::uint32_t v = 0; v < graph_.vertices().size(); ++v)
      if (open_[v] == 0) safe_.push_back(v);
    for (std::uint32_t vc = 0; vc < taken.size(); ++vc)
      if (taken[vc] && lower_bounds_[vc] == 0) ready_.push_back(ResourceId{vc});
  }

  /// Nothing that is not satisfied lies at `v` or behind it.
  void settle() {
    while (!safe_.empty() || !ready_.empty()) {
      while (!safe_.empty()) {
        const std::uint32_t v = safe_.back();
        safe_.pop_back();
        if (!unsafe_[v]) continue;
        unsafe_[v] = false;
        for (const RelationArc& arc : before_[v]) {
          if (arc.vc != nothing_taken) release(arc.vc);
          close(arc.to);
        }
      }
      if (!ready_.empty()) number_next();
    }
  }

  void number_next() {
    const ResourceId vc = ready_.back();
    ready_.pop_back();
    result_.numbered[vc.value] = true;
    result_.numbering.push_back(vc);
    for (const ResourceId held : held_before_[vc.value]) release(held);
    for (const std::uint32_t v : asked_by_[vc.value]) {
      if (result_.satisfied[v]) continue;
      result_.satisfied[v] = true;
      close(v);
    }
  }

  void release(ResourceId vc) {
    if (--lower_bounds_[vc.value] == 0) ready_.push_back(vc);
  }

  void close(std::uint32_t v) {
    if (unsafe_[v] && --open_[v] == 0) safe_.push_back(v);
  }

  /// Places in a cycle wait for each other to become safe; they are if nothing not satisfied lies behind.
  bool clear_cycles() {
    std::vector<std::uint32_t> open;
    for (std::uint32_t v = 0; v < graph_.vertices().size(); ++v)
      if (!result_.satisfied[v]) open.push_back(v);
    const std::vector<bool> reaches =
        marks_reached(graph_.vertices().size(), std::move(open), [&](std::uint32_t v, const auto& visit) {
          for (const RelationArc& arc : before_[v]) visit(arc.to);
        });
    for (std::uint32_t v = 0; v < graph_.vertices().size(); ++v)
      if (unsafe_[v] && !reaches[v]) safe_.push_back(v);
    return !safe_.empty();
  }

  const RelationGraph& graph_;
  std::size_t vcs_;
  std::vector<bool> taken_;  ///< by VC: other worms take it
  Escape result_;
  std::vector<std::vector<RelationArc>> before_;  ///< arcs into a place; `to`: where they come from
  std::vector<std::uint32_t> open_;  ///< of a place: itself if not satisfied, and unsafe followers
  std::vector<bool> unsafe_;         ///< something not satisfied may lie at the place or behind it
  /// By VC: arcs by it that lead to unsafe places, and dependencies of others on what has no number.
  std::vector<std::uint32_t> lower_bounds_;
  std::vector<std::vector<std::uint32_t>> asked_by_;
  std::vector<std::vector<ResourceId>> held_before_;  ///< by VC: what others hold that wait for it
  std::vector<std::uint32_t> safe_;
  std::vector<ResourceId> ready_;
};

}  // namespace

Escape find_escape(const RelationGraph& graph, const DependencyGraph& others) {
  return EscapeSearch(graph, others).run();
}

}  // namespace wormcast
