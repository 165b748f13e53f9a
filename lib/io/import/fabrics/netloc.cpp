// Import of netloc's node files (.ndat): nodes of type 1 are switches, of type 2 hosts; edges have ports,
// width and speed.
// cite: Goglin, Hursey, Squyres 2014 (netloc).
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "io/import/fabrics/cabling.hpp"
#include "io/import/json.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_netloc {
namespace {

class Reader {
 public:
  explicit Reader(const ImportFile& file) : lines_(file) {}

  Imported read(const Value& root) {
    required_member(root, "node_info").members([&](std::string_view id, const Value& node) {
      const std::uint32_t index = cabling_.node(id);
      cabling_.set_kind(index, required_member(node, "node_type").integer(1, 2) == 1);
      if (const auto description = member_of(node, "desc")) {
        std::string_view name = description->text();
        if (name.size() > 2 && name.front() == '\'' && name.back() == '\'')
          name = name.substr(1, name.size() - 2);
        cabling_.set_name(index, name);
      }
      std::string digits;
      for (const char c : id)
        if (c != ':') digits += c;
      if (const auto guid = guid_of(digits)) cabling_.set_guid(index, *guid);
    });
    required_member(root, "edge_info").members([&](std::string_view, const Value& edge) { add(edge); });
    return cabling_.build(lines_);
  }

 private:
  void add(const Value& edge) {
    const auto port = [&](const char* node, const char* number) {
      const Value id = required_member(edge, node);
      const auto found = cabling_.find(id.text());
      if (!found) id.fail("there is no node " + in_quotes(id.text()));
      const Value value = required_member(edge, number);
      const auto index = whole_number(value.text());
      if (!index || *index == 0 || *index > 255) value.fail(in_quotes(value.text()) + " is not a port");
      return Cabling::Port{*found, static_cast<std::uint32_t>(*index)};
    };
    Cabling::Attributes attributes;
    if (const auto width = member_of(edge, "width"))
      if (const auto lanes = whole_number(width->text().substr(0, width->text().find('x'))))
        attributes.width = static_cast<std::uint32_t>(std::min<std::uint64_t>(*lanes, 255));
    if (const auto speed = member_of(edge, "speed")) attributes.speed = speed->text();
    cabling_.add(port("src_node_id", "src_port_id"), port("dest_node_id", "dest_port_id"), attributes,
                 lines_);
  }

  ImportLines lines_;
  Cabling cabling_;
};

bool detect(const ImportFile& file) {
  return first_line_of(file, "").starts_with('{') && file.text.find("\"node_info\"") != std::string::npos;
}

Imported read(std::span<const ImportFile> files) {
  if (files.size() != 1) throw InputError("FILE", "one netloc file at a time");
  Imported result;
  read_json(files.front(), [&](const Value& root) { result = Reader(files.front()).read(root); });
  return result;
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "netloc",
    .summary = "netloc node files (.ndat)",
    .cite = "Goglin, Hursey, Squyres 2014",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io::import_netloc
