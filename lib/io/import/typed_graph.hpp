// Graphs whose nodes may say whether they are routers or hosts: what the formats describe that our own
// exports write. Where no node is a host, every node is a router with one host.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/import/format.hpp"
#include "io/import/plain_graph.hpp"

namespace wormcast::io {

/// A node as a file describes it.
struct TypedNode {
  std::string id;
  std::string type;                 ///< "host", "router", or anything else, which is a router
  std::optional<std::string> name;  ///< nothing = its id
  std::string guid;                 ///< empty = not known
};

class TypedGraph {
 public:
  /// False where a node has that id already.
  bool add_node(const TypedNode& node);
  /// The index of a node for add_edge().
  std::optional<std::size_t> find(const std::string& id) const;
  /// An edge and one back are the two ways of a link.
  void set_directed() { directed_ = true; }
  /// Two nodes have one edge, or one each way where edges are directed, however often it is named.
  void set_strict() { strict_ = true; }
  /// A link, or a host's link to its router; why it can be neither, or nullptr. `ports` are those at source
  /// and target, `hop_cycles` those of a GraphLink or of a HostLink. What several edges of one link say is
  /// taken together: ports and times that contradict are a reason, of widths and speeds the first stay and
  /// the others are counted.
  const char* add_edge(std::size_t source, std::size_t target, GraphLink link);
  /// The id of a host without an edge; empty where there is none.
  std::string loose_host() const;
  std::uint32_t routers() const { return graph_.routers; }

  /// Names are left out where types are given and the ids are r0, r1 ... and h0, h1 ..., as our exports write
  /// nodes without names.
  Imported build() &&;

 private:
  template <class Link>
  const char* merge(Link& known, const GraphLink& again);
  const char* join_routers(std::uint32_t from, std::uint32_t to, GraphLink link, bool known);

  struct Node {
    std::string id;
    bool host = false;
    std::uint32_t index = 0;  ///< among routers, or among hosts
    bool attached = false;
  };

  GraphSpec graph_;
  std::vector<Node> nodes_;
  std::map<std::string, std::size_t> by_id_;
  std::vector<HostLink> attachments_;
  ArcPairs arcs_;
  bool directed_ = false;
  bool strict_ = false;
  std::set<std::pair<std::size_t, std::size_t>> kinds_;                     ///< of edges of a strict graph
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> of_pair_;  ///< links of a strict graph
  std::uint64_t unlike_ = 0;  ///< edges whose width or speed is another than that of their link
  bool typed_ = false;        ///< a node says what it is
  bool named_ = false;        ///< a node has a name, or an id that is not only its number
  bool detailed_ = false;     ///< a host's link has attributes
  std::uint64_t loops_ = 0;
};

}  // namespace wormcast::io
