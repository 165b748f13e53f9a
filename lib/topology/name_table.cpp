// Names of parts of a network; numbers and names, told apart; names that look alike.
// SPDX-License-Identifier: MIT
#include "topology/name_table.hpp"

#include <numeric>

#include "topology/error.hpp"

namespace wormcast {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string name_or_number(const std::vector<std::string>& names, std::uint32_t index) {
  return index < names.size() && !names[index].empty() ? names[index] : std::to_string(index);
}

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

/// Insertions, deletions and substitutions between two short names.
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

std::string called(const Topology& topology, NodeId router) {
  return name_or_number(topology.spec().graph.names, router.value);
}

std::string called(const Topology& topology, HostId host) {
  return name_or_number(topology.spec().graph.host_names, host.value);
}

std::string called(const Topology& topology, ChannelId channel) {
  const auto ends = topology.ends(channel);
  if (!ends) return std::to_string(channel.value);
  std::string from = called(topology, ends->from);
  std::string to = called(topology, ends->to);
  const std::vector<GraphLink>& links = topology.spec().graph.links;
  if (const std::size_t link = channel.value / 2; link < links.size() && links[link].ports) {
    from += " port " + std::to_string((*links[link].ports)[channel.value % 2]);
    to += " port " + std::to_string((*links[link].ports)[1 - channel.value % 2]);
  }
  return from + "→" + to;
}

bool has_names(const Topology& topology) {
  const GraphSpec& graph = topology.spec().graph;
  return !graph.names.empty() || (!graph.links.empty() && graph.links.front().ports);
}

void NameTable::add(std::string_view name, std::uint32_t index) {
  const auto [known, fresh] = by_name_.try_emplace(name, Found{Answer::found, index, name});
  if (!fresh && known->second.index != index) known->second.answer = Answer::several;
  if (is_number(name)) by_number_.emplace(index, name);
}

NameTable::Found NameTable::named(std::string_view name) const {
  const auto known = by_name_.find(name);
  return known == by_name_.end() ? Found{} : known->second;
}

std::optional<std::uint32_t> NameTable::numbered(std::string_view text) const {
  const auto value = whole_number(text);
  return value && *value < count_ ? value : std::nullopt;
}

NameTable::Found NameTable::find(std::string_view text) const {
  constexpr std::string_view as_number = "number:";
  constexpr std::string_view as_name = "name:";
  const Found name = named(text);
  const auto number = numbered(text);
  if (name.answer != Answer::unknown) {
    if (number && (name.answer == Answer::several || name.index != *number))
      return {Answer::number_and_name, name.index};
    return name;
  }
  if (number) {
    const auto called = by_number_.find(*number);
    if (called == by_number_.end()) return {Answer::found, *number};
    return {Answer::other_number, *number, called->second};
  }
  if (text.starts_with(as_name)) return named(text.substr(as_name.size()));
  if (!text.starts_with(as_number)) return {};
  const auto said = numbered(text.substr(as_number.size()));
  return said ? Found{Answer::found, *said} : Found{};
}

std::string NameTable::refusal(const Found& found, std::string_view text, const std::string& thing,
                               const std::string& network) {
  const std::string given(text.substr(0, 100));
  switch (found.answer) {
    case Answer::several:
      return "'" + given + "' names several " + thing + "s of " + network;
    case Answer::number_and_name:
      return "'" + given + "' is a " + thing + "'s number, and the name of " + thing + " " +
             std::to_string(found.index) + "; write number:" + given + " or name:" + given;
    case Answer::other_number:
      return "'" + given + "' is the number of the " + thing + " called '" + std::string(found.name) +
             "'; write number:" + given + " or name:" + std::string(found.name);
    case Answer::found:
    case Answer::unknown:
      break;
  }
  return "'" + given + "' names no " + thing + " of " + network;
}

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

std::size_t place_of_name(const std::string& field, std::string_view kind, std::string_view name,
                          std::span<const std::string_view> known) {
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end())
    throw InputError(field, unknown_name_message(kind, name, {known.begin(), known.end()}));
  return static_cast<std::size_t>(found - known.begin());
}

}  // namespace wormcast
