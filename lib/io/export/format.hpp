// Formats in which networks are given to other programs: the signature of writers, and their registry.
//
// To add a format: write a script data/converters/to-FORMAT that reads the record of a graph, and add a line to
// registry.cpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "topology/topology.hpp"

namespace wormcast::io {

/// One registered format.
struct ExportFormat {
  std::string_view name;
  std::string_view summary;
  std::string_view cite;
  /// Which of export_parts() it writes so that the import reads them back.
  std::span<const std::string_view> keeps;
  /// What exported() gives, of a graph whose links all run both ways; where nullptr, the script to-NAME does.
  std::string (*write)(const TopologySpec& graph, const std::string& name) = nullptr;
};

/// Something that a network may have and a format may have no place for.
struct ExportPart {
  std::string_view name;
  bool (*has)(const TopologySpec& graph);
};
std::span<const ExportPart> export_parts();

/// Every format, in the order in which --list shows them.
std::span<const ExportFormat* const> export_formats();
const ExportFormat* find_export_format(std::string_view name);
/// The network, a graph that is called `name`, as text; throws InputError for what the format cannot say.
std::string exported(const ExportFormat& format, const TopologySpec& graph, const std::string& name);

}  // namespace wormcast::io
