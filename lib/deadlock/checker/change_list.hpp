// Changes of a list, tried one by one and, where none of them helps, two at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "deadlock/checker/suggest.hpp"

namespace wormcast {

/// A way to change what is checked. A Subject's `said` has the numbers and options that have led to it, and its
/// proved(met_limit) answers where a deadlock is excluded.
template <class Subject>
struct Change {
  const char* name;
  std::vector<Subject> (*made)(const Subject&);  ///< nothing where it does not apply
  bool searches = false;     ///< it checks what it makes, so that of two changes it is made last
  bool last_resort = false;  ///< a network of another kind: two other changes are tried before it
};

/// Each change after which a deadlock is excluded; where there is none but a last resort, each two that do it
/// together. `tell` hears of each, before it is tried and after.
template <class Subject>
std::vector<Suggestion> try_changes(std::span<const Change<Subject>> changes, const Subject& start,
                                    const std::function<void(const SuggestionTrial&)>& tell) {
  using Outcome = SuggestionTrial::Outcome;
  std::vector<Suggestion> result;
  const auto attempt = [&](const std::string& name, const Change<Subject>* first,
                           const Change<Subject>& second) {
    if (tell) tell({name, Outcome::begins});
    bool met_limit = false;
    const std::size_t before = result.size();
    for (const Subject& subject : first != nullptr ? first->made(start) : std::vector<Subject>{start})
      for (Subject& changed : second.made(subject)) {
        const std::optional<Answer> answer = changed.proved(met_limit);
        if (!answer) continue;
        changed.said.change = name;
        changed.said.answer = *answer;
        result.push_back(std::move(changed.said));
      }
    const Outcome otherwise = met_limit && first == nullptr ? Outcome::limit : Outcome::left_out;
    if (tell) tell({name, result.size() > before ? Outcome::suggested : otherwise});
  };
  for (const Change<Subject>& change : changes)
    if (!change.last_resort) attempt(change.name, nullptr, change);
  for (std::size_t i = 0, singles = result.size(); singles == 0 && i < changes.size(); ++i)
    for (std::size_t j = i + 1; j < changes.size(); ++j) {
      const Change<Subject>&one = changes[i], &other = changes[j];
      if (one.last_resort || other.last_resort) continue;
      attempt(std::string(one.name) + "+" + other.name, one.searches ? &other : &one,
              one.searches ? one : other);
    }
  for (const Change<Subject>& change : changes)
    if (change.last_resort) attempt(change.name, nullptr, change);
  return result;
}

}  // namespace wormcast
