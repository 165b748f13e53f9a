// The explicit list of export formats.
// SPDX-License-Identifier: MIT
#include <array>

#include "io/export/format.hpp"
#include "topology/suggestion.hpp"

namespace wormcast::io {

#define EXPORT(name) extern const ExportFormat export_##name;
#include "io/export/exporters.def"
#undef EXPORT

std::span<const ExportFormat* const> export_formats() {
  static constexpr std::array list = {
#define EXPORT(name) &export_##name,
#include "io/export/exporters.def"
#undef EXPORT
  };
  return list;
}

const ExportFormat* find_export_format(std::string_view name) { return find_by_name(export_formats(), name); }

}  // namespace wormcast::io
