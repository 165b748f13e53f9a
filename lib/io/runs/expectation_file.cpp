// Files of expectations.
// SPDX-License-Identifier: MIT
#include "io/runs/expectation_file.hpp"

#include <optional>
#include <string_view>

#include "io/records/record_stream.hpp"
#include "topology/error.hpp"

namespace wormcast::io {

std::vector<Expectation> read_expectations(const std::string& path) {
  LineReader lines({path == "-" ? "./-" : path});  // standard input is for records
  std::string content;
  while (const std::optional<std::string_view> line = lines.next()) content.append(*line) += '\n';
  std::vector<Expectation> all = parse_expectations(content, path);
  if (all.empty()) throw InputError("--expect", path + " has no expectation");
  return all;
}

}  // namespace wormcast::io
