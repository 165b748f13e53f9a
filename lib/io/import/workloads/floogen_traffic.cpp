// A flow names two nodes by coordinates, and bursts by their number and their beats on the narrow and on the
// wide link. cite: pulp-platform/FlooNoC, floogen/model/traffic.py.
// SPDX-License-Identifier: MIT
#include "io/import/workloads/floogen_traffic.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "io/import/text.hpp"
#include "io/import/yaml.hpp"

namespace wormcast::io {
namespace {

constexpr std::uint64_t most_bursts = std::uint64_t{1} << 20;
using Place = std::pair<std::int64_t, std::int64_t>;

/// The place of a router that floogen named, "router_3_0".
std::optional<Place> place_of_router(const std::string& name) {
  const std::size_t second = name.rfind('_');
  if (second == std::string::npos || second == 0) return std::nullopt;
  const std::size_t first = name.rfind('_', second - 1);
  if (first == std::string::npos) return std::nullopt;
  const auto x = whole_number(std::string_view(name).substr(first + 1, second - first - 1));
  const auto y = whole_number(std::string_view(name).substr(second + 1));
  if (!x || !y || *x > UINT32_MAX || *y > UINT32_MAX) return std::nullopt;
  return Place(*x, *y);
}

std::map<Place, HostId> places_of(const Topology& topology) {
  std::map<Place, HostId> places;
  if (const Grid* grid = topology.grid(); grid != nullptr && grid->dimensions() == 2) {
    for (std::uint32_t host = 0; host < topology.hosts(); ++host)
      places.emplace(Place(grid->coordinate(NodeId{host}, 0), grid->coordinate(NodeId{host}, 1)),
                     HostId{host});
    return places;
  }
  const GraphSpec& graph = topology.spec().graph;
  constexpr std::array<Place, 4> steps = {Place{0, 1}, {1, 0}, {0, -1}, {-1, 0}};  // by port: north, east …
  for (std::uint32_t host = 0; host < graph.hosts.size() && !graph.names.empty(); ++host) {
    auto place = place_of_router(graph.names[graph.hosts[host]]);
    if (!place || graph.host_links.empty() || !graph.host_links[host].ports) continue;
    const std::uint32_t port = (*graph.host_links[host].ports)[0];
    if (port < steps.size()) {
      place->first += steps[port].first;
      place->second += steps[port].second;
    }
    places.emplace(*place, HostId{host});
  }
  return places;
}

class TrafficReader {
 public:
  explicit TrafficReader(const Topology& topology) : topology_(topology), places_(places_of(topology)) {}

  void read_flow(const YamlValue& flow) {
    flow.expect_keys("traffic_flows", {"name", "initiator", "endpoint", "rw", "narrow_burst", "wide_burst"});
    FloogenBurst burst;
    burst.flow = flow.at("name", "traffic_flows").name("name");
    burst.source = node(flow.at("initiator", "traffic_flows"), "initiator");
    burst.destination = node(flow.at("endpoint", "traffic_flows"), "endpoint");
    const std::string& direction = flow.at("rw", "traffic_flows").name("rw");
    if (direction == "read")
      std::swap(burst.source, burst.destination);
    else if (direction != "write")
      flow.at("rw", "traffic_flows").fail("rw", fmt::format("'{}' is neither read nor write", direction));
    read_bursts(flow, "narrow_burst", burst);
    burst.wide = true;
    read_bursts(flow, "wide_burst", burst);
  }
  std::vector<FloogenBurst> take() { return std::move(bursts_); }

 private:
  HostId node(const YamlValue& value, const char* field) const {
    if (value.list(field).size() != 2) value.fail(field, "a node has two coordinates");
    const auto coordinate = [&](std::size_t i) { return value.items[i].integer(field, -1, 1 << 16); };
    const Place place(coordinate(0), coordinate(1));
    const auto found = places_.find(place);
    if (found == places_.end())
      value.fail(field, fmt::format("{} has no node at {},{}", topology_.name(), place.first, place.second));
    return found->second;
  }

  void read_bursts(const YamlValue& flow, const char* field, const FloogenBurst& model) {
    const YamlValue& value = flow.at(field, "traffic_flows");
    if (value.kind != YamlValue::Kind::list) return read_burst(value, field, model);
    for (const YamlValue& one : value.items) read_burst(one, field, model);
  }

  void read_burst(const YamlValue& value, const char* field, FloogenBurst burst) {
    value.expect_keys(field, {"number", "length", "data_width"});
    const std::uint64_t number = value.at("number", field).number("number", most_bursts);
    burst.beats = value.at("length", field).number("length", UINT32_MAX);
    if (burst.beats == 0 || number == 0) return;
    if (bursts_.size() + number > most_bursts)
      value.fail(field, fmt::format("more than {} bursts", most_bursts));
    bursts_.insert(bursts_.end(), number, burst);
  }

  const Topology& topology_;
  std::map<Place, HostId> places_;
  std::vector<FloogenBurst> bursts_;
};

}  // namespace

bool is_floogen_traffic(const ImportFile& file) {
  constexpr std::string_view key = "traffic_flows:";
  return file.text.starts_with(key) || file.text.find("\ntraffic_flows:") != std::string::npos;
}

std::vector<FloogenBurst> read_floogen_traffic(const ImportFile& file, const Topology& topology) {
  const YamlValue root = read_yaml(file);
  root.expect_keys("traffic", {"traffic_flows"});
  TrafficReader reader(topology);
  for (const YamlValue& flow : root.at("traffic_flows", "traffic").list("traffic_flows"))
    reader.read_flow(flow);
  return reader.take();
}

}  // namespace wormcast::io
