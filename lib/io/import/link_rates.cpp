// InfiniBand's names stand for the data rate of a lane, without its line code; a number is a rate as it
// stands, in Gbit/s unless its unit says otherwise. Where no link states a width, each has one lane; where
// none states a speed, all lanes are alike. cite: InfiniBand Architecture Specification, volume 2 (link
// speeds).
// SPDX-License-Identifier: MIT
#include "io/import/link_rates.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace wormcast::io {
namespace {

/// Mbit/s of a lane.
constexpr std::pair<std::string_view, double> lane_rates[] = {
    {"SDR", 2000},  {"DDR", 4000},  {"QDR", 8000},   {"FDR10", 10000}, {"FDR", 13636},
    {"EDR", 25000}, {"HDR", 50000}, {"NDR", 100000}, {"XDR", 200000}};
constexpr std::pair<std::string_view, double> units[] = {{"", 1e3},   {"bps", 1e-6}, {"kbps", 1e-3},
                                                         {"mbps", 1}, {"gbps", 1e3}, {"tbps", 1e6}};

/// 0: not understood.
double lane_rate(std::string_view speed) {
  for (const auto& [name, rate] : lane_rates)
    if (speed == name) return rate;
  constexpr std::size_t most_digits = 15;  // a double holds them all
  const std::size_t end = std::min(speed.find_first_not_of("0123456789."), speed.size());
  std::uint64_t digits = 0, parts = 0;  // `parts` make one, once there is a point
  for (const char c : speed.substr(0, end)) {
    if (end > most_digits || (c == '.' && parts != 0)) return 0;
    if (c != '.') digits = 10 * digits + static_cast<std::uint64_t>(c - '0');
    parts = c == '.' ? 1 : 10 * parts;
  }
  const double number = static_cast<double>(digits) / static_cast<double>(parts == 0 ? 1 : parts);
  std::string unit;  // "Gbit/s", "Gb/s", "G" and "Gbps" are one
  for (const char c : speed.substr(end))
    if (c != ' ') unit += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (const std::string_view tail : {"bit/s", "b/s"})
    if (unit.ends_with(tail)) unit.replace(unit.size() - tail.size(), tail.size(), "bps");
  if (unit.size() == 1) unit += "bps";
  for (const auto& [name, factor] : units)
    if (unit == name) return number * factor;
  return 0;
}

template <class Visit>
void each_link(GraphSpec& graph, Visit visit) {
  for (GraphLink& link : graph.links) visit(link);
  for (HostLink& link : graph.host_links) visit(link);
}

}  // namespace

void rate_links(Imported& imported) {
  GraphSpec& graph = imported.spec.graph;
  bool widths = false, speeds = false;
  each_link(graph, [&](const auto& link) {
    widths = widths || link.width != 0;
    speeds = speeds || !link.speed.empty();
  });
  if (!widths && !speeds) return;
  const auto rate_of = [&](const auto& link) {
    return (widths ? link.width : 1) * (speeds ? lane_rate(link.speed) : 1);
  };
  double least = HUGE_VAL, most = 0;
  std::uint64_t unknown = 0, strange = 0;
  each_link(graph, [&](const auto& link) {
    const double rate = rate_of(link);
    least = rate > 0 ? std::min(least, rate) : least;
    most = std::max(most, rate);
    unknown += rate > 0 ? 0 : 1;
    strange += !link.speed.empty() && lane_rate(link.speed) == 0 ? 1 : 0;
  });
  each_link(graph, [&](auto& link) {
    const double rate = rate_of(link);
    LinkValues::Both& own = link.own[LinkValue::flit_cycles];
    if (rate <= 0 || rate >= most || own[0] != 0) return;
    const double times = std::ceil(most / rate * (1 - 1e-9));  // a decimal may be a little off
    const auto cycles = static_cast<std::uint32_t>(std::min(times, 4294967295.0));
    own = {cycles, cycles};
  });
  constexpr std::string_view note = "left-out-link-rates";
  const std::uint64_t left_out = least < most ? unknown : strange;
  imported.note(std::string(note), left_out);
  NamedValues& stated = imported.spec.generator;
  if (left_out != 0 && !stated.empty() &&
      std::none_of(stated.begin(), stated.end(), [&](const auto& said) { return said.first == note; }))
    stated.emplace_back(note, std::to_string(left_out));
}

}  // namespace wormcast::io
