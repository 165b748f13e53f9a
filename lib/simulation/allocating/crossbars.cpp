// The links of a network, numbered; the memory of crossbars, and their matching.
// SPDX-License-Identifier: MIT
#include "simulation/allocating/crossbars.hpp"

#include <algorithm>
#include <bit>
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
    routers_.push_back(
        {static_cast<std::uint32_t>(ports_.size()), static_cast<std::uint32_t>(inputs_.size())});
    for (std::uint32_t i = 0; i < counts.outputs; ++i)
      ports_.push_back({.number = i, .after = next_round(i, counts.outputs)});
    for (std::uint32_t i = 0; i < counts.inputs; ++i)
      inputs_.push_back({.after = next_round(i, counts.inputs)});
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
  const std::size_t places = std::size_t{ports} << shift_;
  link_of_.assign(ports, kNone);
  requests_.assign(places, SwitchRequest{});
  extras_.assign(places, RequestExtra{});
  places_.assign(places, Place{});
  words_.assign(places / 64 + 1, Word{});
  groups_.assign(words_.size() / 64 + 1, 0);
  offers_.resize(ports_.size() + 1);
  told_.resize(ports_.size() + 1);
  for (std::uint32_t number = 0; number < links.links(); ++number) {
    if (ports_of_[number] == kNone) continue;
    const Link& link = links.link(number);
    link_of_[ports_of_[number]] = number;
    std::fill_n(&places_[place(number, 0)], 1U << shift_,
                Place{.credits = link.buffer_flits, .credit_cycles = link.credit_cycles});
  }
  for (std::size_t i = 0; i < ports_before.size(); ++i) ports_[i].grant = ports_before[i].grant;
  for (std::size_t i = 0; i < inputs_before.size(); ++i) {
    inputs_[i].accept = inputs_before[i].accept;
    inputs_[i].next_vc = inputs_before[i].next_vc;
  }
}

void Crossbars::grow(const LinkTable& links) {
  const Crossbars before = *this;
  lay_out(links);
  for (std::uint32_t from = 0; from < before.requests_.size(); ++from) {
    if (from % (1U << shift_before_) >= before.vcs_) continue;
    const std::uint32_t to = moved(from);
    requests_[to] = before.requests_[from];
    extras_[to] = before.extras_[from];
    places_[to] = before.places_[from];
    if (places_[to].taken_by < kUntold) places_[to].taken_by = moved(places_[to].taken_by);
    if (requests_[to].feeder != kNone) requests_[to].feeder = moved(requests_[to].feeder);
    requests_[to].next_vc = static_cast<std::uint8_t>(next_round(requests_[to].input_vc, vcs_));
    const auto move = [&](std::uint64_t before_bits, std::uint64_t& bits) {
      bits = (bits & ~(std::uint64_t{1} << to % 64)) | (before_bits >> from % 64 & 1) << to % 64;
    };
    const Word& word = before.words_[from / 64];
    move(word.filled, words_[to / 64].filled);
    move(word.credited, words_[to / 64].credited);
    move(word.active, words_[to / 64].active);
    if (words_[to / 64].active != 0) groups_[to / 4096] |= std::uint64_t{1} << to / 64 % 64;
  }
}

void Crossbars::begin(std::uint32_t place) {
  SwitchRequest& request = requests_[place];
  RequestExtra& extra = extras_[place];
  Place& feeder = places_[request.feeder];
  extra.early = false;
  extra.available = static_cast<std::uint32_t>(std::min<std::uint64_t>(feeder.held, request.to_go));
  feeder.taken_by = request.alone != 0 ? place : kNone;
  words_[place / 64].active |= std::uint64_t{1} << place % 64;
  groups_[place / 4096] |= std::uint64_t{1} << place / 64 % 64;
  if (extra.available != 0) fill(place);
}

void Crossbars::end(std::uint32_t place) {
  rest(place);
  std::uint64_t& active = words_[place / 64].active;
  active &= ~(std::uint64_t{1} << place % 64);
  if (active == 0) groups_[place / 4096] &= ~(std::uint64_t{1} << place / 64 % 64);
}

void Crossbars::enter_window(bool begins) {
  each([&](std::uint32_t place) {
    const std::uint64_t to_go = requests_[place].to_go;
    extras_[place].in_window += begins ? to_go : std::uint64_t{0} - to_go;
  });
}

/// Orders the requests of a port, from its pointer and that of the input on: what lies before a pointer wraps
/// round. The same for requests of one FIFO.
std::uint64_t Crossbars::rank(std::uint32_t place) const {
  const SwitchRequest& request = requests_[place];
  const std::uint32_t input = request.input_number - ports_[request.port].grant;
  return std::uint64_t{input} << 32 | (request.input_vc - inputs_[request.input].next_vc);
}

bool Crossbars::comes_before(std::uint32_t a, std::uint32_t b, const GrantedBefore& granted_before) const {
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return granted_before(extras_[a].branch, extras_[b].branch);  // of one flit
}

