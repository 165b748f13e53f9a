// Invalidations of traces: each once, however often its packet stands there.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "io/import/format.hpp"
#include "io/import/workloads/workload_file.hpp"
#include "topology/error.hpp"

namespace wormcast::netrace_test {

using namespace wormcast::io;

namespace {

void append(std::string& text, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
}

std::string trace(const std::vector<Invalidation>& packets) {
  std::string text;
  append(text, 0x484a5455, 4);
  text.resize(48);
  append(text, packets.size(), 8);
  text.resize(72);
  for (const Invalidation& packet : packets) {
    append(text, packet.cycle, 8);
    append(text, 0, 4);  // id
    append(text, packet.address, 4);
    append(text, 27, 1);
    append(text, packet.source, 1);
    append(text, packet.destination, 1);
    append(text, 0, 2);  // node types, dependencies
  }
  return text;
}

}  // namespace

TEST_CASE("equal packets of a cycle are one invalidation") {
  std::vector<Invalidation> packets(3000, Invalidation{5, 9, 1, 2});
  packets.insert(packets.end(), 3000, Invalidation{5, 8, 1, 3});
  packets.insert(packets.end(), 2, Invalidation{6, 9, 1, 2});
  packets.push_back({6, 9, 0, 2});
  const auto found = read_netrace({"", trace(packets)});
  const std::vector<Invalidation> expected = {{5, 8, 1, 3}, {5, 9, 1, 2}, {6, 9, 0, 2}, {6, 9, 1, 2}};
  CHECK(found == expected);
}

TEST_CASE("a trace whose cycles descend is refused") {
  CHECK_THROWS_AS(read_netrace({"", trace({{5, 9, 1, 2}, {4, 9, 1, 2}})}), InputError);
}

}  // namespace wormcast::netrace_test
