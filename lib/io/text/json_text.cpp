// What is rare in reading JSON on demand: numbers that are no plain integers, texts with escapes, values that
// are passed over, places and refusals.
// SPDX-License-Identifier: MIT
#include "io/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

/// Text for an error line: printable ASCII, shortened.
std::string printable(std::string_view text, std::size_t most) {
  std::string result;
  for (char c : text.substr(0, most)) result += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > most ? result + "..." : result;
}

/// What is wrong at this byte, counted from 1, in our words: those of nlohmann/json differ between its
/// versions.
std::string_view what_is_wrong(std::string_view text, std::size_t position) {
  bool in_string = false;
  for (std::size_t at = 0; at < std::min(position - 1, text.size()); ++at) {
    if (text[at] == '"') in_string = !in_string;
    if (in_string && text[at] == '\\') ++at;
  }
  if (position > text.size()) return in_string ? "the text ends in the string at the end of" : json_ends;
  if (!in_string) return "wrong at the end of";
  if (static_cast<unsigned char>(text[position - 1]) < ' ')
    return "a control character in a string at the end of";
  const auto beyond_ascii = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  const bool broken = beyond_ascii(text[position - 1]) || beyond_ascii(text[position - 2]);
  return broken ? "a string that is not UTF-8 at the end of" : "wrong at the end of";
}

/// Takes everything, and refuses what is no JSON; the member names are nlohmann's.
class StrictCheck : public nlohmann::detail::json_sax_acceptor<nlohmann::json> {
 public:
  explicit StrictCheck(std::string_view text) : text_(text) {}

  bool start_object(std::size_t) { return open(); }
  bool start_array(std::size_t) { return open(); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    constexpr std::size_t most = 24;
    constexpr int number_overflow = 406;
    const std::string_view read = text_.substr(0, position);
    const std::string_view what = error.id == number_overflow ? "a number that is too large at the end of"
                                                              : what_is_wrong(text_, position);
    refuse("", "not valid JSON at byte {}: {} '{}{}'", position, what, read.size() > most ? "..." : "",
           printable(read.substr(read.size() - std::min(most, read.size())), most));
  }

 private:
  bool open() {
    if (depth_++ == max_json_depth) refuse("", "nested deeper than {} levels", max_json_depth);
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }

  std::string_view text_;
  std::size_t depth_ = 0;
};

}  // namespace

void JsonText::parse(std::string_view text) {
  copy_.assign(text);
  copy_.append(readable_behind, '\0');
  begin({copy_.data(), text.size()});
  check_rest();
}

void JsonText::check() {
  if (checked_) return;
  const std::string_view text = raw();
  // The library takes a NUL for the end of input and skips a byte order mark.
  if (text.find('\0') != std::string_view::npos) throw InputError("", "a NUL byte in the record");
  if (text.starts_with("\xef\xbb\xbf")) throw InputError("", "a byte order mark before the record");
  StrictCheck strict(text);
  nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &strict);
  checked_ = true;
}

/// What is read is no JSON; or the two ways to read it do not agree, which would be a fault of this file.
void JsonText::refuse() {
  checked_ = false;
  check();
  throw std::logic_error("JSON that is and is not valid: " + printable(raw(), 200));
}

std::optional<std::pair<std::string_view, Value>> JsonText::first_member() {
  const char* at = root_;
  if (*at != '{') return std::nullopt;
  at = skip_blanks(at + 1);
  if (*at == '}') return std::nullopt;
  const std::string_view name = key(at);
  return std::pair(name, Value(*this, at));
}

/// A character that is rare in texts stands at `at`.
void JsonText::meet_rare(const char* at) {
  if (static_cast<unsigned char>(*at) < ' ') refuse();
  check();  // escapes and UTF-8
  plain_ = false;
}

const char* JsonText::end_of_word(const char* at, std::string_view word) {
  if (static_cast<std::size_t>(end_ - at) < word.size() || std::memcmp(at, word.data(), word.size()) != 0)
    refuse();
  return at + word.size();
}

/// The end of the value at `at`, whatever it is.
const char* JsonText::end_of(const char* at) {
  if (*at == '"') return end_of_string(at);
  if (*at == 't' || *at == 'f' || *at == 'n')
    return end_of_word(at, *at == 't' ? "true" : *at == 'f' ? "false" : "null");
  if (*at != '{' && *at != '[') return number(at).end;
  const bool object = *at == '{';
  const char close = object ? '}' : ']';
  at = open(at);
  for (bool more = *at != close; more;) {
    if (object) key(at);
    at = skip_blanks(end_of(at));
    more = *at == ',';
    if (more) at = skip_blanks(at + 1);
  }
  if (*at != close) refuse();
  --depth_;
  return at + 1;
}

