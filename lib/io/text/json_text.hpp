// One JSON text, read on demand: a Value is a place in the text, which is parsed when it is asked for.
//
// Records are read once, from the first byte to the last, so no tree is built. What is read is checked as it
// is read, what is skipped as it is skipped, and the end of the text with the end of its outermost value. So
// a text whose root has been read is checked as strictly as one that was parsed beforehand. Texts with
// escapes or bytes beyond ASCII are checked as soon as the first of these is met. Wherever anything is wrong,
// nlohmann/json parses the whole text again and says where: it alone refuses, and what the text says never
// goes before what is wrong with the text. Refused whatever the record: NUL bytes, a byte order mark, invalid
// UTF-8, nesting deeper than max_json_depth. cite: Keiser, Lemire: On-demand JSON: a better way to parse
// documents? (the idea; no code is shared)
// SPDX-License-Identifier: MIT
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "io/text/written_text.hpp"
#include "topology/ids.hpp"

namespace wormcast::io {

inline constexpr std::size_t max_json_depth = 64;
/// How the refusal of a text that ends too early goes on.
inline constexpr std::string_view json_ends = "the text ends behind";
using wormcast::max_integer;

enum class JsonType : std::uint8_t { null, boolean, integer, fraction, string, array, object };

class JsonText;

/// A value of a text; valid until that reads the next one. Every reader throws InputError where the value is
/// of another type or out of range, with the value's place as its field.
class Value {
 public:
  Value(JsonText& json, const char* at) : json_(&json), at_(at) {}

  JsonType type() const;
  /// An integer in [least, most].
  std::uint64_t integer(std::uint64_t least, std::uint64_t most = max_integer) const;
  std::int64_t signed_integer(std::int64_t least, std::int64_t most) const;
  /// The string's decoded text.
  std::string_view text() const;
  bool boolean() const;
  void expect_array() const {
    if (*at_ != '[') fail_for_type("an array");
  }
  void expect_object() const {
    if (*at_ != '{') fail_for_type("an object");
  }
  /// Throws InputError with this value's place as its field.
  [[noreturn]] void fail(const std::string& message) const;
  /// What the value looks like, shortened, for messages.
  std::string shown() const;
  /// "worms[0].stops[2]"
  std::string place() const;
  /// The value's own text.
  std::string_view raw() const;
  /// Calls visit(element) for each element of an array.
  template <class Visit>
  void each(Visit visit) const;
  /// Calls visit(key, value) for each member of an object.
  template <class Visit>
  void members(Visit visit) const;
  /// Reads an array by read(WrittenText&); false, and nothing is read, where that does not take it whole.
  template <class Read>
  bool written_array(Read read) const;

  JsonText& json() const { return *json_; }

 private:
  friend class JsonText;

  [[noreturn]] void fail_for_type(const char* wanted) const;
  std::int64_t rare_integer(std::int64_t least, std::int64_t most) const;

  JsonText* json_;
  const char* at_;
};

class JsonText {
 public:
  JsonText() = default;
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  /// Takes a copy of `text` and checks all of it; throws InputError with an empty field.
  void parse(std::string_view text);
  /// Takes the text itself, which must outlive the use of its values; readable_behind says what stands behind
  /// it. It is checked as it is read: by the time the root has been read, or by check_rest().
  void read(std::string_view text) { begin(text); }
  /// Throws InputError where the text is no JSON, as parse() does.
  void check();
  /// The same, but what has been read is known to be right.
  void check_rest() {
    if (!checked_) finish(end_of(root_));
  }

  Value root() { return {*this, root_}; }
  /// The first member of the root, or nothing where that is no object or has none.
  std::optional<std::pair<std::string_view, Value>> first_member();
  /// The text.
  std::string_view raw() const { return {begin_, static_cast<std::size_t>(end_ - begin_)}; }
  /// Where a member has been found, before its value is read: where its text begins.
  const char* member_begin() const { return member_begin_; }
  /// The whole text has been read, as it is written, without the help of values.
  void read_whole() { checked_ = true; }
  /// What a codec of records keeps from one to the next, for itself: one T, whatever was kept before.
  template <class T>
  T& kept() {
    T* const known = std::any_cast<T>(&kept_);
    return known != nullptr ? *known : kept_.emplace<T>();
  }

 private:
  friend class Value;

  struct Number {
    bool integer = false;
    std::int64_t value = 0;  ///< of an integer
    const char* end = nullptr;
  };

