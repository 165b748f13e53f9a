// System definitions of ibutils (.ibnl): the devices, boards and cables inside a chassis.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/import/fabrics/cabling.hpp"
#include "io/import/format.hpp"
#include "io/import/text.hpp"

namespace wormcast::io {

/// True for "->" and arrows with a width and a speed, as "-4x-5G->".
bool is_cable_arrow(std::string_view word);
/// What such an arrow says; fails at `lines` where the width is none.
Cabling::Attributes arrow_attributes(std::string_view arrow, const ImportLines& lines);

/// A system taken apart.
struct ExpandedSystem {
  struct Device {
    std::string path;  ///< "leaf1/U1": the boards around it and its own name
    bool is_switch = true;
  };
  struct Port {
    std::uint32_t device = 0;
    std::uint32_t port = 0;
    Cabling::Attributes attributes;
  };
  struct Cable {
    Port a;
    Port b;
  };
  std::vector<Device> devices;
  std::vector<Cable> cables;                       ///< a cable may stand once from each of its ends
  std::map<std::string, Port, std::less<>> panel;  ///< the ports that cables between systems use
};

/// All definitions that came along with a network.
class SystemDefinitions {
 public:
  /// Boards in boards at most so deep, and at most so many boards and devices in a system; more is refused.
  static constexpr std::size_t max_depth = 8;
  static constexpr std::size_t most_devices = 4096;

  /// Reads one file. Throws InputError that names its line.
  void read(const ImportFile& file);
  bool know(std::string_view type) const { return systems_.contains(type); }
  /// Of a known type. `modifiers` says of a board ("leaf1") which kind of it is there ("12x"), or "R", "X"
  /// or "Removed" where it is not; a board that the definition lacks fails at `lines`.
  ExpandedSystem expand(std::string_view type, const std::map<std::string, std::string>& modifiers,
                        const ImportLines& lines) const;

 private:
  struct Connection {
    std::string port;
    Cabling::Attributes attributes;
    std::string part;  ///< empty: to a port of the board itself
    std::string to;
  };
  struct Part {
    std::string name;
    std::string type;         ///< of a board; empty for a device
    bool is_switch = true;    ///< of a device
    std::uint32_t ports = 0;  ///< of a device
    std::vector<Connection> connections;
  };
  struct Board {
    std::vector<Part> parts;
  };
  using Boards = std::map<std::string, std::size_t, std::less<>>;  ///< by name, place in boards_
  struct System {
    std::size_t board = 0;
    std::size_t file = 0;  ///< place in names_: each file's boards have names of their own
  };
  class Parser;
  class Expansion;

  std::vector<Board> boards_;
  std::vector<Boards> names_;
  std::map<std::string, System, std::less<>> systems_;
};

/// True if the file begins with a SYSTEM or TOPSYSTEM.
bool is_system_definition(const ImportFile& file);

}  // namespace wormcast::io
