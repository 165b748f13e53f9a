// One token after the other.
// SPDX-License-Identifier: MIT
#include "io/import/dot/dot_lexer.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "io/import/text.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

bool is_letter(unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80; }

}  // namespace

std::string DotToken::shown() const { return kind == Kind::end ? "the end" : wormcast::in_quotes(text); }

DotLexer::DotLexer(const ImportFile& file) : file_(file) { now_ = read(); }

DotToken DotLexer::take() {
  DotToken taken = std::exchange(now_, DotToken());
  now_ = read();
  return taken;
}

bool DotLexer::take_sign(std::string_view sign) {
  if (!now_.is_sign(sign)) return false;
  take();
  return true;
}

bool DotLexer::is_word(std::string_view word) const {
  return now_.kind == DotToken::Kind::id && !now_.in_quotes &&
         std::equal(word.begin(), word.end(), now_.text.begin(), now_.text.end(), [](char a, char b) {
           return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
         });
}

bool DotLexer::take_word(std::string_view word) {
  if (!is_word(word)) return false;
  take();
  return true;
}

void DotLexer::fail(const std::string& message) const { fail_import(file_, now_.line, "", message); }

/// Blanks, // and # to the end of the line, and /* to */.
void DotLexer::skip_blanks() {
  const std::string_view text = file_.text;
  const auto go_to = [&](std::size_t end) {
    line_ += static_cast<std::uint64_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at_),
                                                   text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  };
  while (at_ < text.size()) {
    const std::string_view rest = text.substr(at_, 2);
    const bool begins_line = at_ == 0 || text[at_ - 1] == '\n';
    if (std::isspace(static_cast<unsigned char>(rest[0])) != 0) {
      go_to(at_ + 1);
    } else if (rest == "//" || (rest[0] == '#' && begins_line)) {
      go_to(std::min(text.find('\n', at_), text.size()));
    } else if (rest == "/*") {
      const std::size_t end = text.find("*/", at_ + 2);
      if (end == std::string_view::npos) fail_import(file_, line_, "", "a comment does not end");
      go_to(end + 2);
    } else {
      return;
    }
  }
}

/// The text after an opening quote, up to the closing one; a backslash before a line's end joins the lines.
std::string DotLexer::quoted_text() {
  const std::string_view text = file_.text;
  const std::uint64_t opened = line_;
  std::string result;
  for (++at_; at_ < text.size() && text[at_] != '"'; ++at_) {
    if (text[at_] == '\n') ++line_;
    if (text[at_] == '\\' && at_ + 1 < text.size()) {
      const char next = text[at_ + 1];
      if (next == '\n') ++line_;
      if (next != '"' && next != '\n') result += '\\';
      if (next != '\n') result += next;
      ++at_;
    } else {
      result += text[at_];
    }
  }
  if (at_ == text.size()) fail_import(file_, opened, "", "a text in quotes does not end");
  ++at_;
  return result;
}

/// From < to the > that closes it.
std::string DotLexer::html_text() {
  const std::string_view text = file_.text;
  const std::uint64_t opened = line_;
  const std::size_t begin = at_;
  for (std::size_t depth = 0; at_ < text.size(); ++at_) {
    if (text[at_] == '\n') ++line_;
    if (text[at_] == '<') ++depth;
    if (text[at_] == '>' && --depth == 0) return std::string(text.substr(begin, ++at_ - begin));
  }
  fail_import(file_, opened, "", "an HTML text does not end");
}

DotToken DotLexer::read() {
  const std::string_view text = file_.text;
  skip_blanks();
  DotToken token;
  token.line = line_;
  if (at_ >= text.size()) return token;
  const auto c = static_cast<unsigned char>(text[at_]);
  const auto after = [&](std::size_t i) {
    return at_ + i < text.size() ? static_cast<unsigned char>(text[at_ + i]) : static_cast<unsigned char>(0);
  };
  token.kind = DotToken::Kind::id;
  if (c == '"') {
    token.in_quotes = true;
    token.text = quoted_text();
    skip_blanks();
    while (at_ < text.size() && text[at_] == '+') {
      ++at_;
      skip_blanks();
      if (at_ >= text.size() || text[at_] != '"')
        fail_import(file_, line_, "", "a text in quotes is missing after +");
      token.text += quoted_text();
      skip_blanks();
    }
    return token;
  }
  if (c == '<') {
    token.html = token.in_quotes = true;
    token.text = html_text();
    return token;
  }
  const std::size_t begin = at_;
  const bool digits =
      std::isdigit(c) != 0 || c == '.' || (c == '-' && (std::isdigit(after(1)) != 0 || after(1) == '.'));
  if (digits) {
    ++at_;
    while (std::isdigit(after(0)) != 0 || after(0) == '.') ++at_;
    if (is_letter(after(0)))
      fail_import(file_, line_, "",
                  in_quotes(text.substr(begin, at_ + 1 - begin)) + " is neither a number nor a name");
  } else if (is_letter(c)) {
    while (is_letter(after(0))) ++at_;
  } else {
    token.kind = DotToken::Kind::sign;
    const bool edge = c == '-' && (after(1) == '-' || after(1) == '>');
    at_ += edge ? 2 : 1;
    if (!edge && std::string_view("{}[]=,;:").find(text[begin]) == std::string_view::npos)
      fail_import(file_, line_, "", in_quotes(text.substr(begin, 1)) + " has no place here");
  }
  token.text = text.substr(begin, at_ - begin);
  return token;
}

}  // namespace wormcast::io
