// Butterflies: the k-ary n-fly, n stages of switches that worms cross one way, from hosts to hosts.
//
// A line is a number of n digits to base k. The switches of stage s join the k lines that differ in digit
// n−1−s alone: k lines come in, and by the output v a worm leaves on the line whose digit is v. So after all
// stages it is on the line of its destination, whatever line it came from: one path joins two hosts, and the
// digits of the destination say its outputs (destination tags). A host stands on each line, at both of its
// ends: it sends into the first stage and receives from the last. Here a host hangs on one router, so line t
// has a router t of its own, which is no switch of the network: a way has n+1 hops. Then come the switches,
// stage by stage: switch q of a stage joins the lines that are q with its digit taken out. Links run one way:
// those into the first stage by host, then those out of each stage by line. Channels wait only for those of
// later stages, so nothing deadlocks by the one shortest path. Cost: O(n · k^n). cite: Dally, Towles 2004.
// SPDX-License-Identifier: MIT
#include <array>

#include "topology/generator.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

constexpr std::array<GeneratorParameter, 2> butterfly_parameters = {{
    {"arity", "k: inputs, and outputs, of a switch", std::nullopt},
    {"stages", "n: stages of switches", std::nullopt},
}};

TopologySpec generate_butterfly(std::span<const std::uint64_t> values) {
  constexpr std::uint64_t max_arity = 4096;
  const std::uint64_t arity = values[0], stages = values[1];
  check_between("--arity", arity, 2, max_arity);
  if (stages == 0) throw InputError("--stages", "0 stages, at least 1");
  std::uint64_t lines = 1;
  for (std::uint64_t stage = 0; stage < stages; ++stage) {
    if (lines > max_generated_hosts / arity)
      refuse("--stages", "the network has more than {} hosts", max_generated_hosts);
    lines *= arity;
  }
  const std::uint64_t width = lines / arity;
  check_graph_size("--stages", lines + stages * width, lines, (stages + 1) * lines);
  TopologySpec spec;
  spec.graph.routers = static_cast<std::uint32_t>(lines + stages * width);
  for (std::uint64_t line = 0; line < lines; ++line)
    spec.graph.hosts.push_back(static_cast<std::uint32_t>(line));
  // Stage s joins the digit of weight k^(n-1-s).
  const auto switch_of = [&](std::uint64_t stage, std::uint64_t weight, std::uint64_t line) {
    return lines + stage * width + line / (weight * arity) * weight + line % weight;
  };
  std::uint64_t weight = width;
  for (std::uint64_t line = 0; line < lines; ++line)
    add_link(spec.graph, line, switch_of(0, weight, line), true);
  for (std::uint64_t stage = 0; stage < stages; ++stage, weight /= arity)
    for (std::uint64_t line = 0; line < lines; ++line)
      add_link(spec.graph, switch_of(stage, weight, line),
               stage + 1 == stages ? line : switch_of(stage + 1, weight / arity, line), true);
  return spec;
}

}  // namespace

extern const Generator generator_butterfly = {
    .name = "butterfly",
    .summary = "k-ary n-fly: n stages of switches, crossed one way from hosts to hosts",
    .cite = "Dally, Towles 2004",
    .parameters = butterfly_parameters,
    .generate = generate_butterfly,
};

}  // namespace wormcast
