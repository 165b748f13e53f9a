// The two pictures of a report: what the channels of a network carried, and the worms of one multicast.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "multicast/routes.hpp"
#include "report/collector.hpp"
#include "report/pictures/dot_canvas.hpp"
#include "report/subject.hpp"
#include "topology/resources.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Most networks that one picture shows side by side.
inline constexpr std::size_t most_tiles = 12;

/// Adds up channel loads, one picture a planner, routing function and network: those of channel-load
/// records, or, where none come, the flits of routes. Loads of windows are divided by the cycles of these.
class LoadPicture {
 public:
  /// `metric`: flits, flits_per_cycle, worms or held_cycles; empty = flits_per_cycle where every load is one
  /// of a window, else flits.
  explicit LoadPicture(std::string metric);

  void add(const Subject& subject);
  /// DOT; one colour scale for all. `sorted`: in natural order, not as they came. Throws InputError where
  /// nothing was loaded.
  std::string draw(bool sorted = false);

 private:
  struct Tile {
    std::string title;
    std::string routing;
    std::string network;  ///< its digest
    std::shared_ptr<const Topology> topology;
    std::vector<std::uint64_t> recorded;  ///< by channel id, of channel-load records
    std::vector<std::uint64_t> routed;    ///< flits of routes
    std::uint64_t observed_cycles = 0;    ///< of all windows
    std::uint64_t segment = 0;            ///< whose window was added last
  };
  void add_record(const Subject& subject, Tile& into);
  static std::vector<std::uint64_t> rates(const Tile& tile);
  Tile& tile(const Subject& subject);
  /// Its title, with what tells it apart from others of that title.
  std::string full_title(const Tile& tile) const;

  std::string metric_;
  KeyReader key_{{"planner", "routing"}};
  std::vector<Tile> tiles_;
  bool any_recorded_ = false;
  bool all_observed_ = true;  ///< of the recorded loads, each says in how many cycles it was counted
};

/// Keeps the routes of one multicast, one picture a planner and topology.
class WormPicture {
 public:
  explicit WormPicture(std::uint64_t id) : id_(id) {}

  void add(const Subject& subject);
  /// DOT, every worm in a colour. `sorted`: in natural order, not as they came. Throws InputError where no
  /// routes of the multicast came.
  std::string draw(bool sorted = false);

 private:
  struct Tile {
    std::string title;
    std::string content;  ///< a digest, for tiles of one title
    std::shared_ptr<const Topology> topology;
    Routes routes;
  };
  std::uint64_t id_;
  std::vector<Tile> tiles_;
};

/// One worm of a deadlock, or one dependency of a cycle.
struct PicturedWorm {
  std::string name;              ///< "multicast 3"
  std::optional<NodeId> source;  ///< of a worm
  std::vector<Resource> holds;   ///< drawn in full
  std::vector<Resource> waits;   ///< drawn dashed
};

/// Pictures side by side, every worm in a colour: channels held are full arrows, channels waited for dashed
/// ones; a consumption channel waited for is a dashed circle around its node.
class DeadlockPicture {
 public:
  void add(const Topology& topology, std::string_view title, const std::vector<PicturedWorm>& worms);
  /// DOT.
  std::string draw();

 private:
  DotCanvas canvas_;
  std::vector<std::string> colours_;
  std::vector<std::string> names_;
  std::size_t tiles_ = 0;
};

}  // namespace wormcast
