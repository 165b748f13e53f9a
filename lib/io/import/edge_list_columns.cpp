// Telling columns apart.
// SPDX-License-Identifier: MIT
#include "io/import/edge_list_columns.hpp"

#include <algorithm>
#include <cctype>

#include "io/import/text.hpp"

namespace wormcast::io::import_edge_list {
namespace {

/// Nodes of networkx's grids: (0, 1).
bool has_coordinates(std::string_view line) { return trimmed(line).starts_with('('); }

/// Where the quotes or parentheses close that the column from `at` begins with; `at` where it has none. Two
/// quotes within quotes are one.
std::size_t end_of_group(std::string_view line, std::size_t at, char separator) {
  const char* const blanks = separator == '\t' ? " " : " \t";
  const std::size_t opened = std::min(line.find_first_not_of(blanks, at), line.size());
  const std::string_view group = line.substr(opened);
  if (group.starts_with('(')) return std::min(line.find(')', opened), line.size());
  if (!group.starts_with('"')) return at;
  std::size_t closed = line.find('"', opened + 1);
  while (closed < line.size() && line.substr(closed + 1).starts_with('"'))
    closed = line.find('"', closed + 2);
  return std::min(closed, line.size());
}

/// True where tabs alone separate. Not so where they stand for blanks: among numbers, in a pair or behind it
/// where weights follow (of a pair with a tab, one with a fraction: "Rack 1" is a name), beside commas.
bool is_in_tabs(std::string_view line) {
  const std::string_view text = trimmed(line);
  const std::size_t tab = text.find('\t');
  if (tab == std::string_view::npos || has_coordinates(text)) return false;
  const auto number = [](std::string_view word) { return is_weight(word); };
  const std::vector<std::string_view> words = words_of(text);
  const bool pair = words.size() > 2 && words_of(text.substr(0, tab)).size() == 2;
  if (std::all_of(words.begin() + (pair ? 2 : 0), words.end(), number)) return false;
  const bool tab_in_pair = words.size() == 3 && words_of(text.substr(0, tab)).size() == 1;
  if (tab_in_pair && is_weight(words[2]) && !whole_number(words[2])) return false;
  const std::vector<std::string_view> columns = words_of(text, "\t");
  return std::none_of(columns.begin(), columns.end(), [](std::string_view column) {
    const std::string_view shown = trimmed(column);
    return shown.find_first_of(",;") == 0 || shown.ends_with(',') || shown.ends_with(';');
  });
}

}  // namespace

std::vector<std::string_view> columns_of(std::string_view line, char separator) {
  std::vector<std::string_view> columns;
  const std::size_t brace = std::min(line.find('{'), line.size());
  if (separator == ' ' && !has_coordinates(line)) {
    columns = words_of(line.substr(0, brace));
  } else if (separator == ' ') {
    for (std::size_t at = line.find('('); at < brace;) {
      const std::size_t end = std::min(line.find_first_of(" \t", end_of_group(line, at, ' ')), brace);
      columns.push_back(line.substr(at, end - at));
      at = std::min(line.find_first_not_of(" \t", end), brace);
    }
  } else {
    for (std::size_t at = 0; at <= brace;) {
      const std::size_t closed = std::min(end_of_group(line, at, separator), brace);
      const std::size_t end = std::min(line.find(separator, closed), brace);
      std::string_view column = trimmed(line.substr(at, end - at));
      if (column.size() > 1 && column.front() == '"' && column.back() == '"')
        column = column.substr(1, column.size() - 2);
      columns.push_back(column);
      at = end + 1;
    }
    if (brace != line.size() && columns.back().empty()) columns.pop_back();
  }
  if (brace != line.size()) columns.push_back(trimmed(line.substr(brace)));
  return columns;
}

bool is_weight(std::string_view word, char separator) {
  if (const std::size_t comma = word.find(','); comma != std::string_view::npos && separator != ',')
    return is_weight(word.substr(0, comma)) && whole_number(word.substr(comma + 1)).has_value();
  const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  return std::any_of(word.begin(), word.end(), digit) &&
         word.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
}

bool is_attributes(std::string_view word) { return word.starts_with('{') && word.ends_with('}'); }

std::optional<Ends> named_ends(const std::vector<std::string_view>& columns) {
  const auto called = [&](std::initializer_list<std::string_view> names) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      std::string word(columns[i]);
      for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (std::find(names.begin(), names.end(), word) != names.end()) return i;
    }
    return std::nullopt;
  };
  const auto source = called({"source", "src", "from"});
  const auto target = called({"target", "dst", "to"});
  if (!source || !target) return std::nullopt;
  return Ends{*source, *target, columns.size()};
}

bool is_coordinates(std::string_view column) {
  return column.size() > 2 && column.starts_with('(') && column.find(')') == column.size() - 1 &&
         column.find_first_of("0123456789") != std::string_view::npos &&
         column.find_first_not_of("0123456789-, ", 1) == column.size() - 1;
}

bool is_plain_name(std::string_view word) {
  if (is_coordinates(word)) return true;
  return !word.empty() && !word.ends_with(':') && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == ':' || c == '/';
  });
}

std::string name_of(std::string_view column) {
  std::string name;
  const bool coordinates = is_coordinates(column);
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (coordinates && (column[i] == '(' || column[i] == ' ' || column[i] == ')')) continue;
    name += column[i];
    if (column.substr(i).starts_with("\"\"")) ++i;
  }
  return name;
}

char separator_of(std::string_view line) {
  std::string outside(line.substr(0, line.find('{')));
  if (is_in_tabs(outside)) return '\t';
  const char* const ends = has_coordinates(line) ? ",; \t" : ",;\t";
  for (std::size_t at = 0; at < outside.size(); ++at) {
    for (const std::size_t closed = end_of_group(outside, at, ' '); at < closed; ++at) outside[at] = ' ';
    at = std::min(outside.find_first_of(ends, at), outside.size());
  }
  const bool commas = outside.find(',') != std::string::npos;
  if (outside.find(';') == std::string::npos) return commas ? ',' : ' ';
  if (!commas || named_ends(columns_of(line, ';'))) return ';';
  const auto decimal = [](std::string_view column) {
    return column.find(',') == std::string_view::npos || is_weight(column, ';');
  };
  const std::vector<std::string_view> columns = columns_of(outside, ';');
  return std::all_of(columns.begin(), columns.end(), decimal) ? ';' : ',';
}

}  // namespace wormcast::io::import_edge_list
