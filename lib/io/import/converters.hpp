// Files that are recognized here and read by a converter: a script under share/wormcast/converters writes
// what these tools read.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "io/import/format.hpp"
#include "topology/error.hpp"

namespace wormcast::io {

/// That the file is `what`, and how a converter reads it; `hint` may be empty.
InputError read_by_converter(const ImportFile& file, std::string_view what, std::string_view command,
                             std::string_view hint = "");
/// What the converter of the format, which was named or else detected, writes of the files; nothing where
/// none stands beside the tools, or it cannot be run. What it notes goes to stderr. Throws InputError with
/// what it refuses.
std::optional<ImportFile> converted(const ImportFormat& format, std::span<const ImportFile> files,
                                    bool named);
/// Throws InputError that names the converter, where the file is a workload of another program that has one.
void refuse_converted_workload(const ImportFile& file);

}  // namespace wormcast::io
