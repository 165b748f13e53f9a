// The second reading of routing relations.
//
// For each place (router, routing state, destination, sort) it keeps the largest number among the VCs that
// a worm can hold whose header waits there, and raises it until nothing changes: what is held at the next
// place is what was held before, and the VC taken. A numbering proves freedom from deadlock if at every
// place some VC offered has a larger number than that. (Of worms that block each other, take the VC with
// the largest number that they hold: its holder is offered a larger one, and that would have to be held,
// too.) With `every`, all VCs offered must be so, which also holds where a buffer holds several worms in
// order. Cost: places times candidates, times how often a number rises. cite: Duato 1993.
// SPDX-License-Identifier: MIT
#include "checks/relation_reading.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>

#include "checks/certificate_check.hpp"

namespace wormcast {

namespace {

/// One number for each place of a header.
class HeaderPlaces {
 public:
  explicit HeaderPlaces(const RelationReading& said)
      : topology_(said.topology),
        resources_(said.topology, said.model),
        shared_(said.model.consumption_channels > 0 || said.topology.hosts_have_links()),
        sorts_(said.sorts),
        replies_(said.replies) {
    for (const RelationTraffic& sort : sorts_) {
      legs_at_.emplace_back(topology_.hosts());
      for (std::uint32_t i = 0; i < sort.legs.size(); ++i)
        legs_at_.back()[sort.legs[i].from.value].push_back(i);
    }
    if (replies_)
      for (const Leg& leg : sorts_[replies_->request].legs) requests_stop_ = requests_stop_ || leg.goes_on;
  }

  std::string refuse_numbering(const std::vector<ResourceId>& numbering, bool every) {
    std::unordered_map<std::uint32_t, std::uint32_t> number;
    for (const ResourceId vc : numbering)
      if (!number.emplace(vc.value, static_cast<std::uint32_t>(number.size()) + 1).second)
        return "the numbering has a resource twice";
    const auto number_of = [&](ResourceId vc) {
      const auto found = number.find(vc.value);
      return found == number.end() ? 0 : found->second;
    };
    std::unordered_map<Header, std::uint32_t, Mix> held;
    std::deque<Header> open;
    std::uint32_t held_by_requests = 0;
    const auto visit = [&](const Header& header, std::uint32_t most) {
      const auto [found, fresh] = held.try_emplace(header, most);
      if (!fresh && found->second >= most) return;
      found->second = most;
      open.push_back(header);
    };
    start_worms([&](const Header& header) { visit(header, 0); });
    while (true) {
      if (open.empty() && requests_stop_) {  // a request may hold all that lies ahead of the stop
        for (const Header& header : all_replies()) visit(header, held_by_requests);
      }
      if (open.empty()) return "";
      const Header header = open.front();
      open.pop_front();
      std::uint32_t most = held.at(header);
      const auto place = [&] {
        return "at router " + std::to_string(header.at) + ", on the way to node " +
               std::to_string(header.destination) + ", a header ";
      };
      if (arrived(header)) {
        const std::vector<Header> next = following(header, requests_stop_);
        if (shared_) {
          if (!following(header, true).empty() || header.arrives == within_router + 1)
            return place() + "goes on while its worm may still wait for a consumption channel that it shares";
          if (number_of(consumption(header)) <= most)
            return place() + "waits for a consumption channel with no larger number";
          most = number_of(consumption(header));
        }
        for (const Header& one : next) visit(one, most);
        continue;
      }
      std::uint32_t largest = 0, smallest = 0xffffffff;
      for (const Offer& offer : offers(header)) {
        largest = std::max(largest, number_of(offer.vc));
        smallest = std::min(smallest, number_of(offer.vc));
        visit(offer.next, std::max(most, number_of(offer.vc)));
        if (replies_ && header.sort == replies_->request)
          held_by_requests = std::max(held_by_requests, number_of(offer.vc));
      }
      if (largest <= most)
        return place() + "is offered nothing with a larger number than what its worm can hold";
      if (every && smallest <= most)
        return place() + "is offered a virtual channel without a larger number than what its worm can hold";
    }
  }

