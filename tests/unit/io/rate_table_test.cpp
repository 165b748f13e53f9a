// Tables of rates: counts of each line against their closed form.
// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "io/import/workloads/workload_file.hpp"
#include "topology/topology.hpp"

namespace wormcast::rate_table_test {

TEST_CASE("counts of a table of rates are binomial: mean n p, variance n p (1 - p), for each line") {
  const auto mesh = build_topology({"mesh", {4, 4}, 0, {}});
  constexpr std::uint64_t cycles = 500;
  constexpr std::uint32_t length = 4;
  const std::array<double, 3> probabilities = {0.02, 0.1, 0.6};
  for (const std::string column : {"packets", "rate"}) {
    const double unit = column == "rate" ? length : 1;
    io::ImportFile file{"table", ""};
    for (std::uint32_t from = 0; from < 16; ++from)
      for (std::uint32_t to = 0; to < 16; ++to)
        file.text += fmt::format("{} {} {:.2f}\n", from, to, unit * probabilities[(from + to) % 3]);
    std::array<double, 3> count{}, squares{}, lines{};
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      WorkloadSpec spec;
      spec.seed = seed;
      spec.length_flits = length;
      spec.open = OpenArrivals{"", cycles, ""};
      io::WorkloadFileOptions options;
      options.columns = io::parse_trace_columns("source,destination," + column);
      std::vector<double> counts(256, 0);
      for (const Request& request : io::read_workload(file, spec, options, *mesh))
        ++counts[request.source.value * 16 + request.destinations.front().value];
      for (std::size_t line = 0; line < counts.size(); ++line) {
        const std::size_t kind = (line / 16 + line % 16) % 3;
        count[kind] += counts[line];
        squares[kind] += counts[line] * counts[line];
        ++lines[kind];
      }
    }
    for (std::size_t kind = 0; kind < 3; ++kind) {
      const double p = probabilities[kind], mean = cycles * p, variance = mean * (1 - p);
      const double found = count[kind] / lines[kind];
      CAPTURE(column);
      CAPTURE(p);
      CHECK(std::abs(found - mean) < 4 * std::sqrt(variance / lines[kind]));
      // The standard error of the variance of a thousand counts is 4.5 %.
      CHECK(squares[kind] / lines[kind] - found * found == doctest::Approx(variance).epsilon(0.18));
    }
  }
}

}  // namespace wormcast::rate_table_test
