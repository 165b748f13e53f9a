// Import of what iblinkinfo prints: a line for each port, under the heading of its node or, with -l, with it.
//
// `Switch: 0x0002c90300000002 leaf1:` or `CA: node1 mlx5_0:`, then `2 1[  ] ==( 4X 14.0625 Gbps Active/
// LinkUp)==> 1 1[  ] "node1 mlx5_0" ( )`: LID, port and printed port, the link, and the same of the other
// end. A CA's line has the port's GUID first, and so have both ends with -l, where a node is a switch if it
// has several ports: every port of an adapter has a LID of its own. Nodes are told apart by their LIDs. Where
// no CA has a heading (--switches-only), what is no switch is a host. cite: infiniband-diags, iblinkinfo.c.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "io/import/fabrics/cabling.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_iblinkinfo {
namespace {

constexpr std::uint64_t max_ports = 255;
constexpr std::uint64_t max_lid = 0xffff;
constexpr std::string_view link_begin = "==(";
constexpr std::string_view link_end = "==>";

/// "Switch: 0x... name:", in older versions without the first colon.
bool is_heading(std::string_view line) {
  const std::string_view word = line.substr(0, line.find_first_of(" :"));
  return line.ends_with(':') && (word == "Switch" || word == "CA" || word == "Router");
}

/// One end of a link as it is written: GUID, LID, port[printed port], name.
struct End {
  std::string guid;
  std::uint64_t lid = 0;
  std::uint32_t port = 0;
  std::string_view name;
};

/// What has been said of the node of a LID.
struct NodePorts {
  std::string_view name;
  std::set<std::uint32_t> ports;
};

class Reader {
 public:
  explicit Reader(const ImportFile& file) : lines_(file) {}

  Imported read() {
    while (const auto text = lines_.next_text("#"))
      if (is_heading(*text))
        read_heading(*text);
      else
        read_port(*text);
    const std::uint64_t guessed = set_kinds();
    Imported result = cabling_.build(lines_);
    result.note("hosts-without-a-heading", guessed);
    return result;
  }

 private:
  void read_heading(std::string_view line) {
    headings_ = true;
    const bool is_switch = line.starts_with("Switch");
    hosts_ = hosts_ || !is_switch;
    line.remove_suffix(1);  // of `Switch:`, which says nothing else, the only colon
    line.remove_prefix(std::min(line.find_first_of(" :"), line.size()));
    line = trimmed(line.substr(line.starts_with(':') ? 1 : 0));
    heading_ = {};
    is_switch_ = is_switch;
    if (is_switch) {
      const std::string_view word = line.substr(0, line.find(' '));
      heading_.guid = lines_.guid_in(word, "GUID");
      line.remove_prefix(word.size());
    }
    heading_.name = trimmed(line);
  }

  /// `text` is what stands at one side of the link; nothing where no port does.
  std::optional<End> end_of(std::string_view text) const {
    End end;
    text = trimmed(text);
    if (text.starts_with("0x")) {
      const std::string_view word = text.substr(0, text.find(' '));
      end.guid = lines_.guid_in(word, "GUID");
      text = trimmed(text.substr(word.size()));
    }
    if (text.starts_with('"')) {
      const std::size_t closed = text.rfind('"');
      if (closed == 0) lines_.fail("name", "it does not end");
      end.name = trimmed(text.substr(1, closed - 1));
      text = trimmed(text.substr(closed + 1));
    }
    const std::size_t bracket = text.find('[');
    const std::vector<std::string_view> words = words_of(text.substr(0, bracket));
    if (words.empty()) return std::nullopt;
    if (words.size() != 2 || bracket == std::string_view::npos)
      lines_.fail("port", in_quotes(text) + " is not LID PORT[PRINTED]");
    end.lid = lines_.number_in(words[0], "LID", 1, max_lid);
    end.port = static_cast<std::uint32_t>(lines_.number_in(words[1], "port", 1, max_ports));
    if (const std::size_t named = text.find('"'); named != std::string_view::npos) {
      const std::size_t closed = text.rfind("\" (");
      if (closed == std::string_view::npos || closed <= named) lines_.fail("name", "it does not end");
      end.name = trimmed(text.substr(named + 1, closed - named - 1));
    }
    return end;
  }

