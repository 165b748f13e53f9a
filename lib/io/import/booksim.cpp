// Import of BookSim configurations: `topology = mesh; k = 8; n = 2;` is a mesh of our own family, and
// `num_vcs = 4;` its limit on virtual channels. Concentrated meshes, flattened butterflies, dragonflies and
// fat trees are what our generators make of the same sizes. Traffic, routing, buffers and the window of
// measurement become a pipeline for people to type (booksim_pipeline.hpp); what has no meaning here is named
// as left out.
//
// flatfly: k routers in each of n dimensions, c hosts on each, numbered router by router (BookSim numbers
// those of tiles of xr×yr along the chip). dragonflynew: groups of 2k routers with k hosts and k global links
// each; ours may join other routers of two groups. fly: each host has a router of its own here, so that a way
// is two hops longer than BookSim's. cite: Jiang et al. 2013 (BookSim 2).
// SPDX-License-Identifier: MIT
#include <optional>
#include <vector>

#include "io/import/booksim_pipeline.hpp"
#include "io/import/text.hpp"
#include "topology/error.hpp"
#include "topology/generator.hpp"

namespace wormcast::io::import_booksim {
namespace {

constexpr std::string_view comment = "//";

using Settings = BookSimSettings;

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
                                                                statement.line, false};
    else if (strict && !text.empty())
      fail_import(file, statement.line, "",
                  in_quotes(text) +
                      (statement.ended ? " is not a setting (key = value;)" : " ends without a semicolon"));
  }
  return settings;
}

bool detect(const ImportFile& file) { return settings_of(file, false).contains("topology"); }

class Configuration {
 public:
  explicit Configuration(const ImportFile& file) : file_(file), settings_(settings_of(file, true)) {
    const auto topology = settings_.find("topology");
    if (topology == settings_.end()) fail_import(file_, 1, "topology", "missing");
    topology->second.read = true;
    name_ = topology->second.value;
    line_ = topology->second.line;
  }

  Imported read() {
    Imported result;
    result.spec = network();
    constexpr std::uint64_t usual_vcs = 16;  // BookSim's routers have as many where nothing is said
    result.spec.virtual_channels = static_cast<std::uint32_t>(number("num_vcs", 255, usual_vcs));
    if (settings_.contains("vc_buf_size")) number("vc_buf_size", UINT32_MAX);
    if (const auto faults = settings_.find("link_failures"); faults != settings_.end()) {
      faults->second.read = true;
      if (faults->second.value != "0")
        result.notes.emplace_back("left-out-link_failures",
                                  std::to_string(number("link_failures", UINT32_MAX)) + " (--random-faults " +
                                      faults->second.value + ")");
    }
    result.advice = booksim_pipeline(name_, settings_);
    std::string others;
    for (const auto& [key, setting] : settings_)
      if (!setting.read) others += (others.empty() ? "" : ", ") + key + " = " + setting.value;
    if (!others.empty()) result.notes.emplace_back("left-out-settings", valid_utf8(others));
    return result;
  }

 private:
  TopologySpec network() {
    if (name_ == "anynet") refuse("an anynet is in a file of its own (network_file): import that");
    if (name_ == "mesh" || name_ == "torus") {
      TopologySpec spec;
      spec.family = name_;
      spec.sizes.assign(number("n", 32), number("k", UINT32_MAX));
      return spec;
    }
    const std::uint64_t k = name_ == "cmesh" || name_ == "flatfly" || name_ == "dragonflynew" ||
                                    name_ == "fattree" || name_ == "fly"
                                ? number("k", 1U << 16)
                                : 0;
    if (name_ == "cmesh") {
      if (number("n", 32) != 2) fail_import(file_, settings_["n"].line, "n", "a cmesh has 2 dimensions");
      const std::uint64_t across = number("xr", 1U << 16, 1), down = number("yr", 1U << 16, 1);
      if (number("c", UINT32_MAX, 1) != across * down)
        fail_import(file_, settings_["c"].line, "c", "a cmesh has c = xr*yr hosts on a router");
      for (const char* key : {"x", "y"})
        if (number(key, 1U << 16, k) != k) fail_import(file_, settings_[key].line, key, "it is not k");
      return made("cmesh", {{"width", k}, {"height", k}, {"tile-width", across}, {"tile-height", down}});
    }
    if (name_ == "flatfly")
      return made("flattened-butterfly",
                  {{"arity", k}, {"dimensions", number("n", 20)}, {"hosts", number("c", 4096, 1)}});
    if (name_ == "dragonflynew") {
      if (number("n", 32) != 1) fail_import(file_, settings_["n"].line, "n", "a dragonflynew has n = 1");
      return made("dragonfly", {{"group-routers", 2 * k}, {"hosts", k}, {"global-links", k}});
    }
    if (name_ == "fattree") return made("fat-tree", {{"arity", k}, {"levels", number("n", 32)}});
    if (name_ == "fly") return made("butterfly", {{"arity", k}, {"stages", number("n", 32)}});
    refuse(in_quotes(name_) + " is not read; mesh, torus, cmesh, flatfly, dragonflynew, fattree and fly are");
  }

  [[noreturn]] void refuse(const std::string& message) const {
    fail_import(file_, line_, "topology", message);
  }

  /// Of sizes that the generator refuses, the error names the file and the topology's line.
  TopologySpec made(std::string_view generator, const std::vector<GivenParameter>& values) const {
    try {
      return generate(*find_generator(generator), values);
    } catch (const InputError& error) {
      refuse(std::string(generator) + " " + error.field + ": " + error.what());
    }
  }

  std::uint64_t number(std::string_view key, std::uint64_t most, std::optional<std::uint64_t> usual = {}) {
    const auto found = settings_.find(key);
    if (found == settings_.end()) {
      if (usual) return *usual;
      fail_import(file_, line_, std::string(key), "missing");
    }
    const auto value = whole_number(found->second.value);
    if (!value || *value == 0 || *value > most)
      fail_import(file_, found->second.line, std::string(key),
                  in_quotes(found->second.value) + " is not between 1 and " + std::to_string(most));
    found->second.read = true;
    return *value;
  }

  const ImportFile& file_;
  Settings settings_;
  std::string name_;  ///< of the topology
  std::uint64_t line_ = 0;
};

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "booksim",
    .summary = "BookSim 2: configurations of mesh, torus, cmesh, flatfly, dragonflynew, fattree and fly",
    .cite = "Jiang et al. 2013",
    .detect = detect,
    .one = "configuration",
    .read_one = [](const ImportFile& file) { return Configuration(file).read(); },
};

}  // namespace wormcast::io::import_booksim
