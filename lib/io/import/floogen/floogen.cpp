// Import of floogen's network descriptions (YAML): routers as meshes, trees or alone, endpoints, connections.
//
// A mesh of routers with one endpoint each and nothing else is a mesh; anything else a graph of its routers,
// with an endpoint as a host. Ports are those of the router: 0 north (y upwards), 1 east, 2 south, 3 west,
// 4 for what is ejected. Protocols and addresses are checked for their form; a network has none. How it
// routes and which collectives its routers know is noted with a graph. Expressions (`${...}`) are refused.
// cite: pulp-platform/FlooNoC, floogen/model/network.py, graph.py, connection.py
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "io/import/floogen/floogen_values.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_floogen {
namespace {

class Reader {
 public:
  explicit Reader(const YamlValue& root) : root_(root) {}

  Imported read() {
    parse();
    return build();
  }

 private:
  void parse() {
    root_.expect_keys("network", {"name", "description", "network_type", "protocols", "endpoints", "routers",
                                  "connections", "routing", "params"});
    root_.at("name", "network").name("name");
    if (root_.find("network_type") == nullptr)
      root_.fail("network_type",
                 "missing, as in descriptions for floogen before v0.6; add network_type: axi, or narrow-wide "
                 "where there are narrow and wide links");
    const std::string& type = root_.at("network_type", "network").name("network_type");
    if (type != "axi" && type != "narrow-wide")
      root_.at("network_type", "network")
          .fail("network_type", fmt::format("'{}' is neither axi nor narrow-wide", type));
    for (const YamlValue& protocol : root_.at("protocols", "network").list("protocols"))
      check_protocol(protocol);
    read_routing(root_.at("routing", "network"));
    for (const YamlValue& router : root_.at("routers", "network").list("routers")) add_routers(router);
    for (const YamlValue& endpoint : root_.at("endpoints", "network").list("endpoints"))
      add_endpoints(endpoint);
    if (graph_.routers == 0) root_.at("routers", "network").fail("routers", "none is named");
    for (const YamlValue& connection : root_.at("connections", "network").list("connections"))
      connect(connection);
    for (std::size_t host = 0; host < attached_.size(); ++host)
      if (!attached_[host])
        root_.at("connections", "network")
            .fail("connections", fmt::format("endpoint {} is not connected", graph_.host_names[host]));
  }

  struct Node {
    bool host = false;
    std::uint32_t index = 0;
    std::optional<std::uint64_t> level{};
  };

  void read_routing(const YamlValue& routing) {
    routing.expect_keys("routing",
                        {"route_algo", "use_id_table", "rob_idx_bits", "port_id_bits", "num_vc_id_bits",
                         "decouple_rw", "vc_impl", "collective", "en_multicast", "en_parallel_reduction",
                         "en_narrow_offload_reduction", "en_wide_offload_reduction"});
    const YamlValue& algorithm = routing.at("route_algo", "routing");
    std::string upper = algorithm.name("route_algo");
    for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    constexpr std::array<std::string_view, 6> known = {"XY", "YX", "ID", "SRC", "XY_MIRRORED", "YX_MIRRORED"};
    if (std::find(known.begin(), known.end(), upper) == known.end())
      algorithm.fail("route_algo", fmt::format("'{}' is none of XY, YX, ID, SRC, XY_MIRRORED, YX_MIRRORED",
                                               algorithm.text));
    notes_.emplace_back("route_algo", upper);
    note_collectives(routing, notes_);
  }

  void add_node(const YamlValue& value, const std::string& name, bool host,
                std::optional<std::uint64_t> level = {}) {
    const auto index = static_cast<std::uint32_t>(host ? graph_.host_names.size() : graph_.names.size());
    if (index >= most_nodes)
      value.fail(host ? "endpoints" : "routers", fmt::format("more than {} in all", most_nodes));
    if (!nodes_.emplace(name, Node{host, index, level}).second)
      value.fail("name", fmt::format("'{}' is the name of two nodes", name));
    (host ? graph_.host_names : graph_.names).push_back(name);
    if (host) {
      graph_.hosts.push_back(0);
      graph_.host_links.emplace_back();
      attached_.push_back(false);
    } else {
      ++graph_.routers;
    }
  }

  void add_array(const YamlValue& value, const std::string& name, const std::vector<std::uint64_t>& sizes,
                 bool host) {
    for (std::uint64_t i = 0; i < sizes[0]; ++i) {
      const std::string first = fmt::format("{}_{}", name, i);
      if (sizes.size() == 1) add_node(value, first, host);
      if (sizes.size() == 2)
        for (std::uint64_t j = 0; j < sizes[1]; ++j) add_node(value, fmt::format("{}_{}", first, j), host);
    }
  }

