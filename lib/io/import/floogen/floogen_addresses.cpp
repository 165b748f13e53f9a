// Which endpoint an address is of: ranges in order, each endpoint of an array `size` behind the one before.
// Cost: O(log) a question. cite: pulp-platform/FlooNoC, floogen/model/routing.py (AddrRange).
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "io/import/floogen/floogen_addresses.hpp"
#include "io/import/floogen/floogen_values.hpp"

namespace wormcast::io::import_floogen {
namespace {

constexpr std::size_t most_ranges = std::size_t{1} << 20;

/// Of an endpoint; `element`: which one of an array it is.
FloogenAddresses::Range range_of(const YamlValue& range, std::uint32_t endpoint,
                                 std::optional<std::uint64_t> element) {
  const auto said_of = [&](const char* key) {
    const YamlValue* value = range.find(key);
    return value == nullptr ? std::optional<std::uint64_t>() : value->number(key, INT64_MAX);
  };
  const auto base = said_of("base"), size = said_of("size"), start = said_of("start"), end = said_of("end");
  if (element && !base) range.fail("addr_range", "the addresses of an array count from a 'base'");
  const std::optional<std::uint64_t> first = base && (element || size) ? base : start;
  if (!first || (!size && !(start && end)))
    range.fail("addr_range", "'base' and 'size', 'start' and 'size', or 'start' and 'end' are wanted");
  const std::uint64_t bytes = size ? *size : *end < *start ? 0 : *end - *start;
  if (bytes == 0) range.fail("addr_range", "it is empty");
  const unsigned __int128 begin = *first + static_cast<unsigned __int128>(bytes) * element.value_or(0);
  if (begin + bytes > INT64_MAX) range.fail("addr_range", "it ends above 2^63-1");
  const auto at = static_cast<std::uint64_t>(begin);
  return {at, at + bytes, endpoint};
}

}  // namespace

std::vector<FloogenAddresses::Range> ranges_of(const std::vector<StatedRange>& stated,
                                               const std::vector<std::string>& endpoints) {
  std::vector<FloogenAddresses::Range> ranges;
  for (const auto& [value, first, count, array] : stated) {
    if (count > most_ranges - ranges.size())
      value->fail("addr_range", fmt::format("more than {} ranges of addresses", most_ranges));
    for (std::uint32_t i = 0; i < count; ++i)
      ranges.push_back(range_of(*value, first + i, array ? std::optional<std::uint64_t>(i) : std::nullopt));
  }
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) {
    return std::pair(a.start, a.endpoint) < std::pair(b.start, b.endpoint);
  });
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].start < ranges[i - 1].end)
      stated.front().value->fail(
          "addr_range", fmt::format("{:#x} is an address of {} and of {}", ranges[i].start,
                                    endpoints[ranges[i - 1].endpoint], endpoints[ranges[i].endpoint]));
  return ranges;
}

void check_width(const YamlValue& width) {
  const std::uint64_t bits = width.number("data_width", 1U << 20);
  if (bits < 8 || bits > 1024 || !std::has_single_bit(bits))
    width.fail("data_width", fmt::format("{} bits is none of AXI's widths, 8, 16, … 1024", bits));
}

}  // namespace wormcast::io::import_floogen

namespace wormcast::io {

std::optional<std::uint32_t> FloogenAddresses::endpoint_of(std::uint64_t address) const {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                      [](std::uint64_t at, const Range& range) { return at < range.start; });
  if (after == ranges.begin() || address >= std::prev(after)->end) return std::nullopt;
  return std::prev(after)->endpoint;
}

std::optional<std::uint32_t> FloogenAddresses::local_endpoint(std::uint32_t router) const {
  std::optional<std::uint32_t> found;
  for (std::uint32_t i = 0; i < endpoints.size(); ++i) {
    if (endpoints[i].router != router || !endpoints[i].local) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

}  // namespace wormcast::io
