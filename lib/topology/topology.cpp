// What all families share: sizes, given labels, channel ends, mixed-radix addresses.
// SPDX-License-Identifier: MIT
#include "topology/topology.hpp"

#include <limits>
#include <utility>

#include "topology/refuse.hpp"

namespace wormcast {

Grid::Grid(std::vector<std::uint32_t> dims) : dims_(std::move(dims)) {
  for (std::uint32_t size : dims_) {
    strides_.push_back(nodes_);
    nodes_ *= size;
  }
}

std::vector<std::uint32_t> Grid::coordinates(NodeId node) const {
  std::vector<std::uint32_t> result(dims_.size());
  for (std::uint32_t d = 0; d < dimensions(); ++d) result[d] = coordinate(node, d);
  return result;
}

NodeId Grid::node(std::span<const std::uint32_t> coordinates) const {
  NodeId result;
  for (std::uint32_t d = 0; d < dimensions(); ++d) result.value += coordinates[d] * strides_[d];
  return result;
}

Topology::Topology(TopologySpec spec, std::uint32_t routers, std::uint32_t hosts, std::uint32_t ports)
    : channel_bound_(routers * ports),
      spec_(std::move(spec)),
      routers_(routers),
      hosts_(hosts),
      ports_(ports) {
  extremes_.fill({std::numeric_limits<std::uint32_t>::max(), 0});
  for (std::size_t i = 0; i < spec_.hostless.size(); ++i)
    if (spec_.hostless[i] >= routers_ || (i > 0 && spec_.hostless[i] <= spec_.hostless[i - 1]))
      refuse(indexed("hostless", i), "node {} is not below {}, or not ascending", spec_.hostless[i],
             routers_);
  if (spec_.hostless.size() == routers_) throw InputError("hostless", "no host is left");
}

std::string Topology::name() const {
  return whole_name() + (spec_.hostless.empty() ? "" : "-" + std::to_string(host_count()) + "h") +
         (intact() ? "" : "-" + std::to_string(spec_.failed.size()) + "-failed");
}

HostId Topology::nth_host(std::uint32_t index) const {
  for (std::size_t i = 0; i < spec_.hostless.size() && spec_.hostless[i] <= index; ++i) ++index;
  return HostId{index};
}

std::uint32_t Topology::place_of(HostId host) const {
  const auto before = std::lower_bound(spec_.hostless.begin(), spec_.hostless.end(), host.value);
  return host.value - static_cast<std::uint32_t>(before - spec_.hostless.begin());
}

std::vector<HostId> Topology::host_ids() const {
  std::vector<HostId> ids;
  ids.reserve(host_count());
  for (std::uint32_t h = 0; h < hosts_; ++h)
    if (has_host(HostId{h})) ids.push_back(HostId{h});
  return ids;
}

bool Topology::links_alike() const {
  return std::all_of(extremes_.begin(), extremes_.end(), [](const auto& range) { return range[1] == 0; });
}

void Topology::note_own(const LinkValues& own, const std::string& place) {
  for (std::size_t i = 0; i < link_value_keys.size(); ++i) {
    const auto& [there, back] = own.of[i];
    if (there == 0 && back == 0) continue;
    const auto fail = [&](const std::string& what) {
      throw InputError(place + "." + std::string(link_value_keys[i]), what);
    };
    const std::uint32_t most = std::max(there, back);
    if (there == 0 || back == 0) fail("0 one way and " + std::to_string(most) + " the other; at least 1");
    if (LinkValue{static_cast<std::uint8_t>(i)} == LinkValue::virtual_channels &&
        most > spec_.virtual_channels)
      fail(std::to_string(most) + (spec_.virtual_channels == 0
                                       ? ", and the network says no virtual_channels, which are the most"
                                       : " of a network with " + std::to_string(spec_.virtual_channels)));
    extremes_[i] = {std::min({extremes_[i][0], there, back}), std::max(extremes_[i][1], most)};
  }
}

std::uint32_t Topology::virtual_channel_bound() const {
  constexpr std::uint64_t usual = 255;
  const std::uint64_t stated = spec_.virtual_channels != 0 ? spec_.virtual_channels : usual;
  const std::uint64_t ids = std::numeric_limits<std::uint32_t>::max() - 3 * std::uint64_t{hosts_};
  return static_cast<std::uint32_t>(
      std::min(stated, ids / std::max<std::uint64_t>(2 * std::uint64_t{channel_bound_}, 1)));
}

std::optional<ChannelEnds> Topology::ends(ChannelId channel) const {
  if (channel.value >= channel_bound_) return std::nullopt;
  const NodeId from{channel.value / ports_};
  const PortId port{channel.value % ports_};
  const std::optional<NodeId> to = neighbour(from, port);
  if (!to) return std::nullopt;
  return ChannelEnds{from, *to, port};
}

ChannelId Topology::opposite(ChannelId channel) const {
  const ChannelEnds there = *ends(channel);
  // Opposite ports come in pairs on rings, where two links can join the same routers (rings of two);
  // elsewhere one port alone leads back.
  PortId back{there.port.value ^ 1U};
  if (back.value >= ports_ || neighbour(there.to, back) != there.from)
    for (back.value = 0; neighbour(there.to, back) != there.from;) ++back.value;
  return this->channel(there.to, back);
}

void Topology::adopt_given_labels() {
  const std::vector<std::uint32_t>& given = spec_.labels;
  if (given.empty()) return;
  if (given.size() != routers_) refuse("labels", "{} labels for {} nodes", given.size(), routers_);
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> nodes(routers_, none);
  for (std::uint32_t node = 0; node < routers_; ++node) {
    if (given[node] >= routers_)
      refuse(indexed("labels", node), "label {} is not below {}", given[node], routers_);
    if (nodes[given[node]] != none) refuse(indexed("labels", node), "label {} is given twice", given[node]);
    nodes[given[node]] = node;
  }
  for (std::uint32_t label = 0; label + 1 < routers_; ++label) {
    bool adjacent = false;
    for (std::uint32_t port = 0; port < ports_ && !adjacent; ++port)
      adjacent = neighbour(NodeId{nodes[label]}, PortId{port}) == NodeId{nodes[label + 1]};
    if (!adjacent)
      refuse("labels", "labels {} and {} are on nodes {} and {}, which are not neighbours", label, label + 1,
             nodes[label], nodes[label + 1]);
  }
  labels_ = given;
  nodes_by_label_ = std::move(nodes);
}

std::optional<std::string> needs(bool there, const std::string& what) {
  return there ? std::nullopt : std::optional("it needs " + what);
}

std::vector<std::uint32_t> checked_dims(const TopologySpec& spec, std::uint64_t least) {
  if (spec.sizes.empty()) refuse("dims", "a {} needs at least one dimension", spec.family);
  if (spec.sizes.size() > 32) refuse("dims", "{} dimensions, at most 32", spec.sizes.size());
  std::uint64_t channel_ids = 2 * spec.sizes.size();
  std::vector<std::uint32_t> dims;
  for (std::size_t d = 0; d < spec.sizes.size(); ++d) {
    const std::uint64_t size = spec.sizes[d];
    if (size < least) refuse(indexed("dims", d), "size {}, a {} needs at least {}", size, spec.family, least);
    if (size > max_channel_ids / channel_ids)
      refuse(indexed("dims", d), "size {} makes more than {} channel ids", size, max_channel_ids);
    channel_ids *= size;
    dims.push_back(static_cast<std::uint32_t>(size));
  }
  return dims;
}

std::uint32_t checked_dimensions(const TopologySpec& spec, std::uint64_t least, std::uint64_t most) {
  if (spec.sizes.size() != 1)
    refuse("dimensions", "a {} takes one number, not {}", spec.family, spec.sizes.size());
  check_between("dimensions", spec.sizes[0], least, most);
  return static_cast<std::uint32_t>(spec.sizes[0]);
}

void check_between(const std::string& field, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value < least || value > most) refuse(field, "{} is not between {} and {}", value, least, most);
}

std::string sizes_name(std::string_view family, std::span<const std::uint32_t> dims) {
  std::string name(family);
  char separator = '-';
  for (std::uint32_t size : dims) {
    name += separator + std::to_string(size);
    separator = 'x';
  }
  return name;
}

}  // namespace wormcast
