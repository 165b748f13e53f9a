// One pass over the bytes of a JSON text that has nothing rare in it.
//
// Plain is: printable ASCII strings without escapes, integers of up to 18 digits, true, false, null,
// blanks, and the depth that records may have. Everything else — a fraction, an escape, UTF-8, any
// error — ends the pass, and the full parser starts again from the beginning. So this parser need
// only be right about what it accepts: the full one alone decides what is refused and with which words.
// Cost: a few instructions a byte.
// SPDX-License-Identifier: MIT
#include "io/text/plain_json.hpp"

#include <array>
#include <cstring>

namespace wormcast::io {
namespace {

constexpr int most_digits = 18;  // never more than 63 bits

class PlainParser {
 public:
  PlainParser(std::string_view text, std::vector<Token>& tokens)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), tokens_(tokens) {}

  bool run() {
    if (!value()) return false;
    while (depth_ > 0) {
      skip_blanks();
      if (at_ == end_) return false;
      const bool object = in_object_[depth_ - 1];
      const char c = *at_++;
      if (c == (object ? '}' : ']')) {
        tokens_[open_[--depth_]].next = static_cast<std::uint32_t>(tokens_.size());
      } else if (c != ',' || !(object ? member() : value())) {
        return false;
      }
    }
    skip_blanks();
    return at_ == end_;
  }

 private:
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
  }

  void push(JsonType type, std::int64_t payload) {
    tokens_.push_back({type, static_cast<std::uint32_t>(tokens_.size() + 1), payload});
  }

  /// A value; of one that opens something with its first element, and the rest is for run().
  bool value() {
    skip_blanks();
    if (at_ == end_) return false;
    switch (*at_) {
      case '{':
        return open(JsonType::object, '}');
      case '[':
        return open(JsonType::array, ']');
      case '"':
        return text(JsonType::string);
      case 't':
        return word("true", JsonType::boolean, 1);
      case 'f':
        return word("false", JsonType::boolean, 0);
      case 'n':
        return word("null", JsonType::null, 0);
      default:
        return integer();
    }
  }

  bool open(JsonType type, char close) {
    if (depth_ == max_json_depth) return false;
    const bool object = type == JsonType::object;
    open_[depth_] = static_cast<std::uint32_t>(tokens_.size());
    in_object_[depth_++] = object;
    push(type, 0);
    ++at_;
    skip_blanks();
    if (at_ != end_ && *at_ == close) return true;
    return object ? member() : value();
  }

  bool member() {
    skip_blanks();
    if (at_ == end_ || *at_ != '"' || !text(JsonType::key)) return false;
    skip_blanks();
    if (at_ == end_ || *at_ != ':') return false;
    ++at_;
    return value();
  }

  bool text(JsonType type) {
    const char* const first = ++at_;
    while (at_ != end_ && *at_ != '"') {
      if (*at_ < ' ' || *at_ > '~' || *at_ == '\\') return false;
      ++at_;
    }
    if (at_ == end_) return false;
    push(type, static_cast<std::int64_t>(static_cast<std::uint64_t>(first - begin_) << 32 |
                                         static_cast<std::uint64_t>(at_ - first)));
    ++at_;
    return true;
  }

  bool word(std::string_view letters, JsonType type, std::int64_t payload) {
    if (static_cast<std::size_t>(end_ - at_) < letters.size() ||
        std::memcmp(at_, letters.data(), letters.size()) != 0)
      return false;
    at_ += letters.size();
    push(type, payload);
    return true;
  }

  bool integer() {
    const bool negative = *at_ == '-';
    if (negative) ++at_;
    const char* const first = at_;
    std::int64_t magnitude = 0;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') {
      if (at_ - first == most_digits) return false;
      magnitude = magnitude * 10 + (*at_++ - '0');
    }
    if (at_ == first || (*first == '0' && at_ - first > 1)) return false;
    if (at_ != end_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E')) return false;
    push(JsonType::integer, negative ? -magnitude : magnitude);
    return true;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  std::vector<Token>& tokens_;
  std::size_t depth_ = 0;
  std::array<std::uint32_t, max_json_depth> open_{};
  std::array<bool, max_json_depth> in_object_{};
};

}  // namespace

bool parse_plain_json(std::string_view text, std::vector<Token>& tokens) {
  return PlainParser(text, tokens).run();
}

}  // namespace wormcast::io