/// A number. Of one that is no integer of 63 bits only the full parser knows whether it is one, and not too
/// large.
JsonText::Number JsonText::number(const char* at) {
  Number result;
  const char* const digits = at + (*at == '-' ? 1 : 0);
  result.end = std::find_if_not(at, end_, [](char c) {
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
  });
  if (result.end == at) refuse();
  const auto [end, error] = std::from_chars(at, result.end, result.value);
  const bool leading_zero = *digits == '0' && result.end != digits + 1;
  result.integer = error == std::errc() && end == result.end && !leading_zero;
  if (!result.integer) check();
  return result;
}

/// The text of the string between quotes at `at` and before `end`.
std::string_view JsonText::string(const char* at, const char* end) {
  const std::string_view inside(at + 1, static_cast<std::size_t>(end - at - 2));
  if (plain_ || inside.find('\\') == std::string_view::npos) return inside;
  return decoded_.emplace_back(nlohmann::json::parse(at, end).get<std::string>());
}

/// Walks to the value from the root.
std::string JsonText::place_of(const char* wanted) {
  const std::size_t depth = std::exchange(depth_, 0);
  std::string place;
  const char* at = root_;
  while (at != wanted) {
    const bool object = *at == '{';
    std::size_t position = 0;
    std::string_view name;
    at = skip_blanks(at + 1);
    while (true) {
      if (object) name = key(at);
      const char* const end = end_of(at);
      if (wanted < end) break;
      at = skip_blanks(skip_blanks(end) + 1);
      ++position;
    }
    if (object && !place.empty()) place += '.';
    place += object ? printable(name, 60) : '[' + std::to_string(position) + ']';
  }
  depth_ = depth;
  return place;
}

JsonType Value::type() const {
  if (*at_ == '{') return JsonType::object;
  if (*at_ == '[') return JsonType::array;
  if (*at_ == '"') return JsonType::string;
  if (*at_ == 't' || *at_ == 'f') return JsonType::boolean;
  if (*at_ == 'n') return JsonType::null;
  return json_->number(at_).integer ? JsonType::integer : JsonType::fraction;
}

std::int64_t Value::rare_integer(std::int64_t least, std::int64_t most) const {
  if (type() != JsonType::integer) fail(fmt::format("{} is not an integer", shown()));
  const JsonText::Number number = json_->number(at_);
  if (number.value < least || number.value > most)
    fail(fmt::format("{} is not between {} and {}", shown(), least, most));
  json_->done(at_, number.end);
  return number.value;
}

std::string_view Value::text() const {
  if (*at_ != '"') fail(fmt::format("{} is not a string", shown()));
  const char* const end = json_->end_of_string(at_);
  json_->done(at_, end);
  return json_->string(at_, end);
}

bool Value::boolean() const {
  if (type() != JsonType::boolean) fail(fmt::format("{} is not true or false", shown()));
  const bool yes = *at_ == 't';
  json_->done(at_, json_->end_of_word(at_, yes ? "true" : "false"));
  return yes;
}

void Value::fail_for_type(const char* wanted) const { fail(fmt::format("{} is not {}", shown(), wanted)); }

void Value::fail(const std::string& message) const { throw InputError(place(), message); }

std::string Value::place() const { return json_->place_of(at_); }

std::string_view Value::raw() const {
  const char* const end = json_->end_of(at_);
  json_->done(at_, end);
  return {at_, static_cast<std::size_t>(end - at_)};
}

std::string Value::shown() const {
  const JsonType what = type();
  if (what == JsonType::object) return "an object";
  if (what == JsonType::array) return "an array";
  if (what == JsonType::string)
    return '"' + printable(json_->string(at_, json_->end_of_string(at_)), 60) + '"';
  if (what == JsonType::boolean) return *at_ == 't' ? "true" : "false";
  if (what == JsonType::null) return "null";
  const JsonText::Number number = json_->number(at_);
  return number.integer ? std::to_string(number.value)
                        : printable({at_, static_cast<std::size_t>(number.end - at_)}, 40);
}

}  // namespace wormcast::io
