// An object of a record as one table, a row for each member. Its reader, its writer, its reset and its JSON
// Schema follow from the rows; shapes.hpp says how the values of members are read and written.
//
// Two readers share a table. read_written() takes text that stands byte for byte as records are written, in
// one pass over the rows; read_members() takes any other, in any order, and alone says what is wrong. An
// object that comes once a record or less is read by rows through function pointers, one that comes by the
// thousand by code made of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "io/text/written_text.hpp"
#include "topology/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// What the values of a record refer to.
struct Scope {
  const Topology* network = nullptr;
  const Resources* resources = nullptr;  ///< of the network, under the record's router
};

/// A member of the object that a T is made of.
template <class T>
struct Field {
  std::string_view key;
  std::string_view meaning;  ///< its description in the schema
  void (*read)(const Value&, T&, const Scope&) = nullptr;
  /// Reads it where it stands as it is written; nullptr: such objects are left to `read`.
  bool (*read_written)(WrittenText&, T&, const Scope&) = nullptr;
  void (*write)(const T&, RecordLine&, const Scope&) = nullptr;
  void (*clear)(T&) = nullptr;  ///< as in an object that lacks it; buffers are kept
  void (*copy)(const T& from, T& to) = nullptr;
  bool (*same)(const T&, const T&) = nullptr;  ///< of rows that repeat
  std::string (*form)() = nullptr;             ///< the JSON Schema of its value
  /// What report averages, where the object has it; nullptr: the member is no number.
  std::optional<std::uint64_t> (*number)(const T&) = nullptr;
  /// Whether it is written; nullptr: always, and a reader demands it.
  bool (*stated)(const T&) = nullptr;
  bool required = true;
  bool repeats = false;   ///< most records say what the one before said
  bool deferred = false;  ///< needs the others: is read when they are known, wherever it stands

  /// Left out where `stated` is false.
  constexpr Field only_if(bool (*predicate)(const T&)) const {
    Field field = *this;
    field.stated = predicate;
    field.required = false;
    return field;
  }
  /// Always written, but records without it are read.
  constexpr Field may_lack() const {
    Field field = *this;
    field.required = false;
    return field;
  }
  /// What an object that lacks it has there, where that is not what a new one has.
  constexpr Field absent(void (*set)(T&)) const {
    Field field = *this;
    field.clear = set;
    return field;
  }
  constexpr Field repeating() const {
    Field field = *this;
    field.repeats = true;
    return field;
  }
  constexpr Field after_others() const {
    Field field = *this;
    field.deferred = true;
    return field;
  }
};

/// A part of an object that has rows of its own: a data member.
template <auto member>
struct Part;
template <class T, class M, M T::*member>
struct Part<member> {
  using Whole = T;
  static M& of(T& whole) { return whole.*member; }
  static const M& of(const T& whole) { return whole.*member; }
};

/// The whole, as the place of what is in several of its parts, or a base of it.
template <class T, class Base = T>
struct Self {
  using Whole = T;
  static Base& of(T& whole) { return whole; }
  static const Base& of(const T& whole) { return whole; }
};

/// False for what an object that lacks the member has there.
template <class M>
bool is_stated(const M& value) {
  if constexpr (requires { value.has_value(); })
    return value.has_value();
  else if constexpr (requires { value.empty(); })
    return !value.empty();
  else
    return !(value == M{});
}

/// Has an ==, and its elements too.
template <class M>
inline constexpr bool comparable = [] {
  if constexpr (requires { typename M::value_type; })
    return comparable<typename M::value_type>;
  else
    return std::equality_comparable<M>;
}();

