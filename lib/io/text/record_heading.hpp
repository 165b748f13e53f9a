// What records of a segment mostly have in common, kept by who reads or writes one after the other.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "topology/named_values.hpp"

namespace wormcast::io {

/// Members that stood in the record before, and their text.
struct RecordHeading {
  std::string text;       ///< empty: none yet. Read: with what stands behind them
  SharedValues workload;  ///< read
  std::string planner;
  SharedValues options;
  std::string routing;
};

}  // namespace wormcast::io
