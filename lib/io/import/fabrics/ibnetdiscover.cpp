// Import of ibnetdiscover dumps and of ibsim's nets, which are written alike.
//
// A record is attribute lines, a header `Switch|Ca|Hca|Rt PORTS "ID" # "description" …` and port lines
// `[p](guid) "ID"[q](guid) # … 4xEDR`, in any order and with nothing between them. Real dumps have
// messages of the discovery in them, cables named from one end only and cables from a switch to
// itself. ibsim's `include` and `do` lines name files and commands: refused.
// cite: infiniband-diags, ibnetdiscover(8); ibsim, sim_net.c.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/import/fabrics/cabling.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_ibnetdiscover {
namespace {

constexpr std::array<std::string_view, 12> attributes = {
    "vendid", "devid", "sysimgguid", "switchguid",  "caguid",   "rtguid",
    "width",  "speed", "extspeed",   "switchguids", "hcaguids", "module"};
constexpr std::uint64_t max_ports = 255;

/// A text in quotes at the front of `rest`, which moves past it; nothing where there is none.
std::optional<std::string_view> take_quoted(std::string_view& rest) {
  rest = trimmed(rest);
  if (!rest.starts_with('"')) return std::nullopt;
  const std::size_t end = rest.find('"', 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  return text;
}

/// What stands between `open` and `close` at the front of `rest`.
std::optional<std::string_view> take_between(std::string_view& rest, char open, char close) {
  rest = trimmed(rest);
  const std::size_t end = rest.find(close);
  if (!rest.starts_with(open) || end == std::string_view::npos) return std::nullopt;
  const std::string_view text = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  return text;
}

/// "4xEDR" at the end of a comment; full dumps have " s=4 w=2 v=4" behind it, those of some vendors " slot 3"
/// or " (scp)".
void read_rate(std::string_view comment, Cabling::Attributes& result) {
  std::vector<std::string_view> words = words_of(comment);
  while (!words.empty()) {
    if (words.size() > 1 && words[words.size() - 2] == "slot" && whole_number(words.back()))
      words.pop_back();
    else if (words.back() != "(scp)" && words.back().find('=') != 1)
      break;
    words.pop_back();
  }
  if (words.empty()) return;
  const std::string_view last = words.back();
  const std::size_t x = last.find('x');
  if (x == std::string_view::npos || x + 1 == last.size()) return;
  const std::optional<std::uint64_t> width = whole_number(last.substr(0, x));
  if (!width || *width == 0 || *width > max_ports) return;
  result.width = static_cast<std::uint32_t>(*width);
  result.speed = valid_utf8(last.substr(x + 1));
}

class Reader {
 public:
  explicit Reader(const ImportFile& file) : lines_(file) {}

  Imported read() {
    while (const auto line = lines_.next()) read_line(trimmed(*line));
    return cabling_.build(lines_);
  }

 private:
  void read_line(std::string_view line) {
    if (line.starts_with('#')) return;  // between ports too
    if (line.empty()) {
      current_.reset();
      return;
    }
    if (line.front() == '[') return read_port(line);
    current_.reset();
    const std::string_view word = line.substr(0, std::min(line.find_first_of(" \t="), line.size()));
    if (word == "include" || word == "do")
      lines_.fail(std::string(word), "refused: a network that is imported may name no files and no commands");
    for (const std::string_view type : {"Switch", "Ca", "Hca", "Rt"})
      if (word == type) return read_header(type, line.substr(type.size()));
    if (std::find(attributes.begin(), attributes.end(), word) != attributes.end())
      return read_attribute(word, line);
    const bool chassis = word == "Chassis" || word == "Non-Chassis" || word == "Hostname:";
    const bool message =
        line.starts_with("src/") || line.starts_with("ibwarn:") || line.starts_with("ibpanic:");
    if (!chassis && !message) lines_.fail("", in_quotes(line) + " is not a line of an ibnetdiscover dump");
  }

  void read_attribute(std::string_view word, std::string_view line) {
    if (!word.ends_with("guid") || word == "sysimgguid") return;
    line.remove_prefix(std::min(line.find('=') + 1, line.size()));
    node_guid_ = guid_of(trimmed(line.substr(0, std::min(line.find('('), line.size()))));
  }

  void read_header(std::string_view type, std::string_view rest) {
    const std::vector<std::string_view> words = words_of(rest);
    if (words.empty()) lines_.fail("header", "the number of ports is missing");
    ports_ = lines_.number_in(words.front(), "header", 1, max_ports);
    rest.remove_prefix(static_cast<std::size_t>(words.front().data() + words.front().size() - rest.data()));
    const std::optional<std::string_view> id = take_quoted(rest);
    if (!id || id->empty()) lines_.fail("header", "the node's name in quotes is missing");
    current_ = cabling_.node(*id);
    if (cabling_.kind_known(*current_))
      lines_.fail("header", "node " + in_quotes(*id) + " is described twice");
    is_switch_ = type == "Switch";
    cabling_.set_kind(*current_, is_switch_);
    if (id->size() == 18 && (*id)[1] == '-')
      if (const auto guid = guid_of(id->substr(2))) node_guid_ = guid;
    if (node_guid_) cabling_.set_guid(*current_, *node_guid_);
    node_guid_.reset();
    const std::size_t comment = rest.find('#');
    if (comment == std::string_view::npos) return;
    rest.remove_prefix(comment + 1);
    // The description may hold quotes itself: it ends with the last one.
    const std::size_t begin = rest.find('"');
    const std::size_t end = rest.rfind('"');
    if (begin != std::string_view::npos && end > begin + 1)
      cabling_.set_name(*current_, rest.substr(begin + 1, end - begin - 1));
  }

  void read_port(std::string_view line) {
    if (!current_) lines_.fail("port", "a port outside a node's record");
    const auto local = take_between(line, '[', ']');
    if (!local) lines_.fail("port", in_quotes(line) + " does not close its bracket");
    const Cabling::Port here{*current_, port_number(*local, ports_)};
    if (const auto guid = take_between(line, '(', ')')) keep_guid(here, *guid);
    skip_external(line);
    const auto peer = take_quoted(line);
    if (!peer || peer->empty()) {
      if (trimmed(line).empty() || trimmed(line).front() == '#') return;  // a port without a cable
      lines_.fail("port", "the peer's name in quotes is missing");
    }
    Cabling::Port there{cabling_.node(*peer), 1};
    if (const auto port = take_between(line, '[', ']')) there.port = port_number(*port, max_ports);
    skip_external(line);
    if (const auto guid = take_between(line, '(', ')')) keep_guid(there, *guid);
    Cabling::Attributes attributes_of;
    const std::size_t comment = std::min(line.find('#'), line.size());
    read_options(line.substr(0, comment), attributes_of);
    if (comment < line.size()) read_rate(line.substr(comment + 1), attributes_of);
    cabling_.add(here, there, attributes_of, lines_);
  }

  /// The number that is printed on a chassis: "[ext 4]".
  static void skip_external(std::string_view& line) {
    if (trimmed(line).starts_with("[ext")) take_between(line, '[', ']');
  }

  /// ibsim's widths are bits, of which the widest counts. Its nets say that they are 1, 4 or 12 lanes, of
  /// which 4 differs: taken by what the nets say.
  static std::uint32_t lanes_of(std::uint64_t bits) {
    if (bits == 4) return 4;
    if ((bits & 8) != 0) return 12;
    if ((bits & 4) != 0) return 8;
    if ((bits & 2) != 0) return 4;
    return (bits & 16) != 0 ? 2 : 1;
  }

  /// ibsim's ` w=4 s=1 e=0` after a port: widths, and speeds that ibsim takes from its device.
  void read_options(std::string_view options, Cabling::Attributes& result) {
    for (const std::string_view word : words_of(options)) {
      if (word.starts_with("w=")) {
        result.width = lanes_of(lines_.number_in(word.substr(2), "w", 1, 31));
      } else if (word.starts_with("s=")) {
        constexpr std::array<std::string_view, 3> speeds = {"SDR", "DDR", "QDR"};  // by the highest bit
        const std::uint64_t bits = lines_.number_in(word.substr(2), "s", 1, 7);
        result.speed = speeds[bits >= 4 ? 2 : bits >= 2 ? 1 : 0];
      } else if (!word.starts_with("e=")) {
        lines_.fail("port", in_quotes(word) + " after the peer is not a known option");
      }
    }
  }

  std::uint32_t port_number(std::string_view text, std::uint64_t most) const {
    return static_cast<std::uint32_t>(lines_.number_in(text, "port", 1, most));
  }

  /// The GUID of a port, of hosts only: those of a switch are its own.
  void keep_guid(Cabling::Port port, std::string_view text) {
    cabling_.set_port_guid(port, lines_.guid_in(text, "port"));
  }

  ImportLines lines_;
  Cabling cabling_;
  std::optional<std::uint32_t> current_;
  std::uint64_t ports_ = 0;
  bool is_switch_ = false;
  std::optional<std::string> node_guid_;
};

bool detect(const ImportFile& file) {
  ImportLines lines(file);
  while (const auto line = lines.next()) {
    const std::vector<std::string_view> words = words_of(*line);
    if (words.size() < 3) continue;
    const bool node = words[0] == "Switch" || words[0] == "Ca" || words[0] == "Hca" || words[0] == "Rt";
    if (node && whole_number(words[1]) && words[2].starts_with('"')) return true;
  }
  return false;
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "ibnetdiscover",
    .summary = "InfiniBand: dumps of ibnetdiscover, nets of ibsim",
    .cite = "infiniband-diags, ibnetdiscover(8)",
    .detect = detect,
    .one = "ibnetdiscover dump",
    .read_one = [](const ImportFile& file) { return Reader(file).read(); },
};

}  // namespace wormcast::io::import_ibnetdiscover
