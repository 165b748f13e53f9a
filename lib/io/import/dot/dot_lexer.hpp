// The tokens of Graphviz's DOT language: names, quoted texts and signs, without comments.
// cite: the DOT language, graphviz.org/doc/info/lang.html.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/import/format.hpp"

namespace wormcast::io {

struct DotToken {
  enum class Kind : std::uint8_t { id, sign, end };

  Kind kind = Kind::end;
  std::string text;        ///< a quoted text without its quotes, and \" as "
  bool in_quotes = false;  ///< then it is no keyword
  bool html = false;       ///< a text between < and >, with them
  std::uint64_t line = 1;

  bool is_sign(std::string_view sign) const { return kind == Kind::sign && text == sign; }
  /// For messages.
  std::string shown() const;
};

class DotLexer {
 public:
  /// Reads the first token; throws InputError, as does every take.
  explicit DotLexer(const ImportFile& file);

  DotToken& now() { return now_; }
  const DotToken& now() const { return now_; }
  /// Gives the token out and goes on to the next.
  DotToken take();
  /// Goes on where the token is that sign.
  bool take_sign(std::string_view sign);
  /// The token is that keyword, in whatever case.
  bool is_word(std::string_view word) const;
  bool take_word(std::string_view word);
  /// Throws InputError with the token's line.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  DotToken read();
  void skip_blanks();
  std::string quoted_text();
  std::string html_text();

  const ImportFile& file_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
  DotToken now_;
};

}  // namespace wormcast::io
