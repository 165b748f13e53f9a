// The columns of a line of an edge list: what separates them, what they are.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wormcast::io::import_edge_list {

/// What separates the columns: tabs; ';' or ',' where the line has one outside quotes and coordinates,
/// of both ',' unless they are decimal commas or ';' gives names of columns; ' ' for blanks and tabs.
char separator_of(std::string_view line);
/// The columns of a line, without quotes around them; {...} is one.
std::vector<std::string_view> columns_of(std::string_view line, char separator);

/// Which columns name the ends of an edge.
struct Ends {
  std::size_t source = 0;
  std::size_t target = 1;
  std::size_t columns = 0;  ///< of a line of names; 0 where there was none
};

/// The ends where the line names columns: one `source` or `from`, and one `target` or `to`.
std::optional<Ends> named_ends(const std::vector<std::string_view>& columns);

/// A number; a decimal comma is one where commas separate nothing.
bool is_weight(std::string_view word, char separator = ',');
bool is_attributes(std::string_view word);
/// (0, 1): integers.
bool is_coordinates(std::string_view column);
/// Names that stand in lists: what else has lines of two words, such as the `key: value` of YAML, is not
/// taken for one.
bool is_plain_name(std::string_view word);
/// A node's name: coordinates as ours are written, "0,1"; two quotes that stood within quotes are one.
std::string name_of(std::string_view column);

}  // namespace wormcast::io::import_edge_list
