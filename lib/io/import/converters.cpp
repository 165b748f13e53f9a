// The formats of networks, and workloads that a converter reads: how their files are recognized.
// SPDX-License-Identifier: MIT
#include "io/import/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wormcast::io {
namespace {

using Words = std::vector<std::string_view>;

std::vector<Words> lines_in_words(const ImportFile& file, std::size_t most = SIZE_MAX) {
  std::vector<Words> rows;
  ImportLines lines(file);
  while (const auto line = rows.size() < most ? lines.next() : std::nullopt) rows.push_back(words_of(*line));
  return rows;
}

/// A first line in use of 2 to 4 numbers, the first of which counts the lines that follow.
bool may_be_metis(const ImportFile& file) {
  ImportLines lines(file);
  std::optional<std::uint64_t> nodes;
  std::uint64_t all = 0, used = 0;
  while (const auto line = lines.next()) {
    if (line->starts_with('%')) continue;
    if (!nodes) {
      const Words words = words_of(*line);
      if (words.size() < 2 || words.size() > 4) return false;
      nodes = whole_number(words[0]);
      if (!nodes) return false;
      continue;
    }
    ++all;
    used += trimmed(*line).empty() ? 0 : 1;
  }
  return nodes && *nodes > 0 && used <= *nodes && *nodes <= all;
}

/// What could be an edge list too is a METIS graph where m counts its numbers, or where all neighbours name
/// each other.
bool is_metis(const ImportFile& file) {
  if (!may_be_metis(file)) return false;
  std::vector<Words> rows = lines_in_words(file);
  std::erase_if(rows, [](const Words& row) { return !row.empty() && row[0].starts_with('%'); });
  std::array<std::uint64_t, 4> header = {0, 0, 0, 1};  // nodes, edges, format, weights of a node
  for (std::size_t i = 0; i < rows[0].size(); ++i) {
    const auto number = whole_number(rows[0][i]);
    if (!number || *number > (i < 2 ? file.text.size() : 1000)) return false;
    header[i] = *number;
  }
  const auto [nodes, edges, form, weights] = header;
  const std::uint64_t before = (form / 100 == 1 ? 1 : 0) + (form / 10 % 10 == 1 ? weights : 0);
  const std::size_t step = form % 10 == 1 ? 2 : 1;
  rows.erase(rows.begin());
  std::uint64_t words = 0;
  for (const Words& row : rows) words += row.size();
  if (words == nodes * before + 2 * edges * step) return true;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::int64_t>
      balance;  // namings of a pair, less those back
  if (rows.size() > nodes) std::erase_if(rows, [](const Words& row) { return row.empty(); });
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t at = before; at < rows[i].size(); at += step) {
      const auto other = whole_number(rows[i][at]);
      if (!other || *other < 1 || *other > nodes) return false;
      balance[std::minmax<std::uint64_t>(i + 1, *other)] += i + 1 < *other ? 1 : i + 1 > *other ? -1 : 0;
    }
  return !balance.empty() &&
         std::all_of(balance.begin(), balance.end(), [](const auto& pair) { return pair.second == 0; });
}

bool is_arrow(std::string_view word) { return word.starts_with('-') && word.ends_with("->"); }

/// A section and its first cable, a cable with both ends, or a system definition.
bool is_ibdm(const ImportFile& file) {
  std::vector<Words> rows = lines_in_words(file);
  std::erase_if(rows, [](const Words& row) { return row.empty() || row[0].starts_with('#'); });
  bool section = false;
  for (const Words& words : rows) {
    if (section) return words.size() == 5 && is_arrow(words[1]);
    if (words.size() >= 2 && (words[0] == "SYSTEM" || words[0] == "TOPSYSTEM")) return true;
    if (words.size() == 6 && words[2].starts_with('P') && words[5].starts_with('P')) return true;
    if (words.size() != 2 && !(words.size() > 2 && words[2].starts_with("CFG:"))) return false;
    section = true;
  }
  return false;
}

/// A port and its link, or behind one heading of a node.
bool is_iblinkinfo(const ImportFile& file) {
  ImportLines lines(file);
  bool heading = false;
  while (const auto text = lines.next_text("#")) {
    const std::size_t link = text->find("==(");
    if (link != std::string_view::npos && text->find("==>", link) != std::string_view::npos) return true;
    const std::string_view word = text->substr(0, text->find_first_of(" :"));
    heading = !heading && text->ends_with(':') && (word == "Switch" || word == "CA" || word == "Router");
    if (!heading) return false;
  }
  return false;
}

