// The window member of summary records: what an open-loop run measured.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/text/shapes.hpp"
#include "simulation/engine.hpp"
#include "simulation/window.hpp"

namespace wormcast::io {

/// Counts of events, and what each event costs.
inline constexpr auto event_rows =
    table(always<&EventCounts::buffer_writes, Number<>>(
              "buffer_writes", "flits written into buffers of channels, and of sources that have one"),
          always<&EventCounts::buffer_reads, Number<>>("buffer_reads",
                                                       "once where copies move together, else for each copy"),
          always<&EventCounts::crossbar_traversals, Number<>>("crossbar_traversals",
                                                              "of each copy of a flit, to hosts too"),
          always<&EventCounts::link_traversals, Number<>>(
              "link_traversals", "of flits, between routers; on graphs to and from hosts too"),
          always<&EventCounts::vc_allocations, Number<>>(
              "vc_allocations", "grants of virtual channels and consumption channels to worms"),
          always<&EventCounts::switch_allocations, Number<>>(
              "switch_allocations", "the same, but by flit in allocating routers and on shared links"));

/// Throws InputError also where a mean or a load is not what the sums say. Loads are taken over the hosts.
struct WindowMember {
  static void read(const Value& value, std::optional<WindowSummary>& to, const Scope& scope);
  static void write(const std::optional<WindowSummary>& from, RecordLine& line, const Scope& scope);
  static std::string form();
};
/// Loads over `nodes` end points, mean and interval as the member writes them, each where there is one.
std::vector<std::pair<std::string_view, std::string>> window_figures(const WindowSummary& window,
                                                                     std::uint64_t nodes);
/// The rate of the measured multicasts as their workloads state it, of all that came where none was measured;
/// of several classes of traffic each, ascending, with a + between them, so that runs which differ in one are
/// told apart; "mixed" for more than eight; "" where none is stated.
std::string window_rate(const WindowSummary& window);
/// The sum of the rates of all classes, each stated as a decimal number; "" where one is not.
std::string window_load(const WindowSummary& window);
/// The loads and the mean latency of a class, as window_figures() has them of all.
std::vector<std::pair<std::string_view, std::string>> class_figures(const WindowClass& one,
                                                                    const WindowSummary& window,
                                                                    std::uint64_t nodes);
/// Their patterns of destinations, likewise, in the order of the alphabet.
std::string window_pattern(const WindowSummary& window);
/// What to tell a user whose traffic, which starts for the last time at `last_start`, ends before his window
/// does, by a batch of it or more: loads are too low then. "" otherwise, and where the run was ended before
/// the traffic.
std::string window_lack(const Summary& summary, std::optional<Cycle> last_start);

}  // namespace wormcast::io
