// An object of a record as one table, a row for each member. Its reader, its writer, its reset and its JSON
// Schema follow from the rows; shapes.hpp says how the values of members are read and written.
//
// Two readers share a table. read_written() (written_fields.hpp) takes text that stands byte for byte as
// records are written, in one pass over the rows; read_object() takes any other, in any order, and alone says
// what is wrong. An object that comes once a record or less is read by rows through function pointers, one
// that comes by the thousand by code made of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "io/text/written_text.hpp"
#include "router/router_model.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// What the values of a record refer to.
struct Scope {
  const Topology* network = nullptr;
  const Resources* resources = nullptr;  ///< of the network, under the record's router
};

/// How a member is read and written, wherever its value is: each function is given that.
struct Row {
  std::string_view key;
  std::string_view meaning;  ///< its description in the schema
  void (*read)(const Value&, void* to, const Scope&) = nullptr;
  /// Reads it where it stands as it is written; nullptr: such objects are left to `read`.
  bool (*read_written)(WrittenText&, void* to, const Scope&) = nullptr;
  void (*write)(const void* from, RecordLine&, const Scope&) = nullptr;
  void (*clear)(void*) = nullptr;  ///< as in an object that lacks it; buffers are kept
  // Of rows that repeat: most records say what the one before said.
  void (*copy)(const void* from, void* to) = nullptr;
  bool (*same)(const void*, const void*) = nullptr;
  std::string (*form)() = nullptr;  ///< the JSON Schema of its value
  /// What report averages, where the object has it; nullptr: the member is no number.
  std::optional<std::uint64_t> (*number)(const void*) = nullptr;
  bool required = true;
  bool deferred = false;  ///< needs the others: is read when they are known, wherever it stands

  constexpr bool repeats() const { return same != nullptr; }
};

/// A member of the object that a T is made of.
template <class T>
struct Field : Row {
  const void* (*at)(const T&) = nullptr;  ///< where its value is
  /// Whether it is written; nullptr: always, and a reader demands it.
  bool (*stated)(const T&) = nullptr;
  void (*set_absent)(T&) = nullptr;  ///< in place of `clear`

  void* place(T& of) const { return const_cast<void*>(at(of)); }
  void reset(T& of) const { set_absent != nullptr ? set_absent(of) : clear(place(of)); }

  /// Left out where `stated` is false.
  constexpr Field only_if(bool (*predicate)(const T&)) const {
    return may_lack().template with<&Field::stated>(predicate);
  }
  /// Always written, but records without it are read.
  constexpr Field may_lack() const { return with<&Row::required>(false); }
  /// What an object that lacks it has there, where that is not what a new one has.
  constexpr Field absent(void (*set)(T&)) const { return with<&Field::set_absent>(set); }
  constexpr Field after_others() const { return with<&Row::deferred>(true); }

 private:
  template <auto member>
  constexpr Field with(auto value) const {
    Field field = *this;
    field.*member = value;
    return field;
  }
};

