// Import of Cray XC link lists: a line for each tile of each router.
//
// `c0-0c0s0a0l00(0:0:0) green -> c0-0c0s6a0l10(0:0:6)`: tile 00 of router c0-0c0s0a0 has a cable to tile
// 10 of another; `-> processor` is a host, `-> unused` nothing. Tiles are the ports, two octal digits.
// cite: Alverson et al. 2012 (Cray XC series network).
// SPDX-License-Identifier: MIT
#include "io/import/fabrics/cabling.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_cray_xc {
namespace {

class Reader {
 public:
  explicit Reader(const ImportFile& file) : lines_(file) {}

  Imported read() {
    while (const auto line = lines_.next()) {
      const std::vector<std::string_view> words = words_of(*line);
      if (words.empty() || words[0].starts_with('#')) continue;
      if (words.size() != 4 || words[2] != "->")
        lines_.fail("", in_quotes(*line) + " is not 'TILE COLOUR -> TILE', 'processor' or 'unused'");
      const Cabling::Port here = tile(words[0]);
      if (words[3] == "unused") continue;
      if (words[3] == "processor") {
        const std::string_view name = words[0].substr(0, words[0].find('('));
        const std::uint32_t host = cabling_.node(name);
        cabling_.set_kind(host, false);
        cabling_.add(here, {host, 1}, {}, lines_);
      } else {
        cabling_.add(here, tile(words[3]), {}, lines_);
      }
    }
    return cabling_.build(lines_);
  }

 private:
  /// "c0-0c0s0a0l57(0:0:0)": router and tile.
  Cabling::Port tile(std::string_view text) {
    const std::string_view name = text.substr(0, text.find('('));
    const std::size_t at = name.rfind('l');
    if (at == std::string_view::npos || at == 0 || at + 3 != name.size() || name.front() != 'c')
      lines_.fail("tile", in_quotes(text) + " is not a tile of a router");
    const auto number = lines_.number_in(name.substr(at + 1), "tile", 0, 77, 10);
    const std::uint32_t router = cabling_.node(name.substr(0, at));
    cabling_.set_kind(router, true);
    return {router, static_cast<std::uint32_t>(number)};
  }

  ImportLines lines_;
  Cabling cabling_;
};

bool detect(const ImportFile& file) {
  const std::vector<std::string_view> words = words_of(first_line_of(file, "#"));
  return words.size() == 4 && words[2] == "->" && words[0].starts_with('c') && words[0].ends_with(')');
}

Imported read(std::span<const ImportFile> files) {
  if (files.size() != 1) throw InputError("FILE", "one link list at a time");
  return Reader(files.front()).read();
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "cray-xc",
    .summary = "Cray XC: link lists of routers, tile by tile",
    .cite = "Alverson et al. 2012",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io::import_cray_xc
