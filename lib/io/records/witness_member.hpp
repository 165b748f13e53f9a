// Witnesses of deadlocks as members of records.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "deadlock/verdict.hpp"
#include "io/text/shapes.hpp"

namespace wormcast::io {

/// The worms of a witness, in the order of their starts.
struct Witness {
  static void read(const Value& array, std::vector<WitnessWorm>& witness, const Scope& scope);
  static void write(const std::vector<WitnessWorm>& witness, RecordLine& line, const Scope& scope);
  static ValueForm form();
};
RowForms witness_rows_form();

}  // namespace wormcast::io
