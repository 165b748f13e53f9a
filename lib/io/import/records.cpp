// Import of a record stream: a topology that the tools wrote, to export it or to take links from it.
// SPDX-License-Identifier: MIT
#include "io/import/format.hpp"
#include "io/records/topology_record.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_records {
namespace {

/// Its first key says so; blanks may stand between.
bool detect(const ImportFile& file) {
  std::string_view line = first_line_of(file, "");
  for (const std::string_view token : {"{", "\"kind\"", ":", "\"topology\""}) {
    line = trimmed(line);
    if (!line.starts_with(token)) return false;
    line.remove_prefix(token.size());
  }
  return true;
}

Imported read(const ImportFile& file) {
  ImportLines lines(file);
  Imported result;
  JsonText json;
  bool begun = false, ended = false;
  // Built at once, so that errors have the line; after a converter, whose lines nobody wrote, only for
  // tables.
  std::unique_ptr<const Topology> topology;
  try {
    while (const auto line = lines.next()) {
      json.parse(*line);
      std::string_view kind;
      json.root().members([&](std::string_view key, const Value& value) {
        if (key == "kind") kind = value.text();
      });
      if (kind == "topology" && !begun) {
        result.spec = read_topology_record(json.root());
        if (!file.converted) topology = build_topology(result.spec);
        begun = true;
      } else if (kind == "tables" && begun && !ended) {
        if (!topology) topology = build_topology(result.spec);
        read_tables_record(json.root(), *topology, result.tables.emplace_back());
      } else if (kind == "end" && begun && !ended) {
        ended = true;
        json.root().members([&](std::string_view key, const Value& value) {
          if (!file.converted || key != "x_mgids") return;
          value.members([&](std::string_view mgid, const Value& group) {
            result.group_aliases.emplace(mgid, group.text());
          });
        });
      } else {
        lines.fail("kind", "a record of kind " + in_quotes(kind) +
                               "; one topology, its tables and an end can be imported");
      }
    }
  } catch (InputError& error) {
    if (error.place.empty()) error.place = import_place(file, lines.number());
    throw;
  }
  if (!ended) lines.fail("", "the input stops here without an 'end' record: it was truncated");
  return result;
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "records",
    .summary = "a topology record and its end, as the tools write them",
    .cite = "FORMAT.md",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io::import_records
