// Reductions wait for each other, and for other traffic: a graph of which every deadlock has a cycle.
//
// Its places are pairs of a worm and a hop that it holds; from (A, h) an edge leads to (B, g) where g has the
// same resource as something that A may wait for while it holds h. In a deadlock the first worm in a buffer
// waits for what another one holds, which is first there or behind one that is; so from each blocked place an
// edge leads to another blocked one, and without a cycle there is no deadlock, whatever starts when.
//
// By request (ideal joins). A reduction's header goes on when all parts have come, so all behind h, towards
// the sources, has been granted. Open is the rest of its tree: what lies before h, the siblings that have to
// come there, their injections, and what these parts wait for: worms whose messages they combine, requests
// that they depend on, and whatever these wait for, the reduction itself included. At the root nothing is
// open. A multicast that holds h may wait for all but h and what leads to it, however it is copied.
//
// Flit by flit (joining_mesh.hpp), messages of one flit. A place is the FIFO in which the flit stands, and
// the head waits. A worm's head waits for the FIFO behind an output: if that has room the output moves
// something. So does a part's, where it is one of several expected inputs also for the others, each of which
// holds another head, or is empty since one upstream of it, or a node, holds another one. Local outputs take
// one flit at once. Reductions of one root and mask join with each other; with the same sources each takes
// another's place, and they count as one message, which may wait for itself farther on. Nothing is proved of
// those with other sources, and of a message of several flits that shares a FIFO or a node where it arrives:
// inputs stay tied to outputs, and outputs to inputs, until its last flit.
//
// Where others' messages that meet the tree of a reduction of one flit come back to it only farther on, the
// graph may do without what that waits for beside its way (`apart`). A part that is not there stands behind
// another message in a FIFO of the tree, or in front of one. What waits for what from there on comes to a
// place of the reduction only farther on, and what stands in that has all parts from behind it: no round of
// waits has such a step. Unicasts and multicasts of one flit by the same dimension order are such.
//
// Cost: linear in hops, and in worms that share a resource.
// cite: this project; rules of routers: pulp-platform FlooNoC, as measured (tests/suites/joins).
// SPDX-License-Identifier: MIT
#include "deadlock/graph/dependency_graph.hpp"

namespace wormcast {
namespace {

/// A node for each place, and four that stand for sets: what it asks for; that and all behind it; all beside
/// the way that leads to it; and, of a worm, all that it may wait for before it arrives.
class PlaceGraph {
 public:
  PlaceGraph(const JoinedWorms& worms, bool apart) : worms_(worms), apart_(apart) {
    std::uint32_t places = 0;
    for (std::uint32_t w = 0; w < worms.all.size(); ++w) {
      first_.push_back(places);
      places += static_cast<std::uint32_t>(worms.hops(w) + 1);
      for (std::int32_t h = 0; h < worms.hops(w); ++h) next_[{w, worms.hop({w, h}).parent}].push_back(h);
    }
    for (std::uint32_t w = 0; w < worms.all.size(); ++w)
      for (std::int32_t h = -1; h < worms.hops(w); ++h) {
        lead(w, h);
        worms.by_flit ? lead_by_flit(w, h) : lead_by_request(w, h);
        lead_to_holders(w, h);
      }
  }

  /// Of the graph's nodes those are read that are places, and shared.
  JoinOrder order() const {
    std::map<std::uint32_t, JoinPlace> shared;
    for (const ResourceId resource : worms_.shared)
      if (const auto found = worms_.holders.find(resource); found != worms_.holders.end())
        for (const JoinPlace& at : found->second) shared[node(at, place)] = at;
    JoinOrder result;
    result.dependencies = graph_.size();
    const DependencyOrder found(graph_);
    if (found.acyclic()) {
      for (const ResourceId id : found.numbering())
        if (const auto at = shared.find(id.value); at != shared.end())
          result.order.push_back(worms_.cause(at->second));
      return result;
    }
    std::vector<JoinPlace> round;
    for (const Dependency& edge : found.shortest_cycle())
      if (const auto at = shared.find(edge.from.value); at != shared.end()) round.push_back(at->second);
    for (std::size_t i = 0; i < round.size(); ++i)
      result.cycle.push_back({worms_.held(round[i]).front(),
                              worms_.held(round[(i + 1) % round.size()]).front(), worms_.cause(round[i])});
    return result;
  }

