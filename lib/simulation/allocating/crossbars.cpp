// The links of a network, numbered; the memory of crossbars.
// SPDX-License-Identifier: MIT
#include "simulation/allocating/crossbars.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "router/router_rules.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

/// Ports are the outputs of router after router, and then the injection links.
void Crossbars::lay_out(const LinkTable& links) {
  vcs_ = links.vcs();
  shift_before_ = shift_;
  shift_ = static_cast<std::uint32_t>(std::bit_width(vcs_ - 1));
  const std::vector<Port> ports_before = std::move(ports_);
  const std::vector<Input> inputs_before = std::move(inputs_);
  routers_.clear();
  ports_.clear();
  inputs_.clear();
  for (std::uint32_t number = 0; number < links.routers(); ++number) {
    const RouterPorts counts = links.ports(number);
    routers_.push_back({static_cast<std::uint32_t>(ports_.size()), static_cast<std::uint32_t>(inputs_.size()),
                        counts.outputs, counts.inputs});
    for (std::uint32_t i = 0; i < counts.outputs; ++i)
      ports_.push_back({.number = i, .after = next_round(i, counts.outputs)});
    for (std::uint32_t i = 0; i < counts.inputs; ++i)
      inputs_.push_back({.number = i, .after = next_round(i, counts.inputs)});
  }
  auto ports = static_cast<std::uint32_t>(ports_.size());
  first_injection_ = ports << shift_;
  ports_of_.assign(links.links(), kNone);
  for (std::uint32_t number = 0; number < links.links(); ++number) {
    const Link& link = links.link(number);
    if (link.sender != kNone)
      ports_of_[number] = routers_[link.sender].first_port + link.output;
    else if (link.kind == LinkKind::injection)
      ports_of_[number] = ports++;
  }
  requests_.assign(std::size_t{ports} << shift_, SwitchRequest{});
  for (std::uint32_t number = 0; number < links.links(); ++number)
    if (ports_of_[number] != kNone)
      for (std::uint32_t vc = 0; vc < 1U << shift_; ++vc)
        requests_[place(number, vc)].credits = links.link(number).buffer_flits;
  ready_.assign(requests_.size() / 64 + 1, 0);
  offers_.resize(ports_.size() + 1);
  filled_.assign(ready_.size() / 64 + 1, 0);
  for (std::size_t i = 0; i < ports_before.size(); ++i) ports_[i].grant = ports_before[i].grant;
  for (std::size_t i = 0; i < inputs_before.size(); ++i) {
    inputs_[i].accept = inputs_before[i].accept;
    inputs_[i].next_vc = inputs_before[i].next_vc;
  }
}

void Crossbars::grow(const LinkTable& links) {
  const Crossbars before = *this;
  lay_out(links);
  for (std::uint32_t place = 0; place < before.requests_.size(); ++place) {
    if (place % (1U << shift_before_) >= before.vcs_) continue;
    SwitchRequest& request = requests_[moved(place)];
    request = before.requests_[place];
    if (request.consumed != 0) request.ahead = moved(request.ahead);
    if (request.feeder != kNone) request.feeder = moved(request.feeder);
    compete(moved(place));
  }
}

bool Crossbars::any() {
  for (std::size_t group = 0; group < filled_.size(); ++group)
    for (std::uint64_t words = filled_[group]; words != 0; words &= words - 1) {
      if (ready_[group * 64 + static_cast<std::size_t>(std::countr_zero(words))] != 0) return true;
      filled_[group] &= words - 1;  // all below are empty, too
    }
  return false;
}

LinkTable::LinkTable(const Topology& topology, const RouterModel& model, std::uint32_t vcs)
    : vcs_(vcs),
      channels_(topology.channel_bound()),
      hosts_(topology.hosts()),
      injections_(topology.hosts_have_links()     ? 1
                  : model.injection_channels == 0 ? std::max(topology.ports(), 1U)
                                                  : model.injection_channels),
      by_input_(model.consumption_channels == 0 && !topology.hosts_have_links()),
      ports_(topology.routers()) {
  // By input: of every router the channels that can come in, and what its host sends.
  const std::uint32_t shared = topology.hosts_have_links() ? 1U : std::max(model.consumption_channels, 1U);
  const std::uint64_t consumptions = by_input_ ? std::uint64_t{topology.ports()} + injections_ : shared;
  const std::uint64_t of_hosts = hosts_ * (injections_ + consumptions), links = channels_ + of_hosts;
  // Hosts' links take memory whether or not they are used.
  constexpr std::uint64_t most_host_links = std::uint64_t{1} << 20, host_links_a_channel = 8;
  const std::uint64_t most_of_hosts = std::max(most_host_links, host_links_a_channel * channels_);
  if (of_hosts > most_of_hosts)
    refuse(injections_ >= consumptions || by_input_ ? "--injection-channels" : "--consumption-channels",
           "the hosts of {} would have {} links; routers that allocate are simulated with up to {} of them",
           topology.name(), of_hosts, most_of_hosts);
  if (links >= kNone / kMostVcs)
    refuse("family", "{} has {} links with those of its hosts, too many for routers that allocate",
           topology.name(), links);
  consumptions_ = static_cast<std::uint32_t>(consumptions);
  links_.resize(links);
  link_vcs_.resize(links * vcs_);
  input_links_.assign(by_input_ ? std::size_t{hosts_} * consumptions_ : 0, kNone);
  refuse_unlike(topology, LinkValue::flit_cycles, "a flit crosses a link in every cycle");
  add_channels(topology, model);
  add_hosts(topology, model);
}

