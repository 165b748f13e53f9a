// Jobs of DMAs as bursts: against a walk over every byte, and against the same flows as a traffic file.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "io/import/workloads/dma_jobs.hpp"
#include "io/import/workloads/floogen_traffic.hpp"
#include "topology/error.hpp"
#include "topology/random.hpp"

namespace wormcast::io::dma_jobs_test {

namespace {

constexpr std::uint64_t range_bytes = 0x4000;

/// Three by two tiles with addresses from 0 on, each with its own 0x4000 bytes.
ImportFile description(std::uint32_t narrow, std::uint32_t wide) {
  const std::string link = "  - {{name: {0}, type: {0}, data_width: {1}, addr_width: 48, id_width: 4}}\n";
  return {"net.yml", "name: mesh\nnetwork_type: narrow-wide\nprotocols:\n" +
                         fmt::format(fmt::runtime(link), "narrow", narrow) +
                         fmt::format(fmt::runtime(link), "wide", wide) +
                         "endpoints: [{name: tile, array: [3, 2], addr_range: {base: 0, size: 0x4000}}]\n"
                         "routers: [{name: router, array: [3, 2]}]\n"
                         "connections: [{src: tile, dst: router, src_range: [[0, 2], [0, 1]], "
                         "dst_range: [[0, 2], [0, 1]]}]\n"
                         "routing: {route_algo: XY}\n"};
}

std::unique_ptr<const Topology> mesh() { return build_topology({"mesh", {3, 2}, 0, {}}); }

/// Tile (x, y) is the (2x + y)-th of the array, and node x + 3y.
HostId node_of_tile(std::uint64_t tile) {
  return HostId{static_cast<std::uint32_t>(tile / 2 + 3 * (tile % 2))};
}

std::string job(std::uint64_t length, std::uint64_t from, std::uint64_t to, std::uint64_t read = 256,
                std::uint64_t write = 256, bool decoupled = false) {
  return fmt::format("{}\n{:#x}\n{:#x}\n0\n0\n{}\n{}\n0\n{}\n0\n", length, from, to, read, write,
                     decoupled ? 1 : 0);
}

/// Where a byte goes along one side of a job: from its node to the DMA, or on to its node.
struct Part {
  HostId other;
  std::set<std::uint64_t> words;    ///< of the link
  std::set<std::uint64_t> offsets;  ///< of the job's bytes
};

/// One side of a job; a burst begins where an address is a multiple of what none may cross.
struct Side {
  std::uint64_t address = 0;
  std::uint64_t beats = 0;