  Cabling::Port port_of(const End& end) {
    const std::uint32_t node = cabling_.node(fmt::format("LID {}", end.lid));
    if (ports_.size() <= node) ports_.resize(node + 1);
    if (!end.name.empty()) {
      cabling_.set_name(node, end.name);
      ports_[node].name = end.name;
    }
    const Cabling::Port port{node, end.port};
    if (!end.guid.empty()) {
      cabling_.set_guid(node, end.guid);
      cabling_.set_port_guid(port, end.guid);
    }
    ports_[node].ports.insert(end.port);
    return port;
  }

  void read_port(std::string_view line) {
    const std::size_t begin = line.find(link_begin);
    const std::size_t end = line.find(link_end, std::min(begin, line.size()));
    if (end == std::string_view::npos)
      lines_.fail("", in_quotes(line) + " is neither a node's heading nor a port of iblinkinfo");
    auto here = end_of(line.substr(0, begin));
    if (!here) lines_.fail("port", "LID and port are missing");
    if (headings_ && here->name.empty()) {
      here->name = heading_.name;
      if (is_switch_) here->guid = heading_.guid;
    }
    const Cabling::Port port = port_of(*here);
    if (headings_ && !cabling_.kind_known(port.node)) cabling_.set_kind(port.node, is_switch_);
    std::string_view other = trimmed(line.substr(end + link_end.size()));
    if (other.starts_with('[') || other.starts_with("\"Port not available\"")) return;
    if (const auto there = end_of(other))
      cabling_.add(port, port_of(*there), attributes_of(line.substr(begin, end - begin)), lines_);
  }

  /// "==( 4X 14.0625 Gbps Active/ LinkUp)".
  Cabling::Attributes attributes_of(std::string_view link) const {
    const std::vector<std::string_view> words = words_of(link.substr(link_begin.size()));
    Cabling::Attributes attributes;
    if (words.size() < 3 || !words[0].ends_with('X')) return attributes;
    const auto width = whole_number(words[0].substr(0, words[0].size() - 1));
    if (width && *width > 0 && *width <= max_ports) attributes.width = static_cast<std::uint32_t>(*width);
    if (words[2] == "Gbps") attributes.speed = valid_utf8(fmt::format("{} Gbps", words[1]));
    return attributes;
  }

  /// Of nodes without a heading; how many are hosts because no adapter has one. Ports of one adapter, which
  /// has a LID for each, get names that tell them apart.
  std::uint64_t set_kinds() {
    std::uint64_t guessed = 0;
    std::map<std::string_view, std::uint32_t> called;
    for (const NodePorts& node : ports_) ++called[node.name];
    for (std::uint32_t node = 0; node < ports_.size(); ++node)
      if (ports_[node].ports.size() == 1 && !ports_[node].name.empty() && called[ports_[node].name] > 1)
        cabling_.set_name(node, fmt::format("{}/P{}", ports_[node].name, *ports_[node].ports.begin()));
    for (std::uint32_t node = 0; node < ports_.size(); ++node) {
      if (cabling_.kind_known(node)) continue;
      if (!headings_) cabling_.set_kind(node, ports_[node].ports.size() > 1);
      if (!headings_ || hosts_) continue;
      cabling_.set_kind(node, false);
      ++guessed;
    }
    return guessed;
  }

  ImportLines lines_;
  Cabling cabling_;
  bool headings_ = false;
  bool hosts_ = false;  ///< have headings
  bool is_switch_ = false;
  End heading_;
  std::vector<NodePorts> ports_;  ///< of each node
};

bool detect(const ImportFile& file) {
  ImportLines lines(file);
  bool heading = false;
  while (const auto text = lines.next_text("#")) {
    const std::size_t link = text->find(link_begin);
    if (link != std::string_view::npos && text->find(link_end, link) != std::string_view::npos) return true;
    if (heading || !is_heading(*text)) return false;
    heading = true;
  }
  return false;
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "iblinkinfo",
    .summary = "InfiniBand: what iblinkinfo prints, with and without -l",
    .cite = "infiniband-diags, iblinkinfo(8)",
    .detect = detect,
    .one = "output of iblinkinfo",
    .read_one = [](const ImportFile& file) { return Reader(file).read(); },
};

}  // namespace wormcast::io::import_iblinkinfo