bool is_ports_report(const ImportFile& file) {
  const Words words = words_of(first_line_of(file, "#"));
  return words.size() > 5 && (words[0] == "SW" || words[0] == "CA" || words[0] == "RT") &&
         whole_number(words[1]) && whole_number(words[2]) && words[3].starts_with("0x") &&
         words[3].size() <= 18 && whole_number(words[3].substr(2), 16);
}

bool is_cray_xc(const ImportFile& file) {
  const Words words = words_of(first_line_of(file, "#"));
  return words.size() == 4 && words[2] == "->" && words[0].starts_with('c') && words[0].ends_with(')');
}

std::string_view behind_comments(std::string_view text) {
  while (true) {
    text = trimmed(text);
    if (text.starts_with("/*"))
      text.remove_prefix(std::min(text.find("*/", 2), text.size() - 2) + 2);
    else if (text.starts_with("//") || text.starts_with('#'))
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    else
      return text;
  }
}

/// The words that open a graph of Graphviz, and its name, up to the brace.
bool is_dot(const ImportFile& file) {
  std::string_view text = behind_comments(file.text);
  const auto take_word = [&] {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n{}[]<>=;,/#\""), text.size());
    std::string word(text.substr(0, end));
    for (char& c : word)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    text = behind_comments(text.substr(end));
    return word;
  };
  std::string word = take_word();
  if (word == "strict") word = take_word();
  if (word != "graph" && word != "digraph") return false;
  if (!text.starts_with('"')) {
    take_word();
  } else {
    std::size_t end = text.find('"', 1);
    while (end < text.size() && text[end - 1] == '\\') end = text.find('"', end + 1);
    text = behind_comments(text.substr(std::min(end + 1, text.size())));
  }
  return text.starts_with('{');
}

bool is_ibnetdiscover(const ImportFile& file) {
  ImportLines lines(file);
  while (const auto line = lines.next()) {
    const Words words = words_of(*line);
    if (words.size() < 3) continue;
    const bool node = words[0] == "Switch" || words[0] == "Ca" || words[0] == "Hca" || words[0] == "Rt";
    if (node && whole_number(words[1]) && words[2].starts_with('"')) return true;
  }
  return false;
}

bool is_anynet(const ImportFile& file) {
  const Words words = words_of(first_line_of(file, ""));
  return words.size() >= 3 && (words[0] == "router" || words[0] == "node") && whole_number(words[1]) &&
         (words[2] == "router" || words[2] == "node");
}

bool is_graphml(const ImportFile& file) {
  return file.text.substr(0, 4096).find("<graphml") != std::string::npos;
}

bool is_gml(const ImportFile& file) {
  ImportLines lines(file);
  while (const auto line = lines.next_text("#")) {
    const Words words = words_of(*line);
    if (words[0] != "Creator" && words[0] != "Version")
      return words[0] == "graph" && (words.size() == 1 || words[1].starts_with('['));
  }
  return false;
}

bool is_node_link(const ImportFile& file) {
  return first_line_of(file, "").starts_with('{') && file.text.find("\"nodes\"") != std::string::npos;
}

/// JSON; or hwloc 2's lines, of which the fifth describes the first node: 0011:7500:0077:d284,182,0,...
bool is_netloc(const ImportFile& file) {
  if (first_line_of(file, "").starts_with('{')) return file.text.find("\"node_info\"") != std::string::npos;
  const std::vector<Words> rows = lines_in_words(file, 5);
  const auto is_number = [&](std::size_t row) { return rows[row].size() == 1 && whole_number(rows[row][0]); };
  return rows.size() == 5 && is_number(0) && is_number(3) && !rows[4].empty() && rows[4][0].find(',') == 19 &&
         rows[4][0][4] == ':';
}

/// `topology = NAME;` among the statements of a line, before a comment.
bool is_booksim(const ImportFile& file) {
  ImportLines lines(file);
  while (const auto line = lines.next()) {
    std::string_view rest = line->substr(0, line->find("//"));
    for (std::size_t end = rest.find(';'); end < rest.size(); end = rest.find(';')) {
      const std::string_view statement = rest.substr(0, end);
      if (statement.find('=') < end && trimmed(statement.substr(0, statement.find('='))) == "topology")
        return true;
      rest.remove_prefix(end + 1);
    }
  }
  return false;
}

/// Numbers, in the head perhaps a type of GPU such as A100, then a link whose third word is a rate.
bool is_ns3(const ImportFile& file) {
  ImportLines lines(file);
  bool head = true;
  while (const auto line = lines.next()) {
    const Words words = words_of(*line);
    if (!head && words.size() == 5 && words[2].ends_with("bps")) return true;
    for (std::size_t i = 0; i < words.size(); ++i)
      if (!whole_number(words[i]) && !(head && i == 5)) return false;
    head = head && words.empty();
  }
  return false;
}

