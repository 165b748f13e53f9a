// Files that report reads beside records: expectations, and what events cost.
// SPDX-License-Identifier: MIT
#include "io/runs/subject_reader.hpp"

#include <optional>

#include "io/records/record_stream.hpp"
#include "io/records/window_member.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

struct EnergyFile {
  std::string name, cite;
  EventCounts attojoules;
};
constexpr auto energy_rows =
    table(always<&EnergyFile::name, Text>("name", "of the router and its links"),
          always<&EnergyFile::cite, Text>("cite", "where the numbers are from"),
          always<&EnergyFile::attojoules, Object<event_rows>>("attojoules", "that each event costs"));

std::string content_of(const std::string& path) {
  LineReader lines({path == "-" ? "./-" : path});  // standard input is for records
  std::string content;
  while (const std::optional<std::string_view> line = lines.next()) content.append(*line) += '\n';
  return content;
}

}  // namespace

std::vector<Expectation> read_expectations(const std::string& path) {
  std::vector<Expectation> all = parse_expectations(content_of(path), path);
  if (all.empty()) throw InputError("--expect", path + " has no expectation");
  return all;
}

Energy read_energy(const std::string& path) {
  JsonText json;
  try {
    json.parse(content_of(path));
    EnergyFile file;
    read_object<energy_rows>(json.root(), file, {});
    return {file.attojoules};
  } catch (InputError& error) {
    error.place = path;
    throw;
  }
}

}  // namespace wormcast::io
