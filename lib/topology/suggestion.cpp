// Names that look alike.
// SPDX-License-Identifier: MIT
#include "topology/suggestion.hpp"

#include <numeric>

namespace wormcast {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

std::string_view nearest_name(std::string_view name, const std::vector<std::string_view>& known) {
  std::string_view nearest;
  std::size_t least = std::min<std::size_t>(3, name.size() / 2 + 1);
  for (std::string_view candidate : known) {
    // Names far apart in length are not near, and a hostile name may be long.
    if (candidate.size() + 3 < name.size()) continue;
    const std::size_t edits = edit_distance(name, candidate);
    if (edits < least) {
      least = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 const std::vector<std::string_view>& known) {
  std::string message = "unknown " + std::string(kind) + " '" + std::string(name.substr(0, 100)) + "'";
  const std::string_view nearest = nearest_name(name, known);
  if (!nearest.empty()) message += "; did you mean '" + std::string(nearest) + "'?";
  message += " (known:";
  for (std::string_view candidate : known) message += " " + std::string(candidate);
  return message + ")";
}

}  // namespace wormcast