/// Offers every output to its first request; how many offers there are.
std::size_t Crossbars::offer(const GrantedBefore& granted_before) {
  std::uint32_t* next = offers_.data();
  const Word* const all = words_.data();
  const auto place_of = [](std::uint32_t word, std::uint64_t bits) {
    return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
  };
  // The requests of a port are neighbours: `size` bits of a word, or several words.
  const std::uint32_t size = std::min(1U << shift_, 64U);
  const std::uint64_t of_port = ~std::uint64_t{0} >> (64 - size);
  const std::uint64_t low = ~std::uint64_t{0} / of_port, high = low << (size - 1);
  for (std::size_t group = 0; group < groups_.size(); ++group)
    for (std::uint64_t words = groups_[group]; words != 0; words &= words - 1) {
      const std::uint32_t word = place_of(static_cast<std::uint32_t>(group), words);
      std::uint64_t bits = all[word].filled & all[word].credited;
      // Of what a port has the lowest bit falls out.
      for (std::uint64_t more = bits & ((bits | high) - low); more != 0;) {
        const std::uint64_t port = of_port << (place_of(0, more) & ~(size - 1));
        std::uint64_t of_one = bits & port;
        std::uint32_t first = place_of(word, of_one);
        std::uint64_t least = rank(first);
        while ((of_one &= of_one - 1) != 0) {
          const std::uint32_t other = place_of(word, of_one);
          const std::uint64_t its = rank(other);
          if (its == least) [[unlikely]]
            first = comes_before(other, first, granted_before) ? other : first;
          first = its < least ? other : first;
          least = std::min(its, least);
        }
        bits = (bits & ~port) | std::uint64_t{1} << first % 64;
        more &= ~port;
      }
      std::uint32_t* const first = next;
      for (; bits != 0; bits &= bits - 1) *next++ = place_of(word, bits);
      if (size < 64 || first == offers_.data() || first == next) continue;
      if (first[-1] >> shift_ != *first >> shift_) continue;
      first[-1] = comes_before(*first, first[-1], granted_before) ? *first : first[-1];
      --next;
    }
  return static_cast<std::size_t>(next - offers_.data());
}

/// Every input takes the offer that comes first.
void Crossbars::accept(std::size_t count) {
  const SwitchRequest* const requests = requests_.data();
  Input* const inputs = inputs_.data();
  const Port* const ports = ports_.data();
  const std::uint64_t match = ++matches_;
  for (const std::uint32_t place : std::span(offers_.data(), count)) {
    Input& input = inputs[requests[place].input];
    if (input.match != match) {
      input.match = match;
      input.taken = place;
    } else {
      const auto rank = [&](std::uint32_t of) { return ports[requests[of].port].number - input.accept; };
      input.taken = rank(place) < rank(input.taken) ? place : input.taken;
    }
  }
}

/// What was taken crosses, and what the same flit has been offered beside it.
Crossed Crossbars::send(Cycle now, DelayLine& flits, DelayLine& credits, std::size_t count) {
  SwitchRequest* const requests = requests_.data();
  Input* const inputs = inputs_.data();
  Port* const ports = ports_.data();
  Place* const places = places_.data();
  Word* const words = words_.data();
  std::size_t refused = 0;
  std::uint32_t* told = told_.data();
  for (const std::uint32_t place : std::span(offers_.data(), count)) {
    SwitchRequest& request = requests[place];
    Input& input = inputs[request.input];
    Port& port = ports[request.port];
    const std::uint32_t feeder = request.feeder;
    if (input.taken == place) {
      input.accept = port.after;
      input.next_vc = request.next_vc;
    } else if (requests[input.taken].feeder != feeder) {
      ++refused;
      continue;
    }
    port.grant = input.after;
    if (request.alone == 0) [[unlikely]] {
      cross(now, flits, credits, place);
      *told++ = place;
      continue;
    }
    Word& word = words[place / 64];
    const std::uint64_t bit = std::uint64_t{1} << place % 64;
    if (request.delayed != Delayed::nothing) {
      (request.delayed == Delayed::flit ? flits : credits).add(now, request.ahead_cycles, place);
      if (--places[place].credits == 0) word.credited ^= bit;
    }
    credits.add(now, places[feeder].credit_cycles, feeder);
    word.filled ^= --places[feeder].held == 0 ? bit : 0;
    *told = place;
    told += --request.to_go == 0 ? 1 : 0;
  }
  return {count - refused, {told_.data(), told}};
}

Crossed Crossbars::match(Cycle now, DelayLine& flits, DelayLine& credits,
                         const GrantedBefore& granted_before) {
  const std::size_t count = offer(granted_before);
  accept(count);
  return send(now, flits, credits, count);
}

bool Crossbars::any() const {
  for (std::size_t group = 0; group < groups_.size(); ++group)
    for (std::uint64_t words = groups_[group]; words != 0; words &= words - 1) {
      const Word& word = words_[group * 64 + static_cast<std::size_t>(std::countr_zero(words))];
      if ((word.filled & word.credited) != 0) return true;
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
  number_outputs();
}

void LinkTable::number_outputs() {
  each_vc([&](std::uint32_t number) {
    vc(number).output = links_[link_of(number)].output * vcs_ + vc_of(number);
  });
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
  number_outputs();
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
