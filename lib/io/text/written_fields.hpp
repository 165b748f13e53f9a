// Objects as they are written, by code made of their table: the writer, and the reader of text that stands
// byte for byte as it writes. Rows that repeat are taken from the record before, by both.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "io/text/fields.hpp"
#include "io/text/record_line.hpp"
#include "io/text/written_text.hpp"

namespace wormcast::io {

/// What most records of a stream have in common, kept from one to the next: the values that repeat, and their
/// text.
template <class T>
struct Heading {
  const void* first = nullptr;  ///< the row that was written, or read, first; nullptr: nothing is known
  std::string text;
  T values;
};
/// Keeps the rows that repeat, for the next record; `text` is theirs.
template <const auto& rows, std::size_t first = 0, class T>
void keep_heading(const T& of, std::string_view text, Heading<T>& heading) {
  heading.first = &rows[first];
  heading.text = text;
  for (const auto& row : rows)
    if (row.repeats()) row.copy(row.at(of), row.place(heading.values));
}

/// `,"key":`
template <const auto& rows, std::size_t i>
inline constexpr auto key_text = [] {
  constexpr std::string_view key = rows[i].key;
  std::array<char, key.size() + 4> text{};
  text[0] = ',';
  text[1] = '"';
  for (std::size_t c = 0; c < key.size(); ++c) text[2 + c] = key[c];
  text[2 + key.size()] = '"';
  text[3 + key.size()] = ':';
  return text;
}();

/// Rows of a table, [first, end): those that repeat stand together.
template <const auto& rows, std::size_t first = 0, std::size_t end = rows.size()>
struct RowRange {
  static constexpr bool repeats(std::size_t i) { return i >= first && i < end && rows[i].repeats(); }
  static constexpr bool begins(std::size_t i) { return repeats(i) && (i == first || !repeats(i - 1)); }
  static constexpr bool ends(std::size_t i) { return repeats(i) && !repeats(i + 1); }
  template <class T>
  static bool same(const T& a, const T& b) {
    const auto same = [&](const auto& row) { return row.same(row.at(a), row.at(b)); };
    return with_indices<end - first>(
        [&](auto... i) { return ((!repeats(first + i) || same(rows[first + i])) && ...); });
  }
};

/// Writes the members of an object behind what it has already: those of the rows from `first` up to `end`.
/// Rows that repeat and say what the last object said are written as they were there.
template <const auto& rows, std::size_t first = 0, std::size_t end = rows.size(), class T>
void write_members(const T& of, RecordLine& line, const Scope& scope = {}) {
  using Rows = RowRange<rows, first, end>;
  bool known = false;     // the rows that repeat say what they said before
  std::size_t begin = 0;  // of their text
  const auto write_row = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    constexpr auto& row = rows[i];
    if constexpr (row.stated != nullptr)
      if (!row.stated(of)) return;
    line.member(key_text<rows, i>);
    row.write(row.at(of), line, scope);
  };
  const auto write = [&]<std::size_t i>(std::integral_constant<std::size_t, i> index) {
    if constexpr (Rows::begins(i)) {
      const Heading<T>& heading = line.template kept<Heading<T>>();
      known = heading.first == &rows[first] && Rows::same(of, heading.values);
      begin = line.written().size();
      if (known) line.raw(heading.text);
    }
    if (!Rows::repeats(i) || !known) write_row(index);
    if constexpr (Rows::ends(i))
      if (!known)
        keep_heading<rows, first>(of, line.written().substr(begin), line.template kept<Heading<T>>());
  };
  // Not by with_indices(): gcc then calls what it otherwise puts in line.
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (write(std::integral_constant<std::size_t, first + i>()), ...);
  }
  (std::make_index_sequence<end - first>());
}

/// Hands on each number that the object has, with its key.
template <const auto& rows, class T, class Take>
void each_number(const T& of, const Take& take) {
  const auto each = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    if constexpr (rows[i].number != nullptr)
      if (const std::optional<std::uint64_t> number = rows[i].number(rows[i].at(of)))
        take(rows[i].key, *number);
  };
  with_indices<rows.size()>([&](auto... i) { (each(i), ...); });
}

/// A whole record with its x_ members.
template <const auto& rows, class T>
std::string_view write_record(std::string_view kind, const T& of, RecordLine& line,
                              std::string_view extras = "", const Scope& scope = {}) {
  write_members<rows>(of, line.begin(kind), scope);
  return line.end(extras);
}

/// Reads the members of an object that stands as it is written, behind what has been read of it. False: it
/// does not; what has been read then means nothing. `heading`: of the record before; nullptr where nothing
/// repeats. `behind`: something stands before the first of them.
template <const auto& rows, bool behind = false, class T>
[[gnu::always_inline]] inline bool read_written(WrittenText& text, T& to, const Scope& scope,
                                                Heading<T>* heading = nullptr) {
  bool known = false;              // the run of rows that repeat says what it said before
  const char* run = text.place();  // where that began
  const auto read = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) -> bool {
    constexpr auto& row = rows[i];
    if constexpr (RowRange<rows>::begins(i)) {
      run = text.place();
      known = heading->first == &rows[0] && text.stands(std::string_view(heading->text));
    }
    if (row.repeats() && known) {
      row.copy(row.at(heading->values), row.place(to));
      return true;
    } else {
      constexpr bool follows = behind || std::any_of(rows.begin(), rows.begin() + i,
                                                     [](const auto& before) { return before.required; });
      if (!text.template member<follows>(key_text<rows, i>)) {
        if constexpr (row.required) return false;
        row.reset(to);
        return true;
      }
      if constexpr (row.read_written == nullptr)
        return false;
      else
        return row.read_written(text, row.place(to), scope);
    }
  };
  const auto read_and_keep = [&]<std::size_t i>(std::integral_constant<std::size_t, i> index) -> bool {
    if (!read(index)) return false;
    if constexpr (RowRange<rows>::ends(i))
      if (!known) keep_heading<rows>(to, {run, text.place()}, *heading);
    return true;
  };
  return with_indices<rows.size()>([&](auto... i) { return (read_and_keep(i) && ...); });
}

}  // namespace wormcast::io
