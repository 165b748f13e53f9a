// Graphs whose nodes may say whether they are routers or hosts, as node-link JSON has them. Where no node is
// a host, every node is a router with one host.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/import/format.hpp"

namespace wormcast::io {

/// Whether a node is a host, as its attributes "type", "class" and "role" say, in any case: "host", or
/// "router" or "switch". A node that says neither is a router.
class NodeRole {
 public:
  /// The keys that say it.
  static bool is_key(std::string_view key) { return key == "type" || key == "class" || key == "role"; }
  /// Takes an attribute of the node; of other keys, and without a value, it says nothing.
  void take(std::string_view key, std::string_view value);

  bool host() const { return host_; }
  /// Some key says router or host.
  bool known() const { return host_ || router_; }
  /// One key says host and another one router.
  bool contradicts() const { return host_ && router_; }
  /// There are keys, but what they say is something else.
  bool strange() const { return strange_ && !known(); }

 private:
  bool host_ = false;
  bool router_ = false;
  bool strange_ = false;
};

/// A node as a file describes it.
struct TypedNode {
  std::string id;
  NodeRole role;
  std::optional<std::string> name;       ///< nothing = its id
  std::string guid;                      ///< empty = not known
  std::optional<std::uint32_t> group{};  ///< kept where every router states one
};

/// Directed edges, two of which in opposite directions are one link.
class ArcPairs {
 public:
  /// Nothing where the arc begins a link of its own, which is `link`; else the link whose way back it is.
  std::optional<std::size_t> way_back(std::uint32_t from, std::uint32_t to, std::size_t link);
  /// Links so far whose arc has none back.
  std::vector<std::size_t> one_way() const;

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::size_t>> open_;  ///< links, in order
};

class TypedGraph {
 public:
  /// Why it cannot be a node (one has that id already, it says that it is two things), or nothing. An id
  /// beside a name stands where the GUID would; ids that are numbers, and those of our own exports, are no
  /// names.
  std::string add_node(const TypedNode& node);
  /// The index of a node for add_edge().
  std::optional<std::size_t> find(const std::string& id) const;
  /// An edge and one back are the two ways of a link; one without runs one way.
  void set_directed() { directed_ = true; }
  /// Two nodes have one edge, or one each way where edges are directed, however often it is named.
  void set_strict() { strict_ = true; }
  /// A link, or a host's link to its router; why it can be neither, or nullptr. `ports` are those at source
  /// and target, `hop_cycles` those of a GraphLink or of a HostLink. What several edges of one link say is
  /// taken together: ports and times that contradict are a reason, of widths and speeds the first stay and
  /// the others are counted. `directed`: as the others where it says nothing.
  const char* add_edge(std::size_t source, std::size_t target, GraphLink link,
                       std::optional<bool> directed = std::nullopt);
  /// Counts an attribute of an edge that is not read, by its name. What only draws, or names the edge, is
  /// none.
  void count_unread(std::string_view attribute);
  /// The id of a host without an edge; empty where there is none.
  std::string loose_host() const;
  std::uint32_t routers() const { return graph_.routers; }

  /// Where types are given and the ids are r0, r1 ... and h0, h1 ..., as our exports write them, routers
  /// without any name have none, and hosts likewise.
  Imported build() &&;

 private:
  struct Node {
    std::string id;
    bool host = false;
    std::uint32_t index = 0;     ///< among routers, or among hosts
    std::array<bool, 2> ways{};  ///< whether its link to the router, and from it, was named
    bool attached() const { return ways[0] || ways[1]; }
  };

  template <class Link>
  const char* merge(Link& known, const GraphLink& again);
  const char* join_routers(std::uint32_t from, std::uint32_t to, GraphLink link, std::size_t at);
  const char* attach(Node& host, std::uint32_t router, const GraphLink& link, std::array<bool, 2> ways,
                     bool known);

  GraphSpec graph_;
  std::vector<Node> nodes_;
  std::map<std::string, std::size_t> by_id_;
  std::vector<HostLink> attachments_;
  ArcPairs arcs_;
  bool directed_ = false;
  bool strict_ = false;
  /// Where edges may be named again: the links of edges so far, by source and target.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> pairs_;
  std::uint64_t unlike_ = 0;  ///< edges whose width or speed is another than that of their link
  bool typed_ = false;        ///< a node says what it is
  bool own_ids_ = true;       ///< every node's id is its letter and number
  bool routers_named_ = false;
  bool hosts_named_ = false;
  bool detailed_ = false;  ///< a host's link has attributes
  std::uint64_t loops_ = 0;
  std::uint64_t second_names_ = 0;               ///< left out beside GUIDs
  std::uint64_t strange_ = 0;                    ///< nodes whose role was not understood
  std::map<std::string, std::uint64_t> unread_;  ///< edges with an attribute that is not read
};

}  // namespace wormcast::io