/// The row of a member that `Shape` reads and writes, at `Access` in the object.
template <class Access, class Shape>
constexpr auto row(std::string_view key, std::string_view meaning) {
  using T = typename Access::Whole;
  Field<T> field;
  field.key = key;
  field.meaning = meaning;
  field.read = [](const Value& value, T& to, const Scope& scope) {
    Shape::read(value, Access::of(to), scope);
  };
  if constexpr (requires(WrittenText & text, T & to, const Scope& scope) {
                  Shape::read_written(text, Access::of(to), scope);
                })
    field.read_written = [](WrittenText& text, T& to, const Scope& scope) {
      return Shape::read_written(text, Access::of(to), scope);
    };
  field.write = [](const T& from, RecordLine& line, const Scope& scope) {
    Shape::write(Access::of(from), line, scope);
  };
  field.clear = [](T& of) {
    [[maybe_unused]] auto& value = Access::of(of);
    if constexpr (requires { Shape::clear(value); })
      Shape::clear(value);
    else if constexpr (std::is_same_v<Access, Self<T>>)
      return;  // its parts have rows of their own
    else if constexpr (requires { value.clear(); })
      value.clear();
    else
      value = {};
  };
  field.copy = [](const T& from, T& to) { Access::of(to) = Access::of(from); };
  if constexpr (comparable<std::remove_cvref_t<decltype(Access::of(std::declval<T&>()))>>)
    field.same = [](const T& a, const T& b) { return Access::of(a) == Access::of(b); };
  field.form = [] { return Shape::form(); };
  if constexpr (requires(const T& from) { Shape::number(Access::of(from)); })
    field.number = [](const T& from) { return Shape::number(Access::of(from)); };
  return field;
}
/// A member that every object has.
template <auto member, class Shape>
constexpr auto always(std::string_view key, std::string_view meaning) {
  return row<Part<member>, Shape>(key, meaning);
}
/// One that is left out where it says nothing.
template <auto member, class Shape>
constexpr auto where_stated(std::string_view key, std::string_view meaning) {
  using Access = Part<member>;
  using T = typename Access::Whole;
  return row<Access, Shape>(key, meaning).only_if([](const T& of) { return is_stated(Access::of(of)); });
}

/// The rows of a part as rows of the whole.
template <class Access, const auto& rows>
constexpr auto rows_of() {
  using T = typename Access::Whole;
  const auto lift = []<std::size_t i>(std::integral_constant<std::size_t, i>) {
    // rows[i] by its name: some compilers want a constant reference to it captured.
    constexpr auto& of = rows[i];
    Field<T> field;
    field.key = of.key;
    field.meaning = of.meaning;
    field.read = [](const Value& value, T& to, const Scope& scope) {
      rows[i].read(value, Access::of(to), scope);
    };
    if constexpr (of.read_written != nullptr)
      field.read_written = [](WrittenText& text, T& to, const Scope& scope) {
        return rows[i].read_written(text, Access::of(to), scope);
      };
    field.write = [](const T& from, RecordLine& line, const Scope& scope) {
      rows[i].write(Access::of(from), line, scope);
    };
    field.clear = [](T& whole) { rows[i].clear(Access::of(whole)); };
    field.copy = [](const T& from, T& to) { rows[i].copy(Access::of(from), Access::of(to)); };
    if constexpr (of.same != nullptr)
      field.same = [](const T& a, const T& b) { return rows[i].same(Access::of(a), Access::of(b)); };
    field.form = of.form;
    if constexpr (of.number != nullptr)
      field.number = [](const T& whole) { return rows[i].number(Access::of(whole)); };
    if constexpr (of.stated != nullptr)
      field.stated = [](const T& whole) { return rows[i].stated(Access::of(whole)); };
    field.required = of.required;
    field.repeats = of.repeats;
    field.deferred = of.deferred;
    return field;
  };
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::array<Field<T>, sizeof...(i)>{lift(std::integral_constant<std::size_t, i>())...};
  }
  (std::make_index_sequence<rows.size()>());
}

namespace fields_detail {
template <class T>
constexpr std::array<Field<T>, 1> as_rows(const Field<T>& field) {
  return {field};
}
template <class T, std::size_t N>
constexpr const std::array<Field<T>, N>& as_rows(const std::array<Field<T>, N>& rows) {
  return rows;
}
template <class T, std::size_t N, std::size_t M>
constexpr std::array<Field<T>, N + M> operator+(const std::array<Field<T>, N>& a,
                                                const std::array<Field<T>, M>& b) {
  std::array<Field<T>, N + M> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = a[i];
  for (std::size_t i = 0; i < M; ++i) all[N + i] = b[i];
  return all;
}
}  // namespace fields_detail

/// A table of rows and of other tables, in the order in which their members are written.
template <class... Rows>
constexpr auto table(const Rows&... rows) {
  using fields_detail::operator+;
  return (fields_detail::as_rows(rows) + ...);
}

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
    if (row.repeats) row.copy(of, heading.values);
}