  bool begins(std::uint64_t offset, std::uint64_t bytes) const {
    std::uint64_t allowed = 1;
    while (allowed < beats) allowed *= 2;
    const std::uint64_t at = address + offset;
    return at % 4096 == 0 || at % (256 * bytes) == 0 || at % (allowed * bytes) == 0;
  }
};

/// The bursts of one side, byte by byte.
std::vector<Part> parts_of(const Side& side, const Side& other, bool decoupled, std::uint64_t length,
                           std::uint64_t bytes) {
  std::vector<Part> parts;
  for (std::uint64_t offset = 0; offset < length; ++offset) {
    const std::uint64_t at = side.address + offset;
    if (parts.empty() || side.begins(offset, bytes) || (!decoupled && other.begins(offset, bytes)))
      parts.push_back({node_of_tile(at / range_bytes), {}, {}});
    parts.back().words.insert(at / bytes);
    parts.back().offsets.insert(offset);
  }
  return parts;
}

}  // namespace

TEST_CASE("jobs of DMAs: bursts, beats and what they wait for equal a walk over every byte") {
  const auto topology = mesh();
  std::size_t bursts = 0, waiting = 0;
  for (std::uint64_t i = 0; i < 300; ++i) {
    Random random = RandomStreams(3, "jobs").stream(i);
    const std::uint32_t bits = 8U << random.below(8);
    const bool wide = random.below(2) == 0;
    const std::uint64_t dma = random.below(6);
    const std::uint64_t length = random.between(1, 9000);
    const std::uint64_t from = random.below(6 * range_bytes - length);
    const std::uint64_t to = random.below(6 * range_bytes - length);
    const std::uint64_t read = random.between(1, 256), write = random.between(1, 256);
    const bool decoupled = random.below(2) == 0;
    const FloogenAddresses addresses =
        read_floogen_addresses(wide ? description(64, bits) : description(bits, 64));
    const ImportFile file{fmt::format("some/where_{}.txt", dma + (wide ? 0 : 100)),
                          job(length, from, to, read, write, decoupled)};
    const std::vector<DmaBurst> found = read_dma_jobs(std::vector{file}, addresses, *topology);
    const HostId at = node_of_tile(dma);
    std::vector<std::pair<std::set<std::uint64_t>, std::uint64_t>> brought;  // bytes, burst
    std::size_t next = 0;
    INFO("job ", i);
    for (const bool writes : {false, true})
      for (const Part& part :
           parts_of(writes ? Side{to, write} : Side{from, read}, writes ? Side{from, read} : Side{to, write},
                    decoupled, length, bits / 8)) {
        if (part.other == at) continue;
        REQUIRE(next < found.size());
        const DmaBurst& burst = found[next];
        CHECK(burst.source == (writes ? at : part.other));
        CHECK(burst.destination == (writes ? part.other : at));
        CHECK(burst.beats == part.words.size());
        CHECK(burst.wide == wide);
        CHECK(burst.write == writes);
        std::vector<std::uint64_t> after;
        if (writes)
          for (const auto& [bytes, earlier] : brought)
            if (std::any_of(bytes.begin(), bytes.end(),
                            [&](std::uint64_t offset) { return part.offsets.count(offset) != 0; }))
              after.push_back(earlier);
        CHECK(burst.after == after);
        waiting += after.empty() ? 0 : 1;
        if (!writes) brought.emplace_back(part.offsets, next);
        ++next;
      }
    CHECK(next == found.size());
    bursts += next;
  }
  MESSAGE(bursts, " bursts, ", waiting, " wait for others");
  CHECK(bursts > 1000);
  CHECK(waiting > 300);
}

TEST_CASE("flows as floogen writes them as jobs are the flows of its traffic file") {
  const auto topology = mesh();
  const FloogenAddresses addresses = read_floogen_addresses(description(64, 512));
  for (std::uint64_t i = 0; i < 40; ++i) {
    Random random = RandomStreams(4, "flows").stream(i);
    std::string flows = "traffic_flows:\n";
    std::vector<ImportFile> files;
    for (const std::uint64_t initiator : {0u, 2u, 3u, 5u}) {
      const std::uint64_t endpoint = (initiator + random.between(1, 5)) % 6;
      const bool write = random.below(2) == 0;
      const auto number = [&] { return random.below(4); };
      const std::uint64_t wide = random.between(1, 64), narrow = random.between(1, 256);
      const std::uint64_t wides = number(), narrows = number();
      flows += fmt::format(
          "  - {{name: f{0}, initiator: [{1}, {2}], endpoint: [{3}, {4}], rw: {5}, "
          "narrow_burst: {{number: {6}, length: {7}}}, wide_burst: {{number: {8}, length: {9}}}}}\n",
          initiator, initiator / 2, initiator % 2, endpoint / 2, endpoint % 2, write ? "write" : "read",
          narrows, narrow, wides, wide);
      const std::uint64_t own = initiator * range_bytes, far = endpoint * range_bytes;
      for (const bool is_wide : {true, false}) {
        std::string jobs;
        for (std::uint64_t n = 0; n < (is_wide ? wides : narrows); ++n)
          jobs += job(is_wide ? wide * 64 : narrow * 8, write ? own : far, write ? far : own);
        files.push_back({fmt::format("jobs_{}.txt", initiator + (is_wide ? 0 : 100)), jobs});
      }
    }
    std::multiset<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, bool>> wanted, found;
    for (const FloogenBurst& burst : read_floogen_traffic({"traffic.yml", flows}, *topology))
      wanted.emplace(burst.source.value, burst.destination.value, burst.beats, burst.wide);
    for (const DmaBurst& burst : read_dma_jobs(files, addresses, *topology))
      found.emplace(burst.source.value, burst.destination.value, burst.beats, burst.wide);
    CHECK(found == wanted);
  }
}

TEST_CASE("a description's addresses: arrays count on from their base, ends belong to nobody") {
  const FloogenAddresses addresses = read_floogen_addresses(description(64, 512));
  for (std::uint32_t tile = 0; tile < 6; ++tile) {
    CHECK(addresses.endpoint_of(tile * range_bytes) == tile);
    CHECK(addresses.endpoint_of((tile + 1) * range_bytes - 1) == tile);
    CHECK(addresses.local_endpoint(tile) == tile);
  }
  CHECK_FALSE(addresses.endpoint_of(6 * range_bytes));
  CHECK_FALSE(addresses.local_endpoint(6));
}

}  // namespace wormcast::io::dma_jobs_test
