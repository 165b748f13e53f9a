// Checks what verdicts say of reductions: the order in which worms wait for each other, and cycles of it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "deadlock/dependency.hpp"
#include "multicast/routes.hpp"
#include "topology/resources.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// By the definitions at the head of deadlock/graph/join_graph.cpp, of which it shares no code.
class JoinOrderCheck {
 public:
  /// `messages` must outlive it.
  JoinOrderCheck(const Topology& topology, const RouterModel& model, const std::vector<Routes>& messages);

  /// Why the order does not prove that nothing stands still; empty: it does.
  std::string refuse_order(const std::vector<WormCause>& order) const;
  std::string refuse_cycle(const std::vector<Dependency>& cycle) const;

 private:
  struct Worm {
    const Request* request;
    const WormRoute* route;
    std::uint32_t index;     ///< in the request
    std::uint32_t identity;  ///< the first worm that routers take it for
  };
  using Place = std::pair<std::uint32_t, std::int32_t>;  ///< worm and hop
  /// Told what may be waited for; `own`: also where a worm of the same identity has it.
  using Visit = std::function<void(ResourceId wanted, bool own)>;

  void identify(std::uint32_t w);
  std::string refuse_traffic() const;
  std::vector<ResourceId> held(const Worm& worm, std::int32_t hop) const;
  void each_open(const Place& at, const Visit& visit) const;
  void each_until_arrival(std::vector<std::uint32_t> open, const Visit& visit) const;
  std::vector<std::uint32_t> awaited(const Worm& worm, std::int32_t hop) const;
  std::vector<ResourceId> at_root(const Worm& worm) const;
  static bool leads_to(const WormRoute& route, std::int32_t from, std::int32_t to);
  std::string name(const Worm& worm) const { return worm_name({worm.request->id, worm.index}); }

  const Topology& topology_;
  Resources resources_;
  bool flits_;
  std::uint32_t header_flits_;
  std::vector<Worm> worms_;
  std::map<WormRef, std::uint32_t> by_name_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> by_request_;
  std::map<ResourceId, std::vector<Place>> holders_;
};

}  // namespace wormcast
