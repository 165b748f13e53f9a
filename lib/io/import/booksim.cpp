// Import of BookSim configurations: `topology = mesh; k = 8; n = 2;` is a mesh or torus of our own family,
// and `num_vcs = 4;` its limit on virtual channels. The rest describes routers and traffic: all of it is
// named as left out, buffers and links that fail with the options that say the same here. cite: Jiang et al.
// 2013 (BookSim 2).
// SPDX-License-Identifier: MIT
#include <map>
#include <vector>

#include "io/import/text.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_booksim {
namespace {

constexpr std::string_view comment = "//";

struct Setting {
  std::string value;
  std::uint64_t line = 0;
};

using Settings = std::map<std::string, Setting, std::less<>>;

struct Statement {
  std::string text;        ///< without comments
  std::uint64_t line = 0;  ///< of its first word
  bool ended = false;      ///< by a semicolon
};

/// What stands before each semicolon and, if it is more than blanks, behind the last.
std::vector<Statement> statements_of(const ImportFile& file) {
  std::vector<Statement> statements(1);
  ImportLines lines(file);
  while (const auto line = lines.next()) {
    std::string_view rest = line->substr(0, line->find(comment));
    while (true) {
      Statement& now = statements.back();
      if (trimmed(now.text).empty()) now.line = lines.number();
      const std::size_t end = rest.find(';');
      now.text += rest.substr(0, end);
      now.ended = end != std::string_view::npos;
      if (!now.ended) break;
      statements.emplace_back();
      rest.remove_prefix(end + 1);
    }
    statements.back().text += ' ';
  }
  if (trimmed(statements.back().text).empty()) statements.pop_back();
  return statements;
}

/// What `key = value;` says, however it stands in lines; later ones win, as in BookSim. Anything else is left
/// out, or refused where `strict`.
Settings settings_of(const ImportFile& file, bool strict) {
  Settings settings;
  for (const Statement& statement : statements_of(file)) {
    const std::string_view text = trimmed(statement.text);
    const std::size_t equals = text.find('=');
    const bool one = equals != std::string_view::npos && text.find('=', equals + 1) == std::string_view::npos;
    if (statement.ended && one)
      settings[std::string(trimmed(text.substr(0, equals)))] = {std::string(trimmed(text.substr(equals + 1))),
                                                                statement.line};
    else if (strict && !text.empty())
      fail_import(
          file, statement.line, "",
          in_quotes(text) + (statement.ended ? " is no setting: key = value;" : " ends without a semicolon"));
  }
  return settings;
}

/// Settings that become something, or are named with what they would become.
bool is_read(std::string_view key) {
  for (const std::string_view known : {"topology", "k", "n", "num_vcs", "vc_buf_size", "link_failures"})
    if (key == known) return true;
  return false;
}

bool detect(const ImportFile& file) { return settings_of(file, false).contains("topology"); }

Imported read(std::span<const ImportFile> files) {
  if (files.size() != 1) throw InputError("FILE", "one configuration at a time");
  const ImportFile& file = files.front();
  const Settings settings = settings_of(file, true);
  const auto topology = settings.find("topology");
  if (topology == settings.end()) fail_import(file, 1, "topology", "missing");
  const std::string& name = topology->second.value;
  if (name == "anynet")
    fail_import(file, topology->second.line, "topology",
                "an anynet is in a file of its own (network_file): import that");
  if (name != "mesh" && name != "torus")
    fail_import(file, topology->second.line, "topology",
                in_quotes(name) + " is not read; mesh and torus are");
  const auto number = [&](std::string_view key, std::uint64_t most) {
    const auto found = settings.find(key);
    if (found == settings.end()) fail_import(file, topology->second.line, std::string(key), "missing");
    const auto value = whole_number(found->second.value);
    if (!value || *value == 0 || *value > most)
      fail_import(file, found->second.line, std::string(key),
                  in_quotes(found->second.value) + " is not in 1.." + std::to_string(most));
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
  if (const auto faults = settings.find("link_failures");
      faults != settings.end() && faults->second.value != "0") {
    const std::string links = std::to_string(number("link_failures", UINT32_MAX));
    result.notes.emplace_back("left-out-link_failures", links + " (--random-faults " + links + ")");
  }
  std::string others;
  for (const auto& [key, setting] : settings)
    if (!is_read(key)) others += (others.empty() ? "" : ", ") + key + " = " + setting.value;
  if (!others.empty()) result.notes.emplace_back("left-out-settings", valid_utf8(others));
  return result;
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "booksim",
    .summary = "BookSim 2: configurations of k-ary n-dimensional meshes and tori",
    .cite = "Jiang et al. 2013",
    .detect = detect,
    .read = read,
};

}  // namespace wormcast::io::import_booksim
