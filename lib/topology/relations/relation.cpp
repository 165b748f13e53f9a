// The check of a relation's rules, one by one. What they lead to together is checked where worms are routed
// by them. Cost: n log n in the headers that rules name.
// SPDX-License-Identifier: MIT
#include "topology/relations/relation.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "topology/refuse.hpp"

namespace wormcast {
namespace {

class RelationCheck {
 public:
  RelationCheck(const Relation& relation, const Topology& topology)
      : relation_(relation), topology_(topology) {}

  void run() {
    check_between("relation.virtual_channels", relation_.virtual_channels, 1,
                  topology_.virtual_channel_bound());
    for (std::size_t r = 0; r < relation_.rules.size(); ++r) check_rule(r);
    std::sort(named_.begin(), named_.end());
    const auto twice = std::adjacent_find(named_.begin(), named_.end(), [](const Named& a, const Named& b) {
      return std::tie(a.router, a.to, a.came) == std::tie(b.router, b.to, b.came);
    });
    if (twice == named_.end()) return;
    const std::string header = twice->came == from_anywhere ? "headers that no other names"
                               : twice->came == from_source
                                   ? "worms that begin there"
                                   : "headers that come by " + vc_text(twice->came - first_vc);
    refuse(indexed("relation.rules", std::next(twice)->rule),
           "a second rule of router {} for {} on the way to router {}, beside rules[{}]", twice->router,
           header, twice->to, twice->rule);
  }

 private:
  /// A header that a rule is for.
  struct Named {
    std::uint32_t router = 0, to = 0;
    std::uint64_t came = 0;
    std::size_t rule = 0;
    friend bool operator<(const Named& a, const Named& b) {
      return std::tie(a.router, a.to, a.came, a.rule) < std::tie(b.router, b.to, b.came, b.rule);
    }
  };

  std::string vc_text(std::uint64_t number) const {
    return "channel " + std::to_string(number / relation_.virtual_channels) + " (virtual channel " +
           std::to_string(number % relation_.virtual_channels) + ")";
  }

  void check_rule(std::size_t r) {
    const RelationRule& rule = relation_.rules[r];
    const std::string place = indexed("relation.rules", r);
    if (rule.router.value >= topology_.routers())
      refuse(place + ".router", "router {} is not in {}", rule.router.value, topology_.name());
    if (rule.to.empty()) throw InputError(place + ".to", "no router");
    for (std::size_t i = 0; i < rule.to.size(); ++i) {
      if (rule.to[i].value >= topology_.routers())
        refuse(indexed(place + ".to", i), "router {} is not in {}", rule.to[i].value, topology_.name());
      if (rule.to[i] == rule.router)
        refuse(indexed(place + ".to", i), "the rule is for headers that are at router {} already",
               rule.router.value);
      if (i > 0 && !(rule.to[i - 1] < rule.to[i]))
        throw InputError(indexed(place + ".to", i), "routers must ascend, each once");
    }
    for (std::size_t i = 0; i < rule.from.size(); ++i)
      check_vcs(place + ".from", i, rule.from[i], rule.router, false);
    if (rule.take.empty())
      refuse(place + ".take", "router {} offers nothing on the way to router {}: a dead end",
             rule.router.value, rule.to.front().value);
    for (std::size_t i = 0; i < rule.take.size(); ++i)
      check_vcs(place + ".take", i, rule.take[i], rule.router, true);
    rule.each_header(relation_.virtual_channels, [&](NodeId to, std::uint64_t came) {
      named_.push_back({rule.router.value, to.value, came, r});
    });
  }

  void check_vcs(const std::string& list, std::size_t index, const ChannelVcs& taken, NodeId router,
                 bool leaves) const {
    const auto ends = topology_.ends(taken.channel);
    const std::string channel = "channel " + std::to_string(taken.channel.value);
    if (!ends) refuse(indexed(list, index, ".channel"), "{} does not exist", channel);
    if ((leaves ? ends->from : ends->to) != router)
      refuse(indexed(list, index, ".channel"), "{} joins routers {} and {}, and does not {} router {}",
             channel, ends->from.value, ends->to.value, (leaves ? "leave" : "enter"), router.value);
    for (std::size_t i = 0; i < taken.vcs.size(); ++i) {
      if (taken.vcs[i] >= relation_.virtual_channels)
        refuse(indexed(list, index, ".vcs", i), "{}; the relation has {} virtual channels a channel",
               taken.vcs[i], relation_.virtual_channels);
      if (i > 0 && taken.vcs[i - 1] >= taken.vcs[i])
        throw InputError(indexed(list, index, ".vcs", i), "virtual channels must ascend, each once");
    }
  }

  const Relation& relation_;
  const Topology& topology_;
  std::vector<Named> named_;
};

}  // namespace

void check_relation(const Relation& relation, const Topology& topology) {
  RelationCheck(relation, topology).run();
}

}  // namespace wormcast