/// A part of an object that has rows of its own: a data member, what that points to, or a member of it.
template <auto member, auto... further>
struct Part;
template <class T, class M, M T::*member, auto... further>
struct Part<member, further...> {
  using Whole = T;
  static auto& of(auto& whole) {
    if constexpr (sizeof...(further) > 0)
      return Part<further...>::of(whole.*member);
    else if constexpr (std::is_pointer_v<M>)
      return *(whole.*member);
    else
      return whole.*member;
  }
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

/// The row of a member that `Shape` reads and writes, at `Access` in the object.
template <class Access, class Shape>
constexpr auto row(std::string_view key, std::string_view meaning) {
  using T = typename Access::Whole;
  using M = std::remove_cvref_t<decltype(Access::of(std::declval<T&>()))>;
  Field<T> field;
  field.key = key;
  field.meaning = meaning;
  field.at = [](const T& whole) -> const void* { return &Access::of(whole); };
  field.read = [](const Value& value, void* to, const Scope& scope) {
    Shape::read(value, *static_cast<M*>(to), scope);
  };
  if constexpr (requires(WrittenText & text, M & to, const Scope& scope) {
                  Shape::read_written(text, to, scope);
                })
    field.read_written = [](WrittenText& text, void* to, const Scope& scope) {
      return Shape::read_written(text, *static_cast<M*>(to), scope);
    };
  field.write = [](const void* from, RecordLine& line, const Scope& scope) {
    Shape::write(*static_cast<const M*>(from), line, scope);
  };
  field.clear = []([[maybe_unused]] void* of) {
    [[maybe_unused]] M& value = *static_cast<M*>(of);
    if constexpr (requires { Shape::clear(value); })
      Shape::clear(value);
    else if constexpr (std::is_same_v<Access, Self<T>>)
      return;  // its parts have rows of their own
    else if constexpr (requires { value.clear(); })
      value.clear();
    else
      value = {};
  };
  field.form = [] { return Shape::form(); };
  if constexpr (requires(const M& from) { Shape::number(from); })
    field.number = [](const void* from) { return Shape::number(*static_cast<const M*>(from)); };
  return field;
}
/// A member that every object has.
template <auto member, class Shape>
constexpr auto always(std::string_view key, std::string_view meaning) {
  return row<Part<member>, Shape>(key, meaning);
}
/// One that is left out where it says nothing.
template <class Access, class Shape>
constexpr auto where_stated(std::string_view key, std::string_view meaning) {
  using T = typename Access::Whole;
  return row<Access, Shape>(key, meaning).only_if([](const T& of) { return is_stated(Access::of(of)); });
}
template <auto member, class Shape>
constexpr auto where_stated(std::string_view key, std::string_view meaning) {
  return where_stated<Part<member>, Shape>(key, meaning);
}

/// The same of one that mostly says what that of the record before said.
template <auto member, class Shape>
constexpr auto repeated(std::string_view key, std::string_view meaning) {
  auto field = where_stated<member, Shape>(key, meaning);
  using M = std::remove_cvref_t<decltype(Part<member>::of(std::declval<typename Part<member>::Whole&>()))>;
  field.copy = [](const void* from, void* to) { *static_cast<M*>(to) = *static_cast<const M*>(from); };
  field.same = [](const void* a, const void* b) {
    return *static_cast<const M*>(a) == *static_cast<const M*>(b);
  };
  return field;
}

/// What `use` makes of the numbers below `count`, each a constant.
template <std::size_t count, class Use>
[[gnu::always_inline]] constexpr auto with_indices(const Use& use) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return use(std::integral_constant<std::size_t, i>()...);
  }
  (std::make_index_sequence<count>());
}

/// The rows of a part as rows of the whole.
template <class Access, const auto& rows>
constexpr auto rows_of() {
  using T = typename Access::Whole;
  const auto lift = []<std::size_t i>(std::integral_constant<std::size_t, i>) {
    // rows[i] by its name: some compilers want a constant reference to it captured.
    Field<T> field{rows[i]};
    field.at = [](const T& whole) { return rows[i].at(Access::of(whole)); };
    if constexpr (rows[i].stated != nullptr)
      field.stated = [](const T& whole) { return rows[i].stated(Access::of(whole)); };
    if constexpr (rows[i].set_absent != nullptr)
      field.set_absent = [](T& whole) { rows[i].set_absent(Access::of(whole)); };
    return field;
  };
  return with_indices<rows.size()>([&](auto... i) { return std::array<Field<T>, sizeof...(i)>{lift(i)...}; });
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
    if (!row.required) row.reset(of);
}

/// Reads an object; throws InputError.
template <const auto& rows, class T>
void read_object(const Value& object, T& to, const Scope& scope) {
  clear_optional<rows>(to);
  visit_members(object, member_list<rows, false>, false, [&](int i, const Value& value) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    row.read(value, row.place(to), scope);
  });
}
/// Reads a record's members behind its kind; returns its x_ members.
template <const auto& rows, class T>
std::string read_record_rows(const Value& record, T& to, const Scope& scope) {
  clear_optional<rows>(to);
  return visit_members(record, member_list<rows, true>, true, [&](int i, const Value& value) {
    if (i == 0) return;
    const auto& row = rows[static_cast<std::size_t>(i - 1)];
    row.read(value, row.place(to), scope);
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
