// Import of networkx's node-link JSON: `nodes` with ids, `edges` or `links` with source and target.
//
// A node whose `type` (or `class`, or `role`) is `"host"` hangs on the one router it has an edge to; where
// no node is one, every node is a router with one host. Where `multigraph` is false, a pair named again is
// the same edge. `name`, `guid`, `ports`, `hop_cycles`, `width` and `speed` are what our own export
// writes. Of a directed graph, or of edges that say `"directed": true`, one and one back are a link, and
// one alone runs one way. `graph.generator`, an object of texts, is the record's `generator`. cite:
// Hagberg, Schult, Swart 2008 (networkx, json_graph.node_link_data).
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "io/import/text.hpp"
#include "io/import/typed_graph.hpp"
#include "io/records/network_members.hpp"
#include "io/text/json_text.hpp"
#include "io/text/shapes.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_node_link {
namespace {

/// The member of an object, or nothing; keys that are not asked for are not looked at.
std::optional<Value> member_of(const Value& object, std::string_view key) {
  std::optional<Value> found;
  object.members([&](std::string_view name, const Value& value) {
    if (name == key) found = value;
  });
  return found;
}

Value required_member(const Value& object, std::string_view key) {
  const std::optional<Value> found = member_of(object, key);
  if (!found) object.fail("the key '" + std::string(key) + "' is missing");
  return *found;
}

/// An id may be a text, an integer, or an array of these: [0, 1] is "0,1", as networkx's grids name nodes.
std::string id_text(const Value& value) {
  if (value.type() == JsonType::string) return std::string(value.text());
  if (value.type() == JsonType::array) {
    std::string coordinates;
    value.each([&](const Value& one) {
      if (one.type() == JsonType::array) one.fail("an array inside an id");
      coordinates += (coordinates.empty() ? "" : ",") + id_text(one);
    });
    return coordinates;
  }
  return std::to_string(
      value.signed_integer(-static_cast<std::int64_t>(max_integer), static_cast<std::int64_t>(max_integer)));
}

class Reader {
 public:
  Imported read(const Value& root) {
    root.expect_object();
    required_member(root, "nodes").each([&](const Value& node) { add_node(node); });
    if (graph_.routers() == 0) root.fail("no node is a router");
    if (const auto directed = member_of(root, "directed"); directed && directed->boolean())
      graph_.set_directed();
    if (const auto multigraph = member_of(root, "multigraph"); multigraph && !multigraph->boolean())
      graph_.set_strict();
    auto edges = member_of(root, "edges");
    const auto links = member_of(root, "links");
    if (edges && links) root.fail("both 'edges' and 'links' are there");
    if (!edges) edges = links;
    if (!edges) root.fail("neither 'edges' nor 'links' is there");
    edges->each([&](const Value& edge) { add_edge(edge); });
    if (const std::string host = graph_.loose_host(); !host.empty())
      root.fail("host " + in_quotes(host) + " has no edge to a router");
    Imported result = std::move(graph_).build();
    read_generator(root, result);
    return result;
  }

 private:
  /// What `graph.generator` says of the network's origin stands in the record before what is left out here.
  static void read_generator(const Value& root, Imported& result) {
    const auto graph = member_of(root, "graph");
    if (!graph || graph->type() != JsonType::object) return;
    const auto generator = member_of(*graph, "generator");
    if (!generator || generator->type() != JsonType::object) return;
    NamedValues& stated = result.spec.generator;
    SharedValues values;
    Texts::read(*generator, values, {});
    stated = values.values();
    for (const auto& note : result.notes) {
      const auto same = [&](const auto& other) { return other.first == note.first; };
      if (std::any_of(stated.begin(), stated.end(), same))
        generator->fail("'" + note.first + "' is counted here, too");
      stated.push_back(note);
    }
  }

