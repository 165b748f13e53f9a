// What the objects of topology records are made of: links, and a network's own routing relation.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "topology/relations/relation.hpp"

namespace wormcast::io {

std::shared_ptr<const Relation> read_relation(const Value& value);
void write_relation(const Relation& relation, RecordLine& line);

/// A number for each end.
inline void write_pair(const std::array<std::uint32_t, 2>& both, RecordLine& line) {
  line.array(both, [&](std::uint32_t value) { line.number(value); });
}

/// ports, hop_cycles, width, speed of a GraphLink or HostLink, each where known.
template <class Link>
void write_link_members(const Link& link, RecordLine& line) {
  if (link.ports) write_pair(*link.ports, line.key("ports"));
  if (link.hop_cycles) write_pair(*link.hop_cycles, line.key("hop_cycles"));
  if (link.width != 0) line.key("width").number(link.width);
  if (!link.speed.empty()) line.key("speed").string(link.speed);
}

}  // namespace wormcast::io
