// One JSON text, read on demand: a Value is a place in the text, and what stands there is worked out when
// asked.
//
// Records are read once, from the first byte to the last, so nothing is built that a reader would walk over
// again. What is read is checked as it is read, what is not read is checked as it is passed over, and the end
// of the text with the end of its outermost value. So a text whose root has been read is as strict as one
// that was parsed beforehand. Texts with escapes or bytes beyond ASCII are checked as soon as the first of
// these is met. Wherever anything is wrong, nlohmann/json parses the whole text again and says what: it alone
// refuses, with its words, and what the text says never goes before what is wrong with the text. Refused
// whatever the record: NUL bytes, a byte order mark, invalid UTF-8, nesting deeper than max_json_depth. cite:
// Keiser, Lemire: On-demand JSON: a better way to parse documents? (the idea; no code is shared)
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "topology/ids.hpp"
#include "topology/named_values.hpp"

namespace wormcast::io {

inline constexpr std::size_t max_json_depth = 64;
using wormcast::max_integer;

enum class JsonType : std::uint8_t { null, boolean, integer, fraction, string, array, object };

class JsonText;

/// A value of a text; valid until that reads the next one. Every reader throws InputError where the value is
/// of another type or out of range, with the value's place as its field.
class Value {
 public:
  Value(const JsonText& json, const char* at) : json_(&json), at_(at) {}

  JsonType type() const;
  /// An integer in [least, most].
  std::uint64_t integer(std::uint64_t least, std::uint64_t most = max_integer) const;
  std::int64_t signed_integer(std::int64_t least, std::int64_t most) const;
  /// The string's decoded text.
  std::string_view text() const;
  bool boolean() const;
  void expect_array() const;
  void expect_object() const;
  /// Throws InputError with this value's place as its field.
  [[noreturn]] void fail(const std::string& message) const;
  /// What the value looks like, shortened, for messages.
  std::string shown() const;
  /// "worms[0].stops[2]"
  std::string place() const;
  /// The value's own text.
  std::string_view raw() const;
  /// True if that is `text`, byte for byte; then the value has been read. Costs less than reading it.
  bool is(std::string_view text) const;

  /// Calls visit(element) for each element of an array.
  template <class Visit>
  void each(Visit visit) const;
  /// Calls visit(key, value) for each member of an object.
  template <class Visit>
  void members(Visit visit) const {
    members([] { return std::string_view(); }, visit);
  }
  /// The same where the key that expected() gives, if any, is likely to stand next; it is then that view.
  template <class Expected, class Visit>
  void members(Expected expected, Visit visit) const;

  const JsonText& json() const { return *json_; }

 private:
  const JsonText* json_;
  const char* at_;
};

class JsonText {
 public:
  JsonText() = default;
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  /// Takes a copy of `text` and checks all of it; throws InputError with an empty field.
  void parse(std::string_view text);
  /// Takes the text itself, which must outlive the use of its values and be followed by a byte that no value
  /// goes on with, such as a newline. It is checked as it is read: by the time the root has been read, or by
  /// check_rest().
  void read(std::string_view text);
  /// Throws InputError where the text is no JSON, as parse() does.
  void check() const;
  /// The same, but what has been read is known to be right.
  void check_rest() const {
    if (!checked_) finish(end_of(root_));
  }

  Value root() const { return {*this, root_}; }
  /// The first member of the root, or nothing where that is no object or has none.
  std::optional<std::pair<std::string_view, Value>> first_member() const;
  /// The text.
  std::string_view raw() const { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }
  /// What `make` makes of an object. The texts read last are known, so that what records repeat is read once.
  SharedValues repeated(const Value& object, SharedValues (*make)(const Value&)) const;
  /// Within members(), before the value is read: where the text of the member begins.
  const char* member_begin() const { return member_begin_; }

 private:
  friend class Value;

  struct Number {
    bool integer = false;
    std::int64_t value = 0;  ///< of an integer
    const char* end = nullptr;
  };

  void begin(std::string_view text);
  [[noreturn]] void refuse() const;
  void meet_rare(const char* at) const;
  const char* skip_blanks(const char* at) const {
    while (*at <= ' ' && at != end_ && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) ++at;
    return at;
  }
  /// The end of the string whose first quote is at `at`: behind its last quote.
  const char* end_of_string(const char* at) const {
    while (true) {
      ++at;
      while (*at >= '#' && *at <= '~' && *at != '\\') ++at;
      if (*at == '"') return at + 1;
      if (*at == ' ' || *at == '!') continue;
      meet_rare(at);
      if (*at == '\\') ++at;  // what it escapes is no quote
    }
  }
  const char* end_of_word(const char* at, std::string_view word) const;
  const char* end_of(const char* at) const;
  Number number(const char* at) const;
  std::string_view string(const char* at, const char* end) const;
  std::string place_of(const char* at) const;