  void begin(std::string_view text);
  [[noreturn]] void refuse();
  void meet_rare(const char* at);
  const char* skip_blanks(const char* at) {
    while (*at <= ' ' && at != end_ && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) ++at;
    return at;
  }
  /// The end of the string whose first quote is at `at`: behind its last quote.
  const char* end_of_string(const char* at) {
    while (true) {
      ++at;
      while (*at >= '#' && *at <= '~' && *at != '\\') ++at;
      if (*at == '"') return at + 1;
      if (*at == ' ' || *at == '!') continue;
      meet_rare(at);
      if (*at == '\\') ++at;  // what it escapes is no quote
    }
  }
  const char* end_of_word(const char* at, std::string_view word);
  const char* end_of(const char* at);
  Number number(const char* at);
  std::string_view string(const char* at, const char* end);
  std::string place_of(const char* at);

  /// Where the elements begin; behind the first bracket and blanks.
  const char* open(const char* at) {
    if (++depth_ > max_json_depth) refuse();
    return skip_blanks(at + 1);
  }
  /// The key at `at`, which then is where the member's value begins.
  std::string_view key(const char*& at) {
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
  /// Goes from a value behind the comma that follows it. False where `close` stands there: the end.
  bool next(const char*& at, char close) {
    at = skip_blanks(read_ == at ? read_end_ : object_ == at ? object_end_ : end_of(at));
    if (*at == ',') {
      at = skip_blanks(at + 1);
      return true;
    }
    if (*at != close) refuse();
    return false;
  }
  /// The value at `at` has been read up to `end`, with what is opened in it.
  void close(const char* at, const char* end) {
    --depth_;
    done(at, end);
    if (at == root_) finish(end);
  }
  void done(const char* at, const char* end) {
    read_ = at;
    read_end_ = end;
  }
  void finish(const char* end) {
    if (skip_blanks(end) != end_) refuse();
    checked_ = true;
  }

  std::string copy_;  // of parse()
  const char* begin_ = "";
  const char* end_ = begin_;
  const char* root_ = begin_;
  // How far the text has been read.
  bool checked_ = false;
  bool plain_ = true;  // as far as texts have been read
  std::size_t depth_ = 0;
  const char* read_ = nullptr;      // the value read last
  const char* read_end_ = nullptr;  // its end
  const char* object_ = nullptr;    // the object read last: parts of it may be read again after it
  const char* object_end_ = nullptr;
  const char* member_begin_ = nullptr;
  std::deque<std::string> decoded_;  // texts with escapes
  std::any kept_;
};

inline void JsonText::begin(std::string_view text) {
  begin_ = text.data();
  end_ = begin_ + text.size();
  root_ = skip_blanks(begin_);
  checked_ = false;
  depth_ = 0;
  read_ = nullptr;
  object_ = nullptr;
  if (!decoded_.empty()) decoded_.clear();
  plain_ = true;
}

inline std::uint64_t Value::integer(std::uint64_t least, std::uint64_t most) const {
  const Digits number = plain_integer(at_);
  if (number.end == nullptr || number.value < least || number.value > most) [[unlikely]]
    return static_cast<std::uint64_t>(
        rare_integer(static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)));
  json_->done(at_, number.end);
  return number.value;
}

inline std::int64_t Value::signed_integer(std::int64_t least, std::int64_t most) const {
  const bool negative = *at_ == '-';
  const Digits number = plain_integer(negative ? at_ + 1 : at_);
  if (number.end == nullptr || (negative && number.value == 0)) [[unlikely]]
    return rare_integer(least, most);
  const auto size = static_cast<std::int64_t>(number.value);
  const std::int64_t value = negative ? -size : size;
  if (value < least || value > most) [[unlikely]]
    return rare_integer(least, most);
  json_->done(at_, number.end);
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

template <class Read>
bool Value::written_array(Read read) const {
  WrittenText text({at_, static_cast<std::size_t>(json_->end_ - at_)});
  if (!read(text)) return false;
  json_->open(at_);
  json_->close(at_, text.place());
  return true;
}

template <class Visit>
void Value::members(Visit visit) const {
  expect_object();
  const char* at = json_->open(at_);
  if (*at != '}') {
    do {
      const std::string_view key = json_->key(at);
      visit(key, Value(*json_, at));
    } while (json_->next(at, '}'));
  }
  json_->close(at_, at + 1);
  json_->object_ = at_;
  json_->object_end_ = at + 1;
}

// Strict reading of an object's members: every known key at most once, required ones present,
// nothing unknown; x_ keys of a record are kept as they stand. One loop for all lists of members.

struct Member {
  std::string_view key;
  bool required = true;
  bool deferred = false;  ///< visited when all others have been
};

/// Throws on a decimal that is not what others say it must be (`expected`, as it would be written; "" = none
/// can be there). It may be spelled in any way: other programs may write 34.000 as 34.0.
void check_derived(const Value& value, const std::string& expected);

/// Calls visit(index into members, value) for each member of an object: in the object's order, then for those
/// that are deferred. Returns its x_ members, each with a comma before it, where they are carried.
std::string visit_members(const Value& object, std::span<const Member> members, bool carries_extras,
                          const std::function<void(int, const Value&)>& visit);

}  // namespace wormcast::io