  void add_routers(const YamlValue& value) {
    value.expect_keys("routers", {"name", "array", "tree", "xy_id_offset", "auto_connect", "degree"});
    const std::string& name = value.at("name", "routers").name("name");
    const YamlValue* array = value.find("array");
    const YamlValue* tree = value.find("tree");
    if (array != nullptr && tree != nullptr) value.fail("routers", "both 'array' and 'tree' are there");
    const bool joined = said(value, "auto_connect", true);
    if (array != nullptr) {
      const std::vector<std::uint64_t> sizes = sizes_of(*array, "array");
      if (sizes.size() != 2) array->fail("array", "an array of routers has two sizes");
      const std::uint32_t first = graph_.routers;
      add_array(value, name, sizes, false);
      if (joined)
        join_mesh(first, static_cast<std::uint32_t>(sizes[0]), static_cast<std::uint32_t>(sizes[1]));
      if (joined && first == 0) mesh_ = sizes;
    } else if (tree != nullptr) {
      const std::vector<std::uint64_t> sizes = sizes_of(*tree, "tree");
      if (sizes.size() > 16) tree->fail("tree", "more than 16 levels");
      add_tree(value, name, sizes, 0, joined, {});
    } else {
      add_node(value, name, false);
    }
  }

  /// Router (i, j) is `first` + i · height + j; i grows to the east, j to the north.
  void join_mesh(std::uint32_t first, std::uint32_t width, std::uint32_t height) {
    for (std::uint32_t i = 0; i < width; ++i)
      for (std::uint32_t j = 0; j < height; ++j) {
        const std::uint32_t at = first + i * height + j;
        if (i + 1 < width) join(at, at + height, std::array<std::uint32_t, 2>{1, 3});
        if (j + 1 < height) join(at, at + 1, std::array<std::uint32_t, 2>{0, 2});
      }
  }

  void add_tree(const YamlValue& value, const std::string& parent, const std::vector<std::uint64_t>& sizes,
                std::size_t level, bool joined, std::optional<std::uint32_t> above) {
    if (level == sizes.size()) return;
    for (std::uint64_t i = 0; i < sizes[level]; ++i) {
      const std::string name = fmt::format("{}_{}", parent, i);
      const std::uint32_t router = graph_.routers;
      add_node(value, name, false, level);
      if (above && joined) join(*above, router, std::nullopt);
      add_tree(value, name, sizes, level + 1, joined, router);
    }
  }

  bool join(std::uint32_t a, std::uint32_t b, std::optional<std::array<std::uint32_t, 2>> ports) {
    if (!pairs_.emplace(std::min(a, b), std::max(a, b)).second) return false;
    GraphLink link;
    link.ends = {a, b};
    link.ports = ports;
    graph_.links.push_back(std::move(link));
    return true;
  }

  void add_endpoints(const YamlValue& value) {
    value.expect_keys("endpoints", {"name", "description", "array", "num", "addr_range", "xy_id_offset",
                                    "mgr_port_protocol", "sbr_port_protocol"});
    const std::string& name = value.at("name", "endpoints").name("name");
    if (const YamlValue* range = value.find("addr_range")) {
      if (range->kind == YamlValue::Kind::list)
        for (const YamlValue& one : range->items) check_range(one);
      else
        check_range(*range);
    }
    const YamlValue* array = value.find("array");
    if (array == nullptr) {
      add_node(value, name, true);
    } else {
      const std::vector<std::uint64_t> sizes = sizes_of(*array, "array");
      if (sizes.size() > 2) array->fail("array", "an array of endpoints has one or two sizes");
      add_array(value, name, sizes, true);
    }
  }

  /// The nodes at one end of a connection: `src` or `dst`, by name, index, range or level.
  std::vector<Node> end_of(const YamlValue& connection, const std::string& end) const {
    const std::string& name = connection.at(end, "connections").name(end);
    const YamlValue* index = connection.find(end + "_idx");
    const YamlValue* range = connection.find(end + "_range");
    const YamlValue* level = connection.find(end + "_lvl");
    if ((index != nullptr) + (range != nullptr) + (level != nullptr) > 1)
      connection.fail(end, fmt::format("{0}_idx, {0}_range and {0}_lvl exclude each other", end));
    if (level != nullptr) return of_level(*level, name, level->number(end + "_lvl", most_nodes));
    std::vector<std::string> names = {name};
    if (index != nullptr) {
      for (const std::uint64_t number : indices_of(*index, end + "_idx"))
        names[0] += fmt::format("_{}", number);
    } else if (range != nullptr) {
      if (range->list(end + "_range").empty()) range->fail(end + "_range", "it is empty");
      if (range->items.size() > 2) range->fail(end + "_range", "more than two ranges");
      for (const YamlValue& one : range->items) names = in_range(names, one, end + "_range");
    }
    std::vector<Node> nodes;
    for (const std::string& one : names) {
      const auto found = nodes_.find(one);
      if (found == nodes_.end()) connection.fail(end, fmt::format("there is no node '{}'", one));
      nodes.push_back(found->second);
    }
    return nodes;
  }

  std::vector<Node> of_level(const YamlValue& value, const std::string& name, std::uint64_t level) const {
    std::vector<Node> nodes;
    for (std::uint32_t router = 0; router < graph_.routers; ++router) {
      if (!graph_.names[router].starts_with(name)) continue;
      const Node& node = nodes_.at(graph_.names[router]);
      if (node.level == level) nodes.push_back(node);
    }
    if (nodes.empty()) value.fail("level", fmt::format("'{}' has no level {}", name, level));
    return nodes;
  }