 private:
  enum Kind : std::uint32_t { place, asked, behind, beside, arrival, kinds };

  void lead(std::uint32_t w, std::int32_t hop) {
    edge(node({w, hop}, behind), node({w, hop}, asked));
    for (const std::int32_t next : next_[{w, hop}]) edge(node({w, hop}, behind), node({w, next}, behind));
    if (const auto found = worms_.all[w].awaits.find(hop); found != worms_.all[w].awaits.end())
      for (const std::uint32_t earlier : found->second) {
        edge(node({w, hop}, behind), node({earlier, -1}, arrival));
        edge(node({w, -1}, arrival), node({earlier, -1}, arrival));
      }
  }

  void lead_by_request(std::uint32_t w, std::int32_t hop) {
    if (!worms_.reduces(w))
      for (const std::int32_t next : next_[{w, hop}]) edge(node({w, hop}, place), node({w, next}, behind));
    if (hop < 0) return;
    const std::int32_t before = worms_.hop({w, hop}).parent;
    edge(node({w, hop}, place), node({w, hop}, beside));
    if (worms_.reduces(w)) edge(node({w, hop}, beside), node({w, before}, asked));
    for (const std::int32_t sibling : next_[{w, before}])
      if (sibling != hop) edge(node({w, hop}, beside), node({w, sibling}, behind));
    if (before >= 0) edge(node({w, hop}, beside), node({w, before}, beside));
  }

  void lead_by_flit(std::uint32_t w, std::int32_t hop) {
    const std::uint32_t from = node({w, hop}, place);
    if (!worms_.reduces(w)) {
      for (const std::int32_t next : next_[{w, hop}]) edge(from, node({w, next}, asked));
      return;
    }
    if (hop < 0) return;
    const std::int32_t before = worms_.hop({w, hop}).parent;
    edge(from, node({w, before}, asked));
    for (const std::int32_t sibling : next_[{w, before}])
      if (sibling != hop && !apart_) edge(from, node({w, sibling}, behind));
    if (!worms_.has_alike(w)) return;
    for (const ResourceId resource : worms_.held({w, before}))
      for (const JoinPlace& at : worms_.holders.at(resource))
        if (worms_.all[at.first].alike == worms_.all[w].alike) edge(from, node(at, place));
  }

  void lead_to_holders(std::uint32_t w, std::int32_t hop) {
    for (const ResourceId resource : worms_.asked({w, hop})) {
      const auto found = worms_.holders.find(resource);
      if (found == worms_.holders.end()) continue;
      for (const JoinPlace& at : found->second) {
        edge(node({w, -1}, arrival), node(at, place));
        if (worms_.all[at.first].alike != worms_.all[w].alike) edge(node({w, hop}, asked), node(at, place));
      }
    }
  }

  std::uint32_t node(const JoinPlace& at, Kind kind) const {
    return (first_[at.first] + static_cast<std::uint32_t>(at.second + 1)) * kinds + kind;
  }

  void edge(std::uint32_t from, std::uint32_t to) {
    graph_.add(ResourceId{from}, ResourceId{to}, WormCause{});
  }

  const JoinedWorms& worms_;
  bool apart_;
  std::vector<std::uint32_t> first_;  ///< by worm
  std::map<JoinPlace, std::vector<std::int32_t>> next_;
  DependencyGraph graph_;
};

}  // namespace

JoinOrder order_joins(const JoinedWorms& worms, bool apart) { return PlaceGraph(worms, apart).order(); }

}  // namespace wormcast
