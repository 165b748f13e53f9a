// Header flits of a worm: what its destinations take, in the encoding that its routers read.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "multicast/plan.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// How a header names the destinations of its worm.
enum class HeaderEncoding : std::uint8_t { none, address_list, bit_string, switch_ports, corners, mask };

/// Names of the options by which every plan can state its encoding; none of a planner's has such a name.
inline constexpr std::string_view header_encoding_option = "header-encoding";
inline constexpr std::string_view flit_bits_option = "flit-bits";
/// Stands for the encoding that a planner's scheme was made for.
inline constexpr std::string_view own_encoding = "own";
inline constexpr std::uint32_t default_flit_bits = 16;

/// Names that a plan can state, in the order of the enumeration.
std::span<const std::string_view> header_encodings();
std::string_view name_of(HeaderEncoding encoding);

/// An encoding and the width of a flit.
struct HeaderFormat {
  HeaderEncoding encoding = HeaderEncoding::none;
  std::uint32_t flit_bits = default_flit_bits;
};

/// The format that `options` state, `own` being the planner's; HeaderEncoding::none where they state
/// none. Throws InputError for unknown names, a width out of range, or one with no header to count.
HeaderFormat header_format(const PlanOptions& options, HeaderEncoding own);

/// Counts header flits on one network; the topology must outlive it.
class HeaderSizes {
 public:
  explicit HeaderSizes(const Topology& topology) : topology_(&topology) {}

  /// Works out what `encoding` needs to know of the network; once before flits().
  void prepare(HeaderEncoding encoding);
  /// Header flits of `worm`; nothing for HeaderEncoding::none. Throws InputError where the encoding
  /// cannot say where the worm goes.
  std::optional<std::uint32_t> flits(const Worm& worm, const HeaderFormat& format) const;
  /// Throws InputError where the worms of a plan that states an encoding say something else.
  void check(const Plan& plan);

 private:
  std::uint64_t bits(const Worm& worm, HeaderEncoding encoding) const;

  const Topology* topology_;
  std::optional<Grid> grid_;        ///< of hosts, for corners
  std::uint64_t switch_ports_ = 0;  ///< of the switch with most; 0: not counted yet
};

/// The nodes whose coordinates are in both lists, which ascend; in each dimension an interval of the ring,
/// which may wrap.
using RingBox = std::array<std::vector<std::uint32_t>, 2>;

/// The box whose hosts the destinations are, all of them, and maybe the source; nothing where there is none.
std::optional<RingBox> box_of(const Topology& topology, HostId source,
                              const std::vector<HostId>& destinations);
/// The box's hosts but one, ascending.
std::vector<HostId> hosts_of(const Topology& topology, const RingBox& box, HostId but);

}  // namespace wormcast
