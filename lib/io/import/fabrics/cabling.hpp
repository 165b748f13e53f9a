// Switches, hosts and the cables between their ports: what most formats of real networks describe.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/import/format.hpp"
#include "io/import/text.hpp"

namespace wormcast::io {

/// Collects nodes and cables; each cable may be named from one of its ends or from both. Then turns
/// them into a graph whose hosts are the cabled ports of hosts.
class Cabling {
 public:
  struct Port {
    std::uint32_t node = 0;
    std::uint32_t port = 0;
    friend auto operator<=>(const Port&, const Port&) = default;
  };
  /// What is known of a cable; 0 and empty where not.
  struct Attributes {
    std::uint32_t width = 0;
    std::string speed;
  };

  /// The node of that key, made where it is new.
  std::uint32_t node(std::string_view key);
  std::optional<std::uint32_t> find(std::string_view key) const;
  void set_kind(std::uint32_t node, bool is_switch);
  std::size_t nodes() const { return nodes_.size(); }
  bool kind_known(std::uint32_t node) const { return nodes_[node].kind != Kind::unknown; }
  void set_name(std::uint32_t node, std::string_view name) { nodes_[node].name = valid_utf8(name); }
  void set_guid(std::uint32_t node, std::string guid) { nodes_[node].guid = std::move(guid); }
  void set_port_guid(Port port, std::string guid) { port_guids_[port] = std::move(guid); }

  /// Throws InputError at the place of `lines` where a port has another cable.
  void add(Port a, Port b, const Attributes& attributes, const ImportLines& lines);

  /// The network. Nodes of unknown kind are refused at `lines`, the end of the file.
  Imported build(const ImportLines& lines);
  /// After build(): the hop out of a switch by a port; nothing where no cable of the network is there.
  std::optional<TableHop> hop(Port port) const;
  /// After build(): the host at a host's port, the router of a switch.
  std::optional<HostId> host(Port port) const;
  std::optional<NodeId> router(std::uint32_t node) const;
  /// After build(): the router that a host hangs on; names as in the network.
  NodeId switch_of(HostId host) const { return NodeId{built_.hosts[host.value]}; }
  const std::string& host_name(HostId host) const { return built_.host_names[host.value]; }
  const std::string& router_name(NodeId router) const { return built_.names[router.value]; }
  /// After build(): calls visit(router, port, hop) for every port of a switch with a cable of the network.
  template <class Visit>
  void each_switch_port(const Visit& visit) const {
    for (const auto& [port, hop] : hops_) visit(NodeId{nodes_[port.node].id}, port.port, hop);
  }

 private:
  enum class Kind : std::uint8_t { unknown, router, host };
  struct Node {
    std::string key;
    Kind kind = Kind::unknown;
    std::string name;
    std::string guid;
    std::uint32_t cables = 0;
    std::uint32_t id = 0;  ///< after build(): of the router
  };
  struct Cable {
    Port a;
    Port b;
    Attributes attributes;
  };

  void add_hosts(TopologySpec& spec);
  void add_links(TopologySpec& spec);
  void note_left_out(Imported& result) const;
  std::string host_name(Port port) const;

  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::uint32_t> by_key_;
  std::vector<Cable> cables_;
  std::map<Port, std::size_t> cable_at_;
  std::map<Port, std::string> port_guids_;
  std::map<Port, TableHop> hops_;
  std::map<Port, HostId> hosts_;
  GraphSpec built_;  ///< names of routers and hosts, and where hosts hang
  std::uint64_t loops_ = 0;
  std::uint64_t between_hosts_ = 0;
};

}  // namespace wormcast::io
