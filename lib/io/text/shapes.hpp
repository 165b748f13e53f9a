// How the values of members are read, written and described: numbers, words, texts, lists, objects.
//
// A shape has read() for values wherever they stand, which throws InputError; write(); form(); and
// read_written() for text as write() makes it, which is false for anything else.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "io/text/fields.hpp"
#include "io/text/json_text.hpp"
#include "io/text/written_fields.hpp"
#include "topology/ids.hpp"
#include "topology/named_values.hpp"

namespace wormcast::io {

namespace shapes_detail {
/// The number that an integer, an id or an optional one is made of; made to be there unless that is const.
template <class M>
constexpr auto& number_in(M& value) {
  if constexpr (requires { value.emplace(); })
    return number_in(value.emplace());
  else if constexpr (requires { value.has_value(); })
    return number_in(*value);
  else if constexpr (requires { value.value; })
    return value.value;
  else
    return value;
}
template <class M>
using NumberIn = std::remove_cvref_t<decltype(number_in(std::declval<M&>()))>;

std::string integer_schema(std::int64_t least, std::uint64_t most);
/// A decimal that follows from the other members of an object.
template <auto text>
struct Derived {
  template <class T>
  static void read(const Value& value, T& of, const Scope&) {
    check_derived(value, text(of));
  }
  template <class T>
  static void write(const T& of, RecordLine& line, const Scope&) {
    line.raw(text(of));
  }
  static std::string form() { return R"({"type":"number","minimum":0})"; }
};
}  // namespace shapes_detail

/// The row of a decimal that is `text` of the object, and left out where that is empty.
template <class T, std::string (*text)(const T&)>
constexpr Field<T> derived(std::string_view key, std::string_view meaning) {
  return row<Self<T>, shapes_detail::Derived<text>>(key, meaning)
      .only_if([](const T& of) { return !text(of).empty(); })
      .after_others();
}

/// An integer in [least, most], of an unsigned integer, an id or an optional one.
template <std::uint64_t least = 0, std::uint64_t most = max_integer>
struct Number {
  template <class M>
  static constexpr std::uint64_t most_in =
      std::min<std::uint64_t>(most, std::numeric_limits<shapes_detail::NumberIn<M>>::max());