  std::string refuse_cycle(const std::vector<Dependency>& cycle) {
    std::set<std::pair<ResourceId, ResourceId>> missing;
    std::set<ResourceId> ends;
    std::string fault = refuse_each(cycle, [&](const Dependency& edge) {
      missing.insert({edge.from, edge.to});
      ends.insert(edge.from);
      return "";
    });
    if (!fault.empty()) return fault;
    std::set<ResourceId> by_requests, for_replies;
    std::unordered_map<Header, bool, Mix> seen;
    std::deque<Header> open;
    const auto visit = [&](const Header& header) {
      if (seen.emplace(header, true).second) open.push_back(header);
    };
    start_worms(visit);
    for (; !open.empty(); open.pop_front()) {
      const Header header = open.front();
      if (!arrived(header)) {
        for (const Offer& offer : offers(header)) {
          visit(offer.next);
          if (replies_ && header.sort == replies_->request) by_requests.insert(offer.vc);
          if (ends.contains(offer.vc))
            for (const ResourceId vc : asked_next(offer.next)) missing.erase({offer.vc, vc});
        }
        continue;
      }
      for (const Header& next : following(header, false)) {
        visit(next);
        if (!shared_) continue;
        for (const ResourceId vc : asked_next(next)) {
          missing.erase({consumption(header), vc});
          missing.erase({vc, consumption(header)});
        }
      }
    }
    if (requests_stop_) {
      for (const Header& header : all_replies())
        for (const Offer& offer : offers(header)) for_replies.insert(offer.vc);
      std::erase_if(missing, [&](const auto& edge) {
        return by_requests.contains(edge.first) && for_replies.contains(edge.second);
      });
    }
    return missing.empty()
               ? ""
               : "dependency_cycle: no worm can hold one of its resources while it asks for the next";
  }

 private:
  struct Header {
    std::uint32_t sort = 0;
    std::uint32_t arrives = 0;  ///< kind plus 1
    std::uint32_t destination = 0;
    std::uint32_t at = 0;
    std::uint32_t state = 0;
    std::uint32_t forced = 0;  ///< index of a leg plus 1

    friend bool operator==(const Header&, const Header&) = default;
  };
  struct Mix {
    std::size_t operator()(const Header& header) const {
      std::uint64_t x = 0;
      for (const std::uint32_t part :
           {header.sort, header.arrives, header.destination, header.at, header.state, header.forced})
        x = (x ^ part) * 0x100000001b3ULL + (x >> 23);
      return static_cast<std::size_t>(x ^ (x >> 32));
    }
  };
  struct Offer {
    ResourceId vc;
    Header next;
  };

  template <class Visit>
  void start_worms(const Visit& visit) const {
    for (std::size_t s = 0; s < sorts_.size(); ++s)
      for (std::uint32_t i = 0; i < sorts_[s].legs.size(); ++i) {
        const Leg& leg = sorts_[s].legs[i];
        if (leg.goes_on && sorts_[s].each_from_its_first_leg) continue;
        const NodeId here = topology_.router_of(leg.from), there = topology_.router_of(leg.to);
        Header header = header_of(s, leg, sorts_[s].routing->first(here, there, leg.vc_class));
        if (leg.first_port) header.forced = i + 1;
        if (here != there || leg.arrives) visit(header);
      }
  }

  Header header_of(std::size_t sort, const Leg& leg, RoutingState state) const {
    return {static_cast<std::uint32_t>(sort), leg.arrives ? *leg.arrives + 1 : 0, leg.to.value,
            topology_.router_of(leg.from).value, state.bits};
  }

  bool arrived(const Header& header) const {
    return topology_.router_of(HostId{header.destination}).value == header.at;
  }

  ResourceId consumption(const Header& header) const {
    return resources_.consumption(HostId{header.destination}, std::nullopt, 0);
  }

