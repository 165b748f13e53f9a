// Expectations of a report.
// SPDX-License-Identifier: MIT
#include "report/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/named_values.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

/// Words between spaces; double quotes keep spaces inside a word.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  bool any = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
      any = true;
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\r')) {
      if (any) words.push_back(std::move(word));
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (quoted) refuse("", "a quotation mark is not closed");
  if (any) words.push_back(std::move(word));
  return words;
}

DecimalNumber number_of(const std::string& word) {
  constexpr std::size_t most_digits = 18;
  const std::optional<NumberText> text = number_text(word);
  if (!text || text->fraction.size() > max_decimals ||
      text->whole.size() + text->fraction.size() > most_digits)
    refuse("", "'{}' is not a number of at most 9 decimals", word);
  DecimalNumber number{0, static_cast<unsigned>(text->fraction.size())};
  for (const std::string_view part : {text->whole, text->fraction})
    for (const char c : part) number.value = number.value * 10 + (c - '0');
  if (text->negative) number.value = -number.value;
  return number;
}

constexpr Comparison comparisons[] = {{"=", false, true, false},
                                      {"<", true, false, false},
                                      {"<=", true, true, false},
                                      {">", false, false, true},
                                      {">=", false, true, true}};

std::optional<Comparison> relation_of(const std::string& word) {
  for (const Comparison& one : comparisons)
    if (one.word == word) return one;
  return std::nullopt;
}

Expectation parse_line(std::string_view line) {
  const std::vector<std::string> words = words_of(line);
  Expectation expectation;
  expectation.text = line;
  std::size_t w = 0;
  for (; w < words.size() && words[w].find('=') != std::string::npos && !relation_of(words[w]); ++w) {
    const std::size_t equals = words[w].find('=');
    expectation.conditions.emplace_back(words[w].substr(0, equals), words[w].substr(equals + 1));
  }
  const std::size_t left = words.size() - w;
  if (left != 4 && left != 6)
    refuse("", "not of the form [parameter=value ...] metric statistic relation number [+- number]");
  expectation.metric = words[w];
  expectation.statistic = find_statistic(words[w + 1], "");
  const std::optional<Comparison> relation = relation_of(words[w + 2]);
  if (!relation) refuse("", "'{}' is none of = < <= > >=", words[w + 2]);
  expectation.relation = *relation;
  expectation.number = number_of(words[w + 3]);
  if (left == 6) {
    if (words[w + 4] != "+-" || expectation.relation.word != "=")
      refuse("", "only '= NUMBER +- NUMBER' has a tolerance");
    expectation.tolerance = number_of(words[w + 5]);
  }
  if (expectation.metric == all_records && expectation.statistic != Statistic::count)
    refuse("", "{} has the statistic count only", all_records);
  return expectation;
}

/// The sign of fraction − (number + tolerance · side).
int compare(const Ratio& fraction, const DecimalNumber& number, const DecimalNumber& tolerance, int side) {
  const unsigned digits = std::max(number.digits, tolerance.digits);
  const Wide bound = number.value * power_of_ten(digits - number.digits) +
                     Wide{side} * tolerance.value * power_of_ten(digits - tolerance.digits);
  const Wide left = fraction.numerator * power_of_ten(digits);
  const Wide right = bound * fraction.denominator;
  return left < right ? -1 : left > right ? 1 : 0;
}

bool holds(const Expectation& e, const Ratio& value) {
  if (compare(value, e.number, e.tolerance, -1) < 0) return e.relation.below;
  return compare(value, e.number, e.tolerance, 1) > 0 ? e.relation.above : e.relation.same;
}

std::string shown_key(const Group& group, const std::vector<std::string>& by) {
  std::string text;
  for (std::size_t i = 0; i < by.size(); ++i)
    if (!group.key[i].empty()) text += (text.empty() ? "" : ", ") + by[i] + " " + group.key[i];
  return text;
}

bool matches(const Expectation& e, const Group& group, const std::vector<std::string>& by) {
  return std::all_of(e.conditions.begin(), e.conditions.end(), [&](const auto& condition) {
    return group.key[position_of(by, condition.first)] == condition.second;
  });
}

/// How many records match, of whatever kind.
std::uint64_t matching_records(const Expectation& e, const std::vector<GroupedKind>& kinds,
                               const std::vector<std::string>& by) {
  std::uint64_t records = 0;
  for (const GroupedKind& kind : kinds)
    for (const Group& group : kind.groups)
      if (matches(e, group, by)) records += group.records;
  return records;
}

}  // namespace

std::vector<Expectation> parse_expectations(std::string_view text, std::string_view file) {
  std::vector<Expectation> all;
  std::uint64_t number = 0;
  for (std::string_view line : parts_of(text, '\n')) {
    ++number;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || line[first] == '#') continue;
    try {
      all.push_back(parse_line(line.substr(first)));
    } catch (InputError& error) {
      error.place = fmt::format("{}: line {}", file, number);
      throw;
    }
    all.back().line = number;
  }
  return all;
}

std::optional<std::string> missed_expectation(const Expectation& e, const std::vector<GroupedKind>& kinds,
                                              const std::vector<std::string>& by) {
  constexpr unsigned shown_digits = 6;
  const std::string missed = fmt::format("line {}: missed: {}", e.line, e.text);
  if (e.metric == all_records) {
    const std::uint64_t records = matching_records(e, kinds, by);
    if (holds(e, {static_cast<Wide>(records), 1})) return std::nullopt;
    return fmt::format("{}: it is {}", missed, records);
  }
  const auto with_metric = std::find_if(kinds.begin(), kinds.end(),
                                        [&](const GroupedKind& k) { return k.metric(e.metric).has_value(); });
  if (with_metric == kinds.end()) return missed + ": no record has this metric";
  const GroupedKind& kind = *with_metric;
  const std::size_t metric = *kind.metric(e.metric);
  bool any = false;
  for (const Group& group : kind.groups) {
    if (!matches(e, group, by)) continue;
    any = true;
    const Accumulator& sample = kind.sample(group, metric);
    const std::optional<Ratio> value = exact_statistic(sample, e.statistic, kind.digits[metric]);
    // A run that delivered nothing has no latency: what is expected of it does not hold.
    if (!value) return fmt::format("{}: there is none at {}", missed, shown_key(group, by));
    if (!holds(e, *value))
      return fmt::format("{}: it is {} at {}", missed,
                         statistic_text(sample, e.statistic, kind.digits[metric], shown_digits),
                         shown_key(group, by));
  }
  if (!any) return missed + ": no such group of records";
  return std::nullopt;
}

}  // namespace wormcast