// By code made of the rows.

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
struct Range {
  static constexpr bool repeats(std::size_t i) { return i >= first && i < end && rows[i].repeats; }
  static constexpr bool begins(std::size_t i) { return repeats(i) && (i == first || !repeats(i - 1)); }
  static constexpr bool ends(std::size_t i) { return repeats(i) && !repeats(i + 1); }
  template <class T>
  static bool same(const T& a, const T& b) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return ((!repeats(first + i) || rows[first + i].same(a, b)) && ...);
    }
    (std::make_index_sequence<end - first>());
  }
};

/// Writes the members of an object behind what it has already: those of the rows from `first` up to `end`.
template <const auto& rows, std::size_t first = 0, std::size_t end = rows.size(), class T>
void write_members(const T& of, RecordLine& line, const Scope& scope = {}) {
  using Rows = Range<rows, first, end>;
  bool known = false;     // the rows that repeat say what they said before
  std::size_t begin = 0;  // of their text
  const auto write_row = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    constexpr auto& row = rows[i];
    if constexpr (row.stated != nullptr)
      if (!row.stated(of)) return;
    line.member(key_text<rows, i>);
    row.write(of, line, scope);
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
      if (const std::optional<std::uint64_t> number = rows[i].number(of)) take(rows[i].key, *number);
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) { (each(std::integral_constant<std::size_t, i>()), ...); }
  (std::make_index_sequence<rows.size()>());
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
    if constexpr (Range<rows>::begins(i)) {
      run = text.place();
      known = heading->first == &rows[0] && text.stands(std::string_view(heading->text));
    }
    if (row.repeats && known) {
      row.copy(heading->values, to);
      return true;
    } else {
      constexpr bool follows = behind || std::any_of(rows.begin(), rows.begin() + i,
                                                     [](const auto& before) { return before.required; });
      if (!text.template member<follows>(key_text<rows, i>)) {
        if constexpr (row.required) return false;
        row.clear(to);
        return true;
      }
      if constexpr (row.read_written == nullptr)
        return false;
      else
        return row.read_written(text, to, scope);
    }
  };
  const auto read_and_keep = [&]<std::size_t i>(std::integral_constant<std::size_t, i> index) -> bool {
    if (!read(index)) return false;
    if constexpr (Range<rows>::ends(i))
      if (!known) keep_heading<rows>(to, {run, text.place()}, *heading);
    return true;
  };
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return (read_and_keep(std::integral_constant<std::size_t, i>()) && ...);
  }
  (std::make_index_sequence<rows.size()>());
}

// By rows through pointers, for all tables alike.

/// The members of an object; of a record, `kind` before them.
template <const auto& rows, bool record>
inline constexpr auto member_list = [] {
  constexpr std::size_t before = record ? 1 : 0;
  std::array<Member, rows.size() + before> members{};
  if (record) members[0] = {"kind"};
  for (std::size_t i = 0; i < rows.size(); ++i)
    members[i + before] = {rows[i].key, rows[i].required, rows[i].deferred};
  return members;
}();

/// Empties what an object may lack.
template <const auto& rows, class T>
void clear_optional(T& of) {
  for (const auto& row : rows)
    if (!row.required) row.clear(of);
}

/// Reads an object; throws InputError.
template <const auto& rows, class T>
void read_object(const Value& object, T& to, const Scope& scope) {
  clear_optional<rows>(to);
  visit_members(object, member_list<rows, false>, false,
                [&](int i, const Value& value) { rows[static_cast<std::size_t>(i)].read(value, to, scope); });
}
/// Reads a record's members behind its kind; returns its x_ members.
template <const auto& rows, class T>
std::string read_record_rows(const Value& record, T& to, const Scope& scope) {
  clear_optional<rows>(to);
  return visit_members(record, member_list<rows, true>, true, [&](int i, const Value& value) {
    if (i > 0) rows[static_cast<std::size_t>(i - 1)].read(value, to, scope);
  });
}

/// A row as the schema shows it.
struct RowForm {
  std::string_view key;
  std::string_view meaning;
  bool required = true;
  std::string schema;
};
using RowForms = std::vector<RowForm>;
template <const auto& rows>
RowForms row_forms() {
  RowForms forms;
  for (const auto& row : rows) forms.push_back({row.key, row.meaning, row.required, row.form()});
  return forms;
}
/// A kind of record.
struct RecordForm {
  std::string_view kind;
  std::string_view title;
  RowForms rows;
  std::string rules{};  ///< what else its schema says
};
/// The JSON Schema of an object of these members; `rules`: what else it says of them, as members of its own.
std::string object_schema(const RowForms& rows, std::string_view rules = "");

}  // namespace wormcast::io