  std::vector<Offer> offers(const Header& header) const {
    const RelationTraffic& sort = sorts_[header.sort];
    const NodeId to = topology_.router_of(HostId{header.destination});
    const std::optional<PortId> port =
        header.forced == 0 ? std::nullopt : sort.legs[header.forced - 1].first_port;
    std::vector<Offer> result;
    for (const RoutingCandidate& hop : offered(*sort.routing, sort.routers_choose, NodeId{header.at},
                                               RoutingState{header.state}, to, port)) {
      Header next = header;
      next.forced = 0;
      next.at = hop.to.value;
      next.state = hop.state.bits;
      for (std::uint32_t vc = hop.vc_begin; vc < hop.vc_end; ++vc)
        result.push_back({resources_.network(hop.channel, vc + sort.vc_offset), next});
    }
    return result;
  }

  void replies_from(std::uint32_t host, std::vector<Header>& out) const {
    const RelationTraffic& sort = sorts_[replies_->reply];
    for (const std::uint32_t i : legs_at_[replies_->reply][host]) {
      const Leg& leg = sort.legs[i];
      const NodeId here = topology_.router_of(leg.from), there = topology_.router_of(leg.to);
      if (here != there)
        out.push_back(header_of(replies_->reply, leg, sort.routing->first(here, there, leg.vc_class)));
    }
  }

  std::vector<Header> all_replies() const {
    std::vector<Header> result;
    for (std::uint32_t host = 0; host < topology_.hosts(); ++host) replies_from(host, result);
    return result;
  }

  /// Headers that follow at a stop: further legs, and replies unless `own` alone are asked for.
  std::vector<Header> following(const Header& header, bool own) const {
    std::vector<Header> result;
    const RelationTraffic& sort = sorts_[header.sort];
    for (const std::uint32_t i : legs_at_[header.sort][header.destination]) {
      const Leg& leg = sort.legs[i];
      if (header.arrives != 0 && leg.goes_on && *leg.goes_on + 1 == header.arrives)
        result.push_back(header_of(header.sort, leg, RoutingState{header.state}));
    }
    if (!own && replies_ && header.sort == replies_->request) replies_from(header.destination, result);
    return result;
  }

  /// What a header may ask for next that has come to a place.
  std::vector<ResourceId> asked_next(const Header& header) const {
    std::vector<ResourceId> result;
    if (!arrived(header)) {
      for (const Offer& offer : offers(header)) result.push_back(offer.vc);
      return result;
    }
    if (shared_) return {consumption(header)};
    for (const Header& next : following(header, false)) {
      const std::vector<ResourceId> more = asked_next(next);
      result.insert(result.end(), more.begin(), more.end());
    }
    return result;
  }

  const Topology& topology_;
  Resources resources_;
  bool shared_;
  const std::vector<RelationTraffic>& sorts_;
  std::vector<std::vector<std::vector<std::uint32_t>>> legs_at_;  ///< by sort and host
  std::optional<ProtocolRule> replies_;
  bool requests_stop_ = false;
};

}  // namespace

std::vector<RoutingCandidate> offered(const RoutingFunction& routing, bool routers_choose, NodeId at,
                                      RoutingState state, NodeId to, std::optional<PortId> port) {
  std::vector<RoutingCandidate> hops;
  if (!routers_choose) {
    const RoutingStep one = port ? routing.forced(at, *port, state, to) : routing.next(at, state, to);
    hops.push_back({one.channel, one.vc, one.vc + 1, one.to, one.state});
  } else if (port) {
    routing.forced_candidates(at, *port, state, to, hops);
  } else {
    routing.candidates(at, state, to, hops);
  }
  return hops;
}

std::string RelationReading::refuse_numbering(const std::vector<ResourceId>& numbering, bool every) const {
  return HeaderPlaces(*this).refuse_numbering(numbering, every);
}

std::string RelationReading::refuse_cycle(const std::vector<Dependency>& cycle) const {
  return HeaderPlaces(*this).refuse_cycle(cycle);
}

}  // namespace wormcast
