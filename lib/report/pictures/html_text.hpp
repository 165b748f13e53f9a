// Text within HTML, of pages and of Graphviz's labels.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace wormcast {

inline constexpr std::string_view replacement_character = "\xef\xbf\xbd";  ///< U+FFFD

/// Whether neither XML nor Graphviz can hold the character.
inline bool is_control(char c) { return c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r'; }

/// The text with what HTML would take for markup written out, and control characters, which no document may
/// hold, as U+FFFD.
inline std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (is_control(c))
      result += replacement_character;
    else
      result += c;
  }
  return result;
}

}  // namespace wormcast