  /// Where the elements begin; behind the first bracket and blanks.
  const char* open(const char* at) const {
    if (++depth_ > max_json_depth) refuse();
    return skip_blanks(at + 1);
  }
  /// The key at `at`, which then is where the member's value begins.
  std::string_view key(const char*& at) const {
    if (*at != '"') refuse();
    member_begin_ = at;
    const char* const end = end_of_string(at);
    const std::string_view text =
        plain_ ? std::string_view(at + 1, static_cast<std::size_t>(end - at - 2)) : string(at, end);
    at = skip_blanks(end);
    if (*at != ':') refuse();
    at = skip_blanks(at + 1);
    return text;
  }
  /// True if the key at `at` is `name`, written plainly; `at` is then where the member's value begins.
  bool key_is(const char*& at, std::string_view name) const {
    if (static_cast<std::size_t>(end_ - at) < name.size() + 3 || *at != '"' ||
        std::memcmp(at + 1, name.data(), name.size()) != 0 || at[name.size() + 1] != '"' ||
        at[name.size() + 2] != ':')
      return false;
    member_begin_ = at;
    at = skip_blanks(at + name.size() + 3);
    return true;
  }
  /// Goes from a value behind the comma that follows it. False where `close` stands there: the end.
  bool next(const char*& at, char close) const {
    at = skip_blanks(read_ == at ? read_end_ : end_of(at));
    if (*at == ',') {
      at = skip_blanks(at + 1);
      return true;
    }
    if (*at != close) refuse();
    return false;
  }
  /// The value at `at` has been read up to `end`, with what is opened in it.
  void close(const char* at, const char* end) const {
    --depth_;
    done(at, end);
    if (at == root_) finish(end);
  }
  void done(const char* at, const char* end) const {
    read_ = at;
    read_end_ = end;
  }
  void finish(const char* end) const {
    if (skip_blanks(end) != end_) refuse();
    checked_ = true;
  }

  struct Repeated {
    std::string text;
    SharedValues values;
  };

  std::string copy_;  // of parse()
  const char* begin_ = "";
  const char* end_ = begin_;
  const char* root_ = begin_;
  // How far the text has been read.
  mutable bool checked_ = false;
  mutable bool plain_ = true;  // as far as texts have been read
  mutable std::size_t depth_ = 0;
  mutable const char* read_ = nullptr;      // the value read last
  mutable const char* read_end_ = nullptr;  // its end
  mutable const char* member_begin_ = nullptr;
  mutable std::deque<std::string> decoded_;  // texts with escapes
  mutable std::array<Repeated, 4> repeated_;
  mutable std::size_t next_repeated_ = 0;
};

inline std::uint64_t Value::integer(std::uint64_t least, std::uint64_t most) const {
  constexpr std::ptrdiff_t most_digits = 18;  // never more than 63 bits
  const char* at = at_;
  std::uint64_t value = 0;
  while (static_cast<unsigned char>(*at - '0') <= 9)
    value = value * 10 + static_cast<unsigned char>(*at++ - '0');
  const std::ptrdiff_t digits = at - at_;
  const bool plain = digits >= 1 && digits <= most_digits && (*at_ != '0' || digits == 1) && *at != '.' &&
                     *at != 'e' && *at != 'E';
  if (!plain || value < least || value > most) [[unlikely]]
    return static_cast<std::uint64_t>(
        signed_integer(static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)));
  json_->done(at_, at);
  return value;
}

template <class Visit>
void Value::each(Visit visit) const {
  expect_array();
  const char* at = json_->open(at_);
  if (*at != ']') {
    do visit(Value(*json_, at));
    while (json_->next(at, ']'));
  }
  json_->close(at_, at + 1);
}

template <class Expected, class Visit>
void Value::members(Expected expected, Visit visit) const {
  expect_object();
  const char* at = json_->open(at_);
  if (*at != '}') {
    do {
      const std::string_view likely = expected();
      const std::string_view key = !likely.empty() && json_->key_is(at, likely) ? likely : json_->key(at);
      visit(key, Value(*json_, at));
    } while (json_->next(at, '}'));
  }
  json_->close(at_, at + 1);
}

}  // namespace wormcast::io
