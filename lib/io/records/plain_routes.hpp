// The routes records that nearly all streams consist of, read straight from their text.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/record_line.hpp"
#include "multicast/routes.hpp"
#include "simulation/queues/paged_array.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// Reads a routes record in one pass where it is plain: written as this project's tools write it, its worms
/// paths of stops and hops with at most virtual channels beside them, nothing rare, nothing wrong, and
/// workload, planner, options and routing the same text as in a record before it. Everything else is for
/// read_routes_record(), which alone refuses; what is taken here fills `routes` as that would.
/// Nothing is allocated once the buffers of `routes` have grown. Cost: a few instructions a byte.
class PlainRoutes {
 public:
  /// `topology` must outlive the segment.
  void begin_segment(const Topology& topology);
  /// True if the record was plain; otherwise `routes` is in any state.
  bool read(std::string_view line, Routes& routes);
  /// Keeps the shared part of a record that read_routes_record() has taken.
  void learn(std::string_view line, const Routes& routes);

 private:
  struct Ends {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    enum : std::uint8_t { unknown, valid, absent } state = unknown;
    std::uint64_t worm = 0;  ///< the last that came by, by its number
  };

  bool read_head(Request& request);
  bool read_shared(Plan& plan);
  bool read_worm(const Request& request, Worm& worm, WormRoute& route);
  bool read_hops(WormRoute& route);
  bool read_vcs(WormRoute& route);
  bool read_measures(Plan& plan);
  bool check_request(const Request& request) const;
  bool check_hops(const WormRoute& route);
  bool find_ends(std::uint32_t channel, Ends& ends) const;

  bool text(std::string_view expected);
  template <std::size_t Size>
  bool text(const char (&expected)[Size]) {
    return text(std::string_view(expected, Size - 1));
  }
  bool number(std::uint64_t& value);
  bool long_number(std::uint64_t& value);
  bool number_below(std::uint64_t bound, std::uint32_t& value);
  template <class Take>
  bool numbers(Take take);

  const Topology* topology_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  RecordLine line_;
  std::string shared_;  ///< text between start cycle and worms; empty: none yet
  Plan plan_;           ///< what it says
  PagedArray<Ends> ends_;
  std::uint64_t worm_ = 0;          ///< number of the worm that is read, from 1
  bool repeats_ = false;            ///< a channel of it came before, perhaps on another virtual channel
  std::vector<HostId> stops_;       ///< of all worms of the record
  std::vector<HostId> deliveries_;  ///< of all worms of the record
};

}  // namespace wormcast::io