  void add_node(const Value& value) {
    TypedNode node;
    node.id = id_text(required_member(value, "id"));
    const auto text_of = [&](const char* key) {
      const auto found = member_of(value, key);
      return found && found->type() == JsonType::string ? std::string(found->text()) : std::string();
    };
    bool typed = false;
    value.members([&](std::string_view key, const Value& said) {
      typed = typed || NodeRole::is_key(key);
      node.role.take(key, said.type() == JsonType::string ? said.text() : said.shown());
    });
    for (const char* key : {"name", "label"})
      if (std::string name = text_of(key); !node.name && !name.empty()) node.name = std::move(name);
    // Our export writes a name that is empty; what others leave empty is no name.
    if (const auto name = member_of(value, "name"); !node.name && typed && name)
      if (name->type() == JsonType::string && name->text().empty()) node.name = "";
    node.guid = text_of("guid");
    if (const auto group = member_of(value, "group"); group && group->type() == JsonType::integer)
      node.group = static_cast<std::uint32_t>(group->integer(0, UINT32_MAX));
    if (const std::string reason = graph_.add_node(node); !reason.empty()) value.fail(reason);
  }

  void add_edge(const Value& edge) {
    GraphLink link;
    read_link_attributes(edge, link);
    const auto end = [&](const char* key) {
      const Value value = required_member(edge, key);
      const auto found = graph_.find(id_text(value));
      if (!found) value.fail("there is no node " + in_quotes(id_text(value)));
      return *found;
    };
    const std::size_t source = end("source");
    const auto said = member_of(edge, "directed");
    std::optional<bool> directed;
    if (said && said->type() == JsonType::boolean) directed = said->boolean();
    if (const char* reason = graph_.add_edge(source, end("target"), std::move(link), directed))
      edge.fail(reason);
  }

  void read_link_attributes(const Value& edge, GraphLink& link) {
    if (const auto ports = member_of(edge, "ports")) Pair<0>::read(*ports, link.ports.emplace(), {});
    for (std::size_t i = 0; i < link_value_keys.size(); ++i)
      if (const auto own = member_of(edge, link_value_keys[i])) Pair<1>::read(*own, link.own.of[i], {});
    std::string raw_speed;
    edge.members([&](std::string_view key, const Value& value) {
      if (key == "width" && value.type() == JsonType::integer)
        link.width = static_cast<std::uint32_t>(value.integer(1, UINT32_MAX));
      else if (key == "speed" && value.type() == JsonType::string)
        link.speed = value.text();
      else if (key == "LinkSpeedRaw" && value.type() != JsonType::array)  // of the Topology Zoo, in bit/s
        raw_speed = value.type() == JsonType::string ? std::string(value.text()) : value.shown();
      else if (key != "ports" &&
               std::find(link_value_keys.begin(), link_value_keys.end(), key) == link_value_keys.end())
        graph_.count_unread(key);
    });
    if (link.speed.empty() && !raw_speed.empty()) link.speed = valid_utf8(raw_speed) + " bps";
  }

  TypedGraph graph_;
};

bool detect(const ImportFile& file) {
  return first_line_of(file, "").starts_with('{') && file.text.find("\"nodes\"") != std::string::npos;
}

/// The byte at which the text stopped being JSON, as the message says, or the value that failed begins.
std::optional<std::uint64_t> failed_at(const JsonText& json, const InputError& error) {
  if (!error.field.empty()) return json.failed_at();
  constexpr std::string_view before = "at byte ";
  const std::string_view message = error.what();
  const std::size_t at = message.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = message.substr(at + before.size());
  return whole_number(digits.substr(0, digits.find_first_not_of("0123456789")));
}

Imported read(const ImportFile& file) {
  JsonText json;
  try {
    json.parse(file.text);
    return Reader().read(json.root());
  } catch (InputError& error) {
    if (!error.place.empty()) throw;
    const auto byte = failed_at(json, error);
    const auto end = file.text.begin() +
                     static_cast<std::ptrdiff_t>(std::min<std::size_t>(byte.value_or(0), file.text.size()));
    error.place =
        byte ? import_place(file, 1 + static_cast<std::uint64_t>(std::count(file.text.begin(), end, '\n')))
             : file.name;
    throw;
  }
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "node-link",
    .summary = "networkx node-link JSON",
    .cite = "Hagberg, Schult, Swart 2008",
    .detect = detect,
    .one = "JSON file",
    .read_one = read,
};

}  // namespace wormcast::io::import_node_link