bool has_line(const ImportFile& file, std::string_view begin) {
  return file.text.starts_with(begin) || file.text.find("\n" + std::string(begin)) != std::string::npos;
}

bool is_floogen(const ImportFile& file) {
  return has_line(file, "routers:") && (has_line(file, "network_type:") ||
                                        (has_line(file, "endpoints:") && has_line(file, "connections:")));
}

bool is_floogen_traffic(const ImportFile& file) { return has_line(file, "traffic_flows:"); }

/// Of a cluster or of a chip; not the schema of such descriptors.
bool is_tenstorrent(const ImportFile& file) {
  const bool sizes =
      file.text.find("x_size:") != std::string::npos || file.text.find("y_size:") != std::string::npos;
  return !has_line(file, "$schema:") &&
         (has_line(file, "ethernet_connections:") || (has_line(file, "grid:") && sizes));
}

bool is_netrace(const ImportFile& file) { return file.text.starts_with("\x55\x54\x4a\x48"); }

/// The first message, of a version and a time, behind its length.
bool is_chakra(const ImportFile& file) {
  const std::string_view text = file.text;
  return file.name.ends_with(".et") ||
         (text.size() > 1 && text[0] > 1 && text[0] < '\t' && text[1] == '\n') || text.starts_with('\0');
}

bool is_noc_trace(const ImportFile& file) {
  const std::string_view text = trimmed(file.text);
  return (text.starts_with('[') && text.find("\"timestamp\"") != std::string_view::npos) ||
         (text.starts_with('{') && text.find("\"phases\"") != std::string_view::npos);
}

/// A number, then two addresses, one a line.
bool is_dma_jobs(const ImportFile& file) {
  std::vector<Words> rows = lines_in_words(file, 16);
  std::erase_if(rows, [](const Words& row) { return row.empty(); });
  return rows.size() >= 3 && rows[0].size() == 1 && whole_number(rows[0][0]) &&
         rows[1][0].starts_with("0x") && rows[2][0].starts_with("0x");
}

struct ConvertedWorkload {
  bool (*detect)(const ImportFile&);
  std::string_view what;
  std::string_view command;
};
constexpr std::array<ConvertedWorkload, 5> workloads = {{
    {is_floogen_traffic, "a traffic file of floogen", "floogen-traffic FILE >groups"},
    {is_netrace, "a trace of netrace", "netrace FILE >groups"},
    {is_noc_trace, "a trace of tt-metal or a workload of tt-npe", "noc-trace --noc 0 FILE >groups"},
    {is_dma_jobs, "a file of DMA jobs", "dma-jobs --addresses NETWORK.yml FILE... >groups"},
    {is_chakra, "an execution trace of Chakra", "chakra NAME.*.et >list"},
}};

/// What OpenSM dumps: the list of a subnet, and what stands beside it. Lists of cables begin so, too.
bool is_subnet(std::string_view line) {
  return line.starts_with("{ ") && line.find(" NodeGUID:") != std::string_view::npos;
}

/// OpenSM wrote "__osm_ucast_mgr_dump_ucast_routes:" once, and ibdiagnet still leaves the underscores out.
bool is_unicast(std::string_view line) {
  const std::size_t name = line.find(" Switch 0x");
  return name != std::string_view::npos && line.substr(0, name).ends_with("dump_ucast_routes:");
}

/// What saquery prints of paths and of groups.
bool is_record(std::string_view line) {
  return line == "PathRecord dump:" || (line.starts_with("MCMemberRecord ") && line.ends_with("dump:"));
}

/// SL2VL tables: `Switch 0x…, base LID 2, "name"`; or ibdiagnet's `guid in out 0x…`. Path SLs: `guid lid sl`.
bool is_levels(std::string_view line) {
  if (line.starts_with("Channel Adapter 0x")) return line.find(", base LID ") != std::string_view::npos;
  const std::vector<std::string_view> words = words_of(line);
  return words.size() >= 3 && words[0].starts_with("0x") && whole_number(words[1]) &&
         whole_number(words[2]) && (words.size() == 3 || words[3].starts_with("0x"));
}

bool is_opensm(const ImportFile& file) {
  const std::string_view line = first_line_of(file, ""), beyond_comments = first_line_of(file, "#");
  return is_subnet(line) || is_unicast(line) || is_record(line) || is_record(beyond_comments) ||
         beyond_comments.starts_with("Switch 0x") || is_levels(beyond_comments);
}

/// A topology record: its first key says so; blanks may stand between.
bool is_stream(const ImportFile& file) {
  std::string_view line = first_line_of(file, "");
  for (const std::string_view token : {"{", "\"kind\"", ":", "\"topology\""}) {
    line = trimmed(line);
    if (!line.starts_with(token)) return false;
    line.remove_prefix(token.size());
  }
  return true;
}

