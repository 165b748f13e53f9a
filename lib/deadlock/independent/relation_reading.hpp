// The second reading of routing relations: what headers can be offered while their worms hold what.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "deadlock/relation_scope.hpp"
#include "deadlock/verdict.hpp"
#include "multicast/legs.hpp"
#include "routing/routing_function.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Follows headers from router to router and keeps one number for each place where they can be. Shares no
/// code with deadlock/relations.
class RelationReading {
 public:
  /// `reply`: a worm of the first sort is taken only while one of the second can be sent.
  RelationReading(const Topology& topology, const RouterModel& model, std::vector<RelationTraffic> sorts,
                  std::optional<std::pair<std::size_t, std::size_t>> reply);

  /// Why the numbering does not prove that no worms block each other; "" if it does. `every`: each lane
  /// offered must come after what is held (an acyclic dependency graph); otherwise one of them (an escape).
  std::string refuse_numbering(const std::vector<ResourceId>& numbering, bool every);
  /// Why these are no dependencies that close a cycle; "" if they are.
  std::string refuse_cycle(const std::vector<Dependency>& cycle);

 private:
  struct Header {
    std::uint32_t sort = 0;
    std::uint32_t arrives = 0;  ///< kind plus 1
    std::uint32_t destination = 0;
    std::uint32_t at = 0;
    std::uint32_t state = 0;
    std::uint32_t forced = 0;  ///< index of a leg plus 1

    friend bool operator==(const Header& a, const Header& b) {
      return a.sort == b.sort && a.arrives == b.arrives && a.destination == b.destination && a.at == b.at &&
             a.state == b.state && a.forced == b.forced;
    }
  };
  struct Mix {
    std::size_t operator()(const Header& header) const;
  };
  struct Offer {
    ResourceId lane;
    Header next;
  };

  void start_worms(const std::function<void(const Header&)>& visit) const;
  bool arrived(const Header& header) const;
  std::vector<Offer> offers(const Header& header) const;
  /// Headers that follow at a stop: further legs, and replies unless `own` alone are asked for.
  std::vector<Header> following(const Header& header, bool own) const;
  void replies_from(std::uint32_t host, std::vector<Header>& out) const;
  Header header_of(std::size_t sort, const Leg& leg, RoutingState state) const;
  ResourceId consumption(const Header& header) const;
  std::vector<ResourceId> asked_next(const Header& header) const;

  const Topology& topology_;
  Resources resources_;
  bool shared_;
  std::vector<RelationTraffic> sorts_;
  std::vector<std::vector<std::vector<std::uint32_t>>> legs_at_;  ///< by sort and host
  std::optional<std::pair<std::size_t, std::size_t>> reply_;
  bool requests_stop_ = false;
};

}  // namespace wormcast
