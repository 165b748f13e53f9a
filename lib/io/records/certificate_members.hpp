// Fronts, and certificates: one object for each half.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "io/text/shapes.hpp"
#include "multicast/plan.hpp"

namespace wormcast::io {

/// The halves of a certificate, of which there is at least one.
struct Certificate {
  static void read(const Value& array, std::vector<HalfCertificate>& certificate, const Scope& scope);
  static void write(const std::vector<HalfCertificate>& certificate, RecordLine& line, const Scope&);
  static ValueForm form();
};
RowForms certificate_rows();
inline constexpr std::string_view certificate_meaning =
    "at least one part: proof that a plan of `ocms` or `ocms-up-down` has the least traffic, one of `otms` "
    "or `otms-up-down` the least longest path (not that no other star of that length has less traffic) "
    "(`plan-multicast --certify`)";

/// An array of [longest_path_hops, traffic_channels], in plans [longest_path_hops, traffic_channels, worms]
/// where the worms are known; in routes there are none.
enum class FrontWorms : bool { none, known };
template <FrontWorms worms>
struct Front {
  static void read(const Value& array, std::vector<FrontPoint>& front, const Scope& scope);
  static void write(const std::vector<FrontPoint>& front, RecordLine& line, const Scope& scope);
  static ValueForm form();
};
inline constexpr std::string_view front_meaning =
    "`[longest_path_hops, traffic_channels, worms]` of every star of an `ocms` or `otms` plan that no other "
    "one beats in both, shortest path first (`plan-multicast --front`); the worms are such a star's, without "
    "`header_flits`, and may be left out; `routes` carry points without worms";

}  // namespace wormcast::io
