// The memory of crossbars, and what an input takes of several offers.
// SPDX-License-Identifier: MIT
#include "simulation/allocating/crossbars.hpp"

#include <utility>

namespace wormcast {

Crossbars::Crossbars(const LinkTable& links) { lay_out(links); }

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

}  // namespace wormcast
