// The options that describe the routers: one parser for the simulator and the deadlock checker.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "io/command_line/command_line.hpp"
#include "router/router_model.hpp"
#include "router/router_parameters.hpp"

namespace wormcast::io {

/// What the user wrote; whatever is not given comes from the preset.
struct RouterOptions {
  /// Of one parameter, by its kind.
  struct Given {
    std::optional<std::uint64_t> number;
    std::string text;  ///< of words and channels; empty: not given
    bool flag = false;

    friend bool operator==(const Given&, const Given&) = default;
  };
  std::string preset = "paper";
  std::array<Given, router_parameters.size()> given;  ///< in the order of router_parameters
  bool own_links = false;

  friend bool operator==(const RouterOptions&, const RouterOptions&) = default;
};

void add_router_options(CommandLine& line, RouterOptions& options);
/// The preset with what the options change; throws InputError for values out of range.
RouterModel router_model(const RouterOptions& options);

/// The presets with their parameters as options and their sources, for --list.
std::string list_router_presets();

}  // namespace wormcast::io