void LinkTable::add_channels(const Topology& topology, const RouterModel& model) {
  for (std::uint32_t number = 0; number < channels_; ++number) {
    const std::optional<ChannelEnds> ends = topology.ends(ChannelId{number});
    if (!ends) continue;
    Link& link = links_[number];
    link.kind = LinkKind::channel;
    link.sender = ends->from.value;
    link.receiver = ends->to.value;
    link.output = ports_[link.sender].outputs++;
    link.input = ports_[link.receiver].inputs++;
    link.hop_cycles = topology.own(LinkValue::hop_cycles, ChannelId{number}, model.hop_cycles);
    // What makes a link longer, or shorter, does so to the wire that credits come back by.
    const std::uint64_t credit = std::uint64_t{model.credit_cycles} + link.hop_cycles;
    link.credit_cycles = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(credit, model.hop_cycles + std::uint64_t{1}, UINT32_MAX) -
        model.hop_cycles);
    link.buffer_flits = topology.own(LinkValue::buffer_flits, ChannelId{number}, model.buffer_flits);
    if (by_input_)  // the host has its router's number
      input_links_[link.receiver * consumptions_ + link.input] = number;
  }
}

void LinkTable::add_hosts(const Topology& topology, const RouterModel& model) {
  for (std::uint32_t host = 0; host < hosts_; ++host) {
    const std::uint32_t router = topology.router_of(HostId{host}).value;
    const auto add = [&](std::uint32_t number, bool to_host) -> Link& {
      Link& link = links_[number];
      link.kind = to_host ? LinkKind::consumption : LinkKind::injection;
      (to_host ? link.sender : link.receiver) = router;
      link.host = host;
      link.hop_cycles = topology.own(LinkValue::hop_cycles, HostId{host}, to_host, model.hop_cycles);
      link.buffer_flits = topology.own(LinkValue::buffer_flits, HostId{host}, to_host, model.buffer_flits);
      link.credit_cycles = model.credit_cycles + (topology.hosts_have_links() ? 0 : model.hop_cycles - 1);
      return link;
    };
    for (std::uint32_t unit = 0; unit < injections_; ++unit) {
      const std::uint32_t number = first_injection(HostId{host}) + unit;
      Link& link = add(number, false);
      link.input = ports_[router].inputs++;
      if (by_input_) input_links_[host * consumptions_ + link.input] = number;
    }
    const std::uint32_t first = channels_ + hosts_ * injections_ + host * consumptions_;
    for (std::uint32_t unit = 0; unit < consumptions_; ++unit)
      add(first + unit, true).output = ports_[router].outputs++;
  }
}

std::pair<std::uint32_t, std::uint32_t> LinkTable::consumption(HostId host, std::uint32_t input) const {
  const std::uint32_t first = channels_ + hosts_ * injections_ + host.value * consumptions_;
  if (!by_input_) return {first, first + consumptions_};
  const std::uint32_t own = first + links_[input].input;
  return {own, own + 1};
}

void LinkTable::grow(std::uint32_t vcs) {
  const LinkTable before = *this;
  vcs_ = vcs;
  link_vcs_.assign(links_.size() * vcs, LinkVc{});
  const auto renumbered = [&](std::uint32_t number) {
    return number / before.vcs_ * vcs + number % before.vcs_;
  };
  before.each_vc([&](std::uint32_t number) {
    LinkVc& moved = vc(number);
    moved = before.vc(number);
    moved.grant = renumbered(moved.grant);
    moved.accept = renumbered(moved.accept);
  });
}

ResourceId LinkTable::resource(std::uint32_t vc_number, const Resources& ids) const {
  const std::uint32_t number = link_of(vc_number);
  const Link& link = links_[number];
  const std::uint32_t vc = vc_of(vc_number);
  if (link.kind == LinkKind::channel) return ids.network(ChannelId{number}, vc);
  if (link.kind == LinkKind::injection) return ids.injection(HostId{link.host});
  std::optional<ChannelId> input;
  if (by_input_) {
    const std::uint32_t from = input_links_[number - channels_ - hosts_ * injections_];
    if (from != kNone && from < channels_) input = ChannelId{from};
  }
  return ids.consumption(HostId{link.host}, input, vc);
}

}  // namespace wormcast
