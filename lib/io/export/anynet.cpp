// Export to BookSim's anynet: routers and nodes by number, a latency where a link has one.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "io/export/format.hpp"
#include "topology/error.hpp"

namespace wormcast::io::export_anynet {
namespace {

std::string write(const TopologySpec& spec, const std::string&) {
  const GraphSpec& graph = spec.graph;
  std::vector<std::string> lines(graph.routers);
  for (std::size_t h = 0; h < graph.hosts.size(); ++h) {
    lines[graph.hosts[h]] += fmt::format(" node {}", h);
    if (graph.host_links.empty()) continue;
    const auto [there, back] = graph.host_links[h].own[LinkValue::hop_cycles];
    if (there != back)
      throw InputError("anynet", fmt::format("host {} has a link of {} cycles one way and {} back; anynet knows "
                                             "one time of a host's link", h, there, back));
    if (there != 0) lines[graph.hosts[h]] += fmt::format(" {}", there);
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined;
  for (const GraphLink& link : graph.links) {
    const auto [a, b] = link.ends;
    if (!joined.insert(std::minmax(a, b)).second)
      throw InputError("anynet", fmt::format("routers {} and {} have several links; anynet knows one", a, b));
    lines[a] += fmt::format(" router {}", b);
    const auto& [there, back] = link.own[LinkValue::hop_cycles];
    if (there == 0) continue;  // said once it holds both ways, with one cycle
    lines[a] += fmt::format(" {}", there);
    lines[b] += fmt::format(" router {} {}", a, back);
  }
  std::string text;
  for (std::uint32_t r = 0; r < graph.routers; ++r)
    if (!lines[r].empty()) text += fmt::format("router {}{}\n", r, lines[r]);
  return text;
}

constexpr std::array<std::string_view, 1> keeps = {"latencies"};

}  // namespace

extern const ExportFormat entry;
const ExportFormat entry = {
    .name = "anynet",
    .summary = "BookSim 2: routers, nodes and latencies",
    .cite = "Jiang et al. 2013",
    .write = write,
    .keeps = keeps,
};

}  // namespace wormcast::io::export_anynet