  template <class M>
  static void read(const Value& value, M& to, const Scope&) {
    const std::uint64_t number = value.integer(least, most_in<M>);
    shapes_detail::number_in(to) = static_cast<shapes_detail::NumberIn<M>>(number);
  }
  template <class M>
  [[gnu::always_inline]] static bool read_written(WrittenText& text, M& to, const Scope&) {
    std::uint64_t number = 0;
    if (!text.number(number) || number < least || number > most_in<M>) return false;
    shapes_detail::number_in(to) = static_cast<shapes_detail::NumberIn<M>>(number);
    return true;
  }
  template <class M>
  static void write(const M& from, RecordLine& line, const Scope&) {
    line.number(shapes_detail::number_in(from));
  }
  template <class M>
  static std::optional<std::uint64_t> number(const M& from) {
    if constexpr (requires { from.has_value(); })
      if (!from.has_value()) return std::nullopt;
    return shapes_detail::number_in(from);
  }
  static std::string form() { return shapes_detail::integer_schema(least, most); }
};

/// One of 32 bits, such as an id that is checked later.
using Number32 = Number<0, UINT32_MAX>;

/// A signed integer in [least, most].
template <std::int64_t least, std::int64_t most>
struct Signed {
  template <class M>
  static void read(const Value& value, M& to, const Scope&) {
    to = static_cast<M>(value.signed_integer(least, most));
  }
  template <class M>
  [[gnu::always_inline]] static bool read_written(WrittenText& text, M& to, const Scope&) {
    std::int64_t number = 0;
    if (!text.signed_number(number) || number < least || number > most) return false;
    to = static_cast<M>(number);
    return true;
  }
  template <class M>
  static void write(const M& from, RecordLine& line, const Scope&) {
    line.signed_number(from);
  }
  static std::string form() { return shapes_detail::integer_schema(least, static_cast<std::uint64_t>(most)); }
};

/// An integer below a bound of the network, such as its number of routers.
template <std::uint64_t (*bound)(const Scope&), std::uint64_t most = UINT32_MAX>
struct Below {
  template <class M>
  static void read(const Value& value, M& to, const Scope& scope) {
    shapes_detail::number_in(to) =
        static_cast<shapes_detail::NumberIn<M>>(value.integer(0, bound(scope) - 1));
  }
  template <class M>
  static bool read_written(WrittenText& text, M& to, const Scope& scope) {
    return Number<0, most>::read_written(text, to, scope) &&
           shapes_detail::number_in(std::as_const(to)) < bound(scope);
  }
  template <class M>
  static void write(const M& from, RecordLine& line, const Scope& scope) {
    Number<>::write(from, line, scope);
  }
  static std::string form() { return Number<0, most>::form(); }
};
inline std::uint64_t routers_of(const Scope& scope) { return scope.network->routers(); }
inline std::uint64_t hosts_of(const Scope& scope) { return scope.network->hosts(); }
inline std::uint64_t channels_of(const Scope& scope) { return scope.network->channel_bound(); }
inline std::uint64_t vcs_of(const Scope& scope) { return scope.network->virtual_channel_bound(); }
inline std::uint64_t ports_of(const Scope& scope) { return scope.network->ports(); }
/// A virtual channel, and a port of a router.
using VirtualChannel = Below<vcs_of, 254>;
using Port = Below<ports_of>;

/// A channel, or −1 − host for what that host consumes.
std::string hop_form();

/// A host of the network.
struct Host {
  static void read(const Value& value, HostId& to, const Scope& scope);
  [[gnu::always_inline]] static bool read_written(WrittenText& text, HostId& to, const Scope& scope) {
    std::uint64_t host = 0;
    if (!text.number(host) || host >= scope.network->hosts()) return false;
    to = HostId{static_cast<std::uint32_t>(host)};
    return scope.network->has_host(to);
  }
  static void write(HostId from, RecordLine& line, const Scope&) { line.number(from.value); }
  static std::string form() { return shapes_detail::integer_schema(0, max_integer); }
};

struct Flag {
  static void read(const Value& value, bool& to, const Scope&) { to = value.boolean(); }
  static void write(bool from, RecordLine& line, const Scope&) { line.boolean(from); }
  static std::string form() { return R"({"type":"boolean"})"; }
};

struct Text {
  static void read(const Value& value, std::string& to, const Scope&) { to = value.text(); }
  static void write(const std::string& from, RecordLine& line, const Scope&) { line.string(from); }
  static std::string form() { return R"({"type":"string"})"; }
};

/// A text that names something, and so is not empty.
struct Name : Text {
  static void read(const Value& value, std::string& to, const Scope&);
  [[gnu::always_inline]] static bool read_written(WrittenText& text, std::string& to, const Scope&) {
    std::string_view name;
    if (!text.plain_string(name) || name.empty()) return false;
    to = name;
    return true;
  }
  static std::string form() { return R"({"type":"string","minLength":1})"; }
};

/// An object of texts, such as {"first-hop":"strict"}.
struct Texts {
  static void read(const Value& value, SharedValues& to, const Scope&);
  static bool read_written(WrittenText& text, SharedValues& to, const Scope&);
  static void write(const SharedValues& from, RecordLine& line, const Scope&) { line.values(from); }
  static std::string form() { return R"({"type":"object","additionalProperties":{"type":"string"}})"; }
};

/// What arrays hold at least, and most where `most` is not 0.
struct ArrayBounds {
  std::size_t least = 0;
  std::size_t most = 0;
  bool sorted = false;  ///< ascending, nothing twice
};
std::string array_form(const std::string& element, ArrayBounds bounds = {});
/// An array.
template <class Shape>
struct List {
  template <class Elements>
  static void read(const Value& array, Elements& to, const Scope& scope) {
    if constexpr (std::is_same_v<Shape, Host>)  // of which tables have millions
      if (array.written_array([&](WrittenText& text) { return read_written(text, to, scope); })) return;
    std::size_t count = 0;
    array.each([&](const Value& value) {
      if (to.size() == count) to.emplace_back();
      Shape::read(value, to[count++], scope);
    });
    to.resize(count);
  }
  template <class Elements>
  requires requires(WrittenText& text, Elements& to, const Scope& scope) {
    { Shape::read_written(text, to[0], scope) } -> std::same_as<bool>;
  }
  [[gnu::always_inline]] static bool read_written(WrittenText& text, Elements& to, const Scope& scope) {
    if (!text.stands('[')) return false;
    std::size_t count = 0;
    do {
      if (to.size() == count) to.emplace_back();
      if (!Shape::read_written(text, to[count++], scope)) return false;
    } while (text.stands(','));
    to.resize(count);
    return text.stands(']');
  }
  template <class Elements>
  static void write(const Elements& from, RecordLine& line, const Scope& scope) {
    line.array(from, [&](const auto& element) { Shape::write(element, line, scope); });
  }
  static std::string form() { return array_form(Shape::form()); }
};
/// One within bounds, which the reader of the whole object checks: it says what for.
template <class Shape, std::size_t least = 1, bool sorted = false, std::size_t most = 0>
struct SomeOf : List<Shape> {
  static std::string form() { return array_form(Shape::form(), {least, most, sorted}); }
};
template <class Shape, std::size_t least = 1>
using Sorted = SomeOf<Shape, least, true>;
/// One whose reader refuses an empty array, with the message `why`.
template <class Shape, const char* why>
struct NotEmpty : Shape {
  static void read(const Value& array, auto& to, const Scope& scope) {
    Shape::read(array, to, scope);
    if (to.empty()) array.fail(why);
  }
};
/// An array of `size` elements; `wrong` ends the message about another number of them.
template <class Shape, std::size_t size, const char* wrong>
struct ArrayOf {
  template <class Element>
  static void read(const Value& array, std::array<Element, size>& to, const Scope& scope) {
    std::size_t count = 0;
    array.each([&](const Value& value) {
      Element beyond{};
      Shape::read(value, count < size ? to[count] : beyond, scope);
      ++count;
    });
    if (count != size) array.fail(std::to_string(count) + wrong);
  }
  static void write(const auto& from, RecordLine& line, const Scope& scope) {
    List<Shape>::write(from, line, scope);
  }
  static std::string form() { return SomeOf<Shape, size, false, size>::form(); }
};

/// Its place among `words`; throws InputError where it is none of them.
std::size_t word_index(const Value& value, std::span<const std::string_view> words);
std::string words_form(std::span<const std::string_view> words);

/// One of some words, of an enumeration of as many from `first`.
template <const auto& words, std::size_t first = 0>
struct Word {
  template <class Enum>
  static void read(const Value& value, Enum& to, const Scope&) {
    to = static_cast<Enum>(first + word_index(value, words));
  }
  template <class Enum>
  static void write(Enum from, RecordLine& line, const Scope&) {
    line.string(words[static_cast<std::size_t>(from) - first]);
  }
  template <class Enum>
  [[gnu::always_inline]] static bool read_written(WrittenText& text, Enum& to, const Scope&) {
    std::string_view said;
    if (!text.plain_string(said)) return false;
    for (std::size_t i = 0; i < std::size(words); ++i)
      if (said == words[i]) {
        to = static_cast<Enum>(first + i);
        return true;
      }
    return false;
  }
  static std::string form() { return words_form(words); }
};
/// An object that has a table of its own. `rules`: what else its schema says of its members.
template <const auto& rows, const char* rules = nullptr>
struct Object {
  template <class T>
  static void read(const Value& value, T& to, const Scope& scope) {
    read_object<rows>(value, to, scope);
  }
  template <class T>
  [[gnu::always_inline]] static bool read_written(WrittenText& text, T& to, const Scope& scope) {
    return text.stands('{') && wormcast::io::read_written<rows>(text, to, scope) && text.stands('}');
  }
  template <class T>
  static void write(const T& from, RecordLine& line, const Scope& scope) {
    line.raw("{");
    write_members<rows>(from, line, scope);
    line.raw("}");
  }
  static std::string form() { return object_schema(row_forms<rows>(), rules == nullptr ? "" : rules); }
};

/// Of an optional one, made to be there.
template <class Shape>
struct Optional {
  template <class M>
  static void read(const Value& value, std::optional<M>& to, const Scope& scope) {
    Shape::read(value, to.emplace(), scope);
  }
  template <class M>
  static void write(const std::optional<M>& from, RecordLine& line, const Scope& scope) {
    Shape::write(*from, line, scope);
  }
  static std::string form() { return Shape::form(); }
};

}  // namespace wormcast::io