  void connect(const YamlValue& connection) {
    connection.expect_keys("connections",
                           {"description", "src", "dst", "src_range", "dst_range", "src_idx", "dst_idx",
                            "src_lvl", "dst_lvl", "dst_dir", "src_dir", "allow_multi", "bidirectional"});
    if (!said(connection, "bidirectional", true)) connection.fail("bidirectional", "links go both ways");
    std::vector<Node> sources = end_of(connection, "src");
    std::vector<Node> targets = end_of(connection, "dst");
    const auto repeat = [&](std::vector<Node>& few, std::size_t wanted) {
      std::vector<Node> all;
      for (const Node& node : few) all.insert(all.end(), wanted / few.size(), node);
      few = std::move(all);
    };
    if (said(connection, "allow_multi", false)) {
      if (sources.size() < targets.size() && targets.size() % sources.size() == 0)
        repeat(sources, targets.size());
      if (targets.size() < sources.size() && sources.size() % targets.size() == 0)
        repeat(targets, sources.size());
    }
    if (sources.size() != targets.size())
      connection.fail("connections",
                      fmt::format("{} nodes at one end, {} at the other", sources.size(), targets.size()));
    const auto source_port = direction_of(connection, "src_dir");
    const auto target_port = direction_of(connection, "dst_dir");
    for (std::size_t i = 0; i < sources.size(); ++i)
      connect(connection, sources[i], targets[i], source_port, target_port);
  }

  void connect(const YamlValue& connection, const Node& source, const Node& target,
               std::optional<std::uint32_t> source_port, std::optional<std::uint32_t> target_port) {
    if (source.host && target.host)
      connection.fail("connections",
                      fmt::format("endpoints {} and {} have no router between them",
                                  graph_.host_names[source.index], graph_.host_names[target.index]));
    if (source.host) return attach(connection, source.index, target.index, target_port);
    if (target.host) return attach(connection, target.index, source.index, source_port);
    extra_links_ = true;
    std::optional<std::array<std::uint32_t, 2>> ports;
    if (source_port && target_port) ports = {{*source_port, *target_port}};
    if (source.index == target.index || !join(source.index, target.index, ports))
      connection.fail("connections",
                      source.index == target.index
                          ? fmt::format("router {} is connected to itself", graph_.names[source.index])
                          : fmt::format("routers {} and {} are connected twice", graph_.names[source.index],
                                        graph_.names[target.index]));
  }

  void attach(const YamlValue& connection, std::uint32_t host, std::uint32_t router,
              std::optional<std::uint32_t> port) {
    if (attached_[host])
      connection.fail("connections",
                      fmt::format("endpoint {} is connected twice: to {} and {}", graph_.host_names[host],
                                  graph_.names[graph_.hosts[host]], graph_.names[router]));
    attached_[host] = true;
    graph_.hosts[host] = router;
    if (port) graph_.host_links[host].ports = {{*port, 0}};
  }

  /// Every router of the one mesh has one endpoint, and there is nothing else.
  bool is_mesh() const {
    if (mesh_.empty() || extra_links_ || graph_.routers != mesh_[0] * mesh_[1] ||
        graph_.hosts.size() != graph_.routers)
      return false;
    std::vector<bool> taken(graph_.routers, false);
    for (const std::uint32_t router : graph_.hosts) {
      if (taken[router]) return false;
      taken[router] = true;
    }
    return true;
  }

  Imported build() {
    Imported result;
    if (is_mesh()) {
      result.spec.family = "mesh";
      result.spec.sizes = mesh_;
      result.notes = std::move(notes_);
      return result;
    }
    if (std::none_of(graph_.host_links.begin(), graph_.host_links.end(),
                     [](const HostLink& link) { return link.ports.has_value(); }))
      graph_.host_links.clear();
    result.spec.graph = std::move(graph_);
    result.notes = std::move(notes_);
    return result;
  }

  const YamlValue& root_;
  GraphSpec graph_;
  std::map<std::string, Node> nodes_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;  ///< routers that are joined
  std::vector<bool> attached_;                               ///< by host
  std::vector<std::uint64_t> mesh_;                          ///< of the first routers, where they are one
  bool extra_links_ = false;
  NamedValues notes_;
};

bool has_line(const std::string& text, std::string_view begin) {
  return text.starts_with(begin) || text.find("\n" + std::string(begin)) != std::string::npos;
}

bool detect(const ImportFile& file) {
  return has_line(file.text, "routers:") &&
         (has_line(file.text, "network_type:") ||
          (has_line(file.text, "endpoints:") && has_line(file.text, "connections:")));
}

Imported read(const ImportFile& file) {
  const YamlValue root = read_yaml(file);
  return Reader(root).read();
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "floogen",
    .summary = "floogen: network descriptions of FlooNoC (YAML)",
    .cite = "pulp-platform/FlooNoC, docs/floogen",
    .detect = detect,
    .one = "network description",
    .read_one = read,
};

}  // namespace wormcast::io::import_floogen
