// Text within HTML, of pages and of Graphviz's labels.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace wormcast {

/// The text with what HTML would take for markup written out.
inline std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  }
  return result;
}

}  // namespace wormcast
