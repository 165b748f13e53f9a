// Names that look alike.
// SPDX-License-Identifier: MIT
#include "topology/suggestion.hpp"

#include <numeric>

namespace wormcast {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

namespace {

/// The name as people remember it: without capitals, hyphens and underscores.
std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (c >= 'A' && c <= 'Z')
      text += static_cast<char>(c - 'A' + 'a');
    else if (c != '-' && c != '_')
      text += c;
  return text;
}

/// Whether `word` is one of the words that hyphens or underscores separate.
bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const auto ends = [&](std::size_t i) { return i >= name.size() || name[i] == '-' || name[i] == '_'; };
    if ((at == 0 || ends(at - 1)) && ends(at + word.size())) return true;
  }
  return false;
}

/// The one candidate with the fewest edits from a folded name, if they are few.
std::string_view nearest_name(std::string_view name, const std::vector<std::string_view>& known) {
  std::string_view nearest;
  std::size_t least = std::min<std::size_t>(3, name.size() / 2 + 1);
  for (std::string_view candidate : known) {
    // Names far apart in length are not near, and a hostile name may be long.
    if (candidate.size() + 3 < name.size()) continue;
    const std::size_t edits = edit_distance(name, folded(candidate));
    if (edits < least) {
      least = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

/// What may have been meant: the same name in another spelling, else names that begin so, else names of which
/// it is a word, else the one with the fewest edits.
std::vector<std::string_view> near_names(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr std::size_t most = 2;
  const std::string wanted = folded(name.substr(0, 100));
  if (wanted.size() < 2) return {};
  std::vector<std::string_view> same;
  std::vector<std::string_view> longer;
  std::vector<std::string_view> containing;
  for (const std::string_view candidate : known) {
    const std::string shown = folded(candidate);
    if (shown == wanted) same.push_back(candidate);
    if (shown.starts_with(wanted)) longer.push_back(candidate);
    if (wanted.size() > 2 && has_word(candidate, wanted)) containing.push_back(candidate);
  }
  for (std::vector<std::string_view>* found : {&same, &longer, &containing}) {
    if (found->empty()) continue;
    found->resize(std::min(found->size(), most));
    return *found;
  }
  const std::string_view nearest = nearest_name(wanted, known);
  return nearest.empty() ? std::vector<std::string_view>{} : std::vector{nearest};
}

}  // namespace

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known) {
  const std::vector<std::string_view> near = near_names(name, known);
  std::string text;
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (i > 0) text += i + 1 < near.size() ? ", " : " or ";
    text += "'" + std::string(near[i]) + "'";
  }
  return text.empty() ? text : "did you mean " + text + "?";
}

std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 const std::vector<std::string_view>& known, std::string_view lister) {
  constexpr std::size_t short_list = 100, long_list = 500;
  std::string message = "unknown " + std::string(kind) + " '" + std::string(name.substr(0, 100)) + "'";
  const std::string question = did_you_mean(name, known);
  if (!question.empty()) message += "; " + question;
  std::string names;
  std::size_t shown = 0;
  for (; shown < known.size() && names.size() < long_list; ++shown) names += " " + std::string(known[shown]);
  if (shown < known.size()) names += " and " + std::to_string(known.size() - shown) + " more";
  if (names.size() > short_list && !lister.empty())
    return message + " (" + std::string(lister) + " names all)";
  if (names.size() > short_list && !question.empty()) return message;
  return message + " (known:" + names + ")";
}

}  // namespace wormcast
