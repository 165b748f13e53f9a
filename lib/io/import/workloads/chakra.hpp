// Execution traces of Chakra, which ASTRA-sim reads: what one rank computes and sends.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/import/format.hpp"
#include "multicast/workload/collectives.hpp"

namespace wormcast::io {

/// A node of a trace. What it waits for stands in `after`, by place among the trace's nodes.
struct ChakraNode {
  enum class Type : std::uint8_t { local, collective, send, receive };
  Type type = Type::local;
  std::uint64_t id = 0;
  std::size_t byte = 0;                       ///< where it stands in the file
  Collective collective = Collective::local;  ///< of a collective
  std::uint64_t bytes = 0;
  std::uint32_t peer = 0;  ///< who a send goes to, or a receive comes from
  std::uint32_t tag = 0;
  std::string communicator;  ///< empty: all ranks
  std::vector<std::uint32_t> after;
};

struct Communicator {
  std::string name;
  std::vector<std::uint32_t> ranks;  ///< empty: all
};

/// The trace of one rank.
struct ChakraTrace {
  std::vector<ChakraNode> nodes;
  std::vector<Communicator> communicators;  ///< that its metadata name
};

/// Whether the file is named .et, or is binary and begins as a trace.
bool is_chakra(const ImportFile& file);
/// The trace of `rank`; throws InputError with file and byte.
ChakraTrace read_chakra(const ImportFile& file, std::uint32_t rank);

}  // namespace wormcast::io
