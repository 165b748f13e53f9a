// Import of BookSim configurations: `topology = mesh; k = 8; n = 2;` is a mesh or torus of our own family,
// and `num_vcs = 4;` its limit on virtual channels. The rest describes routers and traffic; buffers are named
// on stderr. cite: Jiang et al. 2013 (BookSim 2).
// SPDX-License-Identifier: MIT
#include <map>

#include "io/import/text.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

constexpr std::string_view comment = "//";

struct Setting {
  std::string value;
  std::uint64_t line = 0;
};

/// `key = value;` lines; later ones win, as in BookSim.
std::map<std::string, Setting, std::less<>> settings_of(const ImportFile& file) {
  std::map<std::string, Setting, std::less<>> settings;
  ImportLines lines(file);
  while (auto line = lines.next()) {
    std::string_view text = trimmed(line->substr(0, line->find(comment)));
    const std::size_t equals = text.find('=');
    const std::size_t end = text.find(';');
    if (equals == std::string_view::npos || end == std::string_view::npos || end < equals) continue;
    settings[std::string(trimmed(text.substr(0, equals)))] = {
        std::string(trimmed(text.substr(equals + 1, end - equals - 1))), lines.number()};
  }
  return settings;
}

bool detect(const ImportFile& file) { return settings_of(file).contains("topology"); }

Imported read(std::span<const ImportFile> files) {
  if (files.size() != 1) throw InputError("FILE", "one configuration at a time");
  const ImportFile& file = files.front();
  const auto settings = settings_of(file);
  const auto topology = settings.find("topology");
  if (topology == settings.end()) fail_import(file, 1, "topology", "missing");
  const std::string& name = topology->second.value;
  if (name == "anynet")
    fail_import(file, topology->second.line, "topology",
                "an anynet is in a file of its own (network_file): import that");
  if (name != "mesh" && name != "torus")
    fail_import(file, topology->second.line, "topology", quoted(name) + " is not read; mesh and torus are");
  const auto number = [&](std::string_view key, std::uint64_t most) {
    const auto found = settings.find(key);
    if (found == settings.end()) fail_import(file, topology->second.line, std::string(key), "missing");
    const auto value = whole_number(found->second.value);
    if (!value || *value == 0 || *value > most)
      fail_import(file, found->second.line, std::string(key),
                  quoted(found->second.value) + " is not in 1.." + std::to_string(most));
    return *value;
  };
  Imported result;
  result.spec.family = name;
  result.spec.sizes.assign(number("n", 32), number("k", UINT32_MAX));
  if (settings.contains("num_vcs"))
    result.spec.virtual_channels = static_cast<std::uint32_t>(number("num_vcs", 255));
  if (settings.contains("vc_buf_size")) {
    const std::string flits = std::to_string(number("vc_buf_size", UINT32_MAX));
    result.notes.emplace_back("left-out-vc_buf_size",
                              flits + " (simulate-wormhole --buffer-flits " + flits + ")");
  }
  return result;
}

}  // namespace

extern const ImportFormat import_booksim;
const ImportFormat import_booksim = {
    .name = "booksim",
    .summary = "BookSim 2: configurations of k-ary n-dimensional meshes and tori",
    .cite = "Jiang et al. 2013",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io
