// Files that are recognized here and read by a converter: a script under share/wormcast/converters writes
// what these tools read.
// SPDX-License-Identifier: MIT
#pragma once

#include "io/import/format.hpp"

namespace wormcast::io {

/// Throws InputError that names the converter, where the file is a workload of another program that has one.
void refuse_converted_workload(const ImportFile& file);

}  // namespace wormcast::io