/// In the order in which a file is looked at to find out what it is.
constexpr ImportFormat formats[] = {
    {"records", "a topology record and its end, as the tools write them", "FORMAT.md", is_stream},
    {"floogen", "floogen: network descriptions of FlooNoC (YAML)", "pulp-platform/FlooNoC, docs/floogen",
     is_floogen, "floogen FILE | gen-topology import"},
    {"dot", "Graphviz graphs and digraphs, all that export dot writes", "Gansner, North 2000", is_dot,
     "graphviz FILE | gen-topology import"},
    {"opensm", "OpenSM: opensm-subnet.lst, with opensm.fdbs, opensm.mcfdbs, opensm-sl2vl.dump, path SLs",
     "OpenSM 3.3, osm_dump.c", is_opensm, "opensm FILE... | gen-topology import"},
    {"ibnetdiscover", "InfiniBand: dumps of ibnetdiscover, nets of ibsim",
     "infiniband-diags, ibnetdiscover(8)", is_ibnetdiscover, "ibnetdiscover FILE | gen-topology import"},
    {"ibnetdiscover-ports", "InfiniBand: ports reports of ibnetdiscover -p",
     "infiniband-diags, ibnetdiscover(8)", is_ports_report, "ibnetdiscover-ports FILE | gen-topology import"},
    {"iblinkinfo", "InfiniBand: what iblinkinfo prints, with and without -l",
     "infiniband-diags, iblinkinfo(8)", is_iblinkinfo, "iblinkinfo FILE | gen-topology import"},
    {"ibdm", "InfiniBand: topology files, cable lists and system definitions of ibutils", "ibdm-topo-file(1)",
     is_ibdm, "ibdm FILE | gen-topology import"},
    {"cray-xc", "Cray XC: link lists of routers, tile by tile", "Alverson et al. 2012", is_cray_xc,
     "cray-xc FILE | gen-topology import"},
    {"anynet", "BookSim 2: routers, nodes and latencies", "Jiang et al. 2013", is_anynet,
     "anynet FILE | gen-topology import"},
    {"booksim", "BookSim 2: configurations of mesh, torus, cmesh, flatfly, dragonflynew, fattree and fly",
     "Jiang et al. 2013", is_booksim, "booksim FILE | sh"},
    {"ns3", "ns-3: topologies of RDMA simulators (HPCC, SimAI), links with rates, delays and error rates",
     "Li et al. 2019", is_ns3, "ns3 FILE | gen-topology import"},
    {"netloc", "netloc node files (.ndat, hwloc 2's *-nodes.txt)", "Goglin, Hursey, Squyres 2014", is_netloc,
     "netloc FILE | gen-topology import"},
    {"node-link", "networkx node-link JSON", "Hagberg, Schult, Swart 2008", is_node_link,
     "node-link FILE | gen-topology import"},
    {"graphml", "GraphML (Internet Topology Zoo, networkx, yEd)", "Brandes et al. 2002", is_graphml,
     "graphml FILE | gen-topology import"},
    {"gml", "GML graphs (Internet Topology Zoo)", "Himsolt 1997", is_gml, "gml FILE | gen-topology import"},
    {"tenstorrent", "Tenstorrent: descriptors of chips and clusters", "tt-umd, SOC_DESCRIPTOR.md",
     is_tenstorrent, "tenstorrent FILE | gen-topology import"},
    {"metis", "METIS graphs", "Karypis, Kumar 1998", is_metis, "metis FILE | gen-topology import",
     "; --format edge-list takes each line for an edge"},
    {"edge-list", "pairs of nodes, numbers or names, by blanks, tabs, commas or semicolons (SNAP, networkx)",
     "Leskovec, Sosic 2016", nullptr, "edge-list FILE | gen-topology import"},
};

}  // namespace

InputError read_by_converter(const ImportFile& file, std::string_view what, std::string_view command,
                             std::string_view hint) {
  return InputError("FILE",
                    fmt::format("{} is {}, which a converter reads: {} (in share/wormcast/converters){}",
                                file.shown(), what, command, hint));
}

void refuse_converted_workload(const ImportFile& file) {
  for (const ConvertedWorkload& one : workloads)
    if (one.detect(file)) throw read_by_converter(file, one.what, one.command);
}

std::span<const ImportFormat* const> import_formats() {
  static constexpr auto list = [] {
    std::array<const ImportFormat*, std::size(formats)> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = &formats[i];
    return all;
  }();
  return list;
}

}  // namespace wormcast::io
