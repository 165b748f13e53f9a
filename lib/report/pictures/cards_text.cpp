// What cards say, in Markdown and as a page of HTML.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "multicast/planner.hpp"
#include "report/pictures/cards.hpp"


namespace wormcast {

/// data/package/cards.html, of which CMake makes a source: the page up to its cards, wide enough for a card on
/// a phone, as many beside each other as fit elsewhere; the reader's light or dark.
extern const std::string_view cards_page;

namespace {

constexpr unsigned load_digits = 6;

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r')
      result += "\xef\xbf\xbd";
    else
      result += c;
  }
  return result;
}

std::string load_text(std::int64_t offered) { return decimal(offered, power_of_ten(load_digits), 4); }

std::string mean(const Accumulator& sample) {
  if (sample.count() == 0) return "–";
  const std::string interval = statistic_text(sample, Statistic::interval95, 0, 2);
  const std::string value = statistic_text(sample, Statistic::mean, 0, 2);
  return interval.empty() ? value : value + " ± " + interval;
}

std::string list(const std::set<std::string>& values) {
  return values.empty() ? "–" : fmt::format("{}", fmt::join(values, ", "));
}

/// A verdict: its answer stands out, and its scope, a planner with options, can be broken at each of them.
std::string marked(const std::string& verdicts) {
  std::string result;
  for (const char c : html_text(verdicts)) result += c == ':' ? std::string(":<wbr>") : std::string(1, c);
  const std::size_t end = result.find(" (");
  if (end == std::string::npos) return result;
  const std::string answer = result.substr(0, end);
  return fmt::format("<strong class=\"{0}\">{0}</strong>{1}", answer, result.substr(end));
}

}  // namespace

/// In what the runs of a card differ besides their loads: its figures are over all of them.
std::string Cards::mixed(const Card& card) {
  std::map<std::string, std::set<std::string>> values;
  for (const RunValues& routers : card.routers)
    for (const auto& [name, value] : routers) values[name];
  for (const RunValues& routers : card.routers)
    for (auto& [name, came] : values) {
      const auto value = routers.find(name);
      came.insert(value == routers.end() ? "-" : value->second);
    }
  values["topology"] = card.topologies;
  if (card.topologies.size() == 1) values["network"] = card.networks;
  values["destinations"] = card.destinations.texts();
  values["length_flits"] = card.length_flits.texts();
  std::vector<std::string> texts;
  for (const auto& [name, came] : values)
    if (came.size() > 1) texts.push_back(fmt::format("{} {}", name, fmt::join(came, " and ")));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// The greater load, and out of runs of the same load always the same one.
bool Cards::before(const Load& a, const Load& b) {
  return std::tuple(a.offered, a.p99, a.one.sum(), a.one.count()) <
         std::tuple(b.offered, b.p99, b.one.sum(), b.one.count());
}

/// The runs that kept up at loads below the first that did not.
std::vector<const Cards::Load*> Cards::carried(const Card& card) {
  std::int64_t refused = INT64_MAX;
  for (const Load& load : card.loads)
    if (!load.complete) refused = std::min(refused, load.offered);
  std::vector<const Load*> loads;
  for (const Load& load : card.loads)
    if (load.complete && load.offered < refused) loads.push_back(&load);
  return loads;
}

/// The highest load that every card has carried which carried any; nothing where there is none, and where
/// each card's own highest is the same.
std::optional<std::int64_t> Cards::common_load() const {
  std::set<std::int64_t> common;
  std::set<std::int64_t> highest;
  bool first = true;
  for (const auto& [scheme, card] : cards_) {
    std::set<std::int64_t> own;
    for (const Load* const load : carried(card)) own.insert(load->offered);
    if (own.empty()) continue;
    highest.insert(*own.rbegin());
    if (first) common = own;
    std::erase_if(common, [&](std::int64_t offered) { return !own.contains(offered); });
    first = false;
  }
  if (common.empty() || highest.size() == 1) return std::nullopt;
  return *common.rbegin();
}

/// Its highest load that it carried, or, of several runs of one load, of that; null where it carried none.
const Cards::Load* Cards::run_at(const Card& card, std::optional<std::int64_t> offered) {
  const Load* best = nullptr;
  for (const Load* const load : carried(card))
    if ((!offered || load->offered == *offered) && (best == nullptr || before(*best, *load))) best = load;
  return best;
}

std::string Cards::zero_load(const Card& card) {
  if (card.crowded == 0) return mean(card.alone);
  return fmt::format("{}; {} closed run{} left out, where multicasts met or that did not complete",
                     mean(card.alone), card.crowded, card.crowded == 1 ? "" : "s");
}

std::string Cards::saturation(const Card& card, const Load* best) {
  std::optional<std::int64_t> refused;
  std::size_t fell_behind = 0;
  for (const Load& load : card.loads) {
    if (!load.complete) refused = std::min(refused.value_or(load.offered), load.offered);
    if (load.fell_behind) ++fell_behind;
  }
  std::string text = "–";
  if (best != nullptr && refused) text = load_text(best->offered) + " to " + load_text(*refused);
  if (best != nullptr && !refused) text = "above " + load_text(best->offered);
  if (best == nullptr && refused) text = "below " + load_text(*refused);
  if (fell_behind > 0)
    text += fmt::format("; in {} complete run{} over 10 % of the flits due came after the window",
                        fell_behind, fell_behind == 1 ? "" : "s");
  if (card.early > 0 && !refused)
    text += fmt::format("; {} run{} saturated before anything was measured", card.early,
                        card.early == 1 ? "" : "s");
  if (card.deadlocks > 0)
    text += fmt::format("; deadlock in {} of {} runs under load", card.deadlocks, card.runs);
  return text;
}

std::string Cards::p99(const Load* load) { return load == nullptr ? "–" : std::to_string(load->p99); }

std::string Cards::slowdown(const Load* load) {
  if (load == nullptr || load->one.count() == 0 || load->alone.count() == 0) return "–";
  return decimal(load->one.sum() * static_cast<Wide>(load->alone.count()),
                 load->alone.sum() * static_cast<Wide>(load->one.count()), 2) +
         " times";
}

Cards::Rows Cards::rows(const Card& card, std::optional<std::int64_t> common) {
  const Load* const best = run_at(card, std::nullopt);
  const auto at_best = [&](const std::string& value) {
    return value == "–" ? value : value + " (at " + load_text(best->offered) + ")";
  };
  const Planner* planner = find_planner(card.planner);
  Rows all = {{"traffic (channels)", mean(card.traffic.count() > 0 ? card.traffic : card.delivered_traffic)},
              {"longest path (hops)", mean(card.longest.count() > 0 ? card.longest : card.delivered_longest)},
              {"zero-load latency (cycles)", zero_load(card)},
              {"saturation (flits/node/cycle)", saturation(card, best)},
              {"p99 latency below it (cycles)", at_best(p99(best))},
              {"slowdown of background unicast", at_best(slowdown(best))}};
  if (common) {
    const Load* const load = run_at(card, common);
    const std::string where = " at common load " + load_text(*common);
    all.emplace_back("p99 latency" + where + " (cycles)", p99(load));
    all.emplace_back("slowdown" + where, slowdown(load));
  }
  const Rows rest = {{"header (bits of a worm)", mean(card.header_bits)},
                     {"routers and nodes need",
                      planner == nullptr ? "–"
                                         : std::string(planner->needs) +
                                               (card.reserved ? "; whole paths granted at once" : "")},
                     {"routing function", list(card.routings)},
                     {"virtual channels", list(card.virtual_channels)},
                     {"buffer (flits)", list(card.buffers)},
                     {"consumption channels", list(card.consumption)},
                     {"deadlock", list(card.verdicts)}};
  all.insert(all.end(), rest.begin(), rest.end());
  const std::string differing = mixed(card);
  if (!differing.empty()) all.emplace_back("mixed in this card", differing);
  return all;
}

std::string Cards::text(bool as_html, bool sorted) {
  close_segment();
  complete_reserved();
  complete_unicasts();
  if (sorted)
    std::sort(cards_.begin(), cards_.end(),
              [&](const auto& a, const auto& b) { return natural_before(title(a.first), title(b.first)); });
  return as_html ? html() : markdown();
}

/// The planner with its options, and its routing function where there are cards of several.
std::string Cards::title(const Scheme& scheme) const {
  const auto same = [&](const auto& entry) { return entry.first.label == scheme.label; };
  if (scheme.routing.empty() || std::count_if(cards_.begin(), cards_.end(), same) < 2) return scheme.label;
  return scheme.label + ", " + scheme.routing + " routing";
}

std::string Cards::markdown() const {
  std::string out;
  const std::optional<std::int64_t> common = common_load();
  for (const auto& [scheme, card] : cards_) {
    out += fmt::format("{}### {}\n\n| | |\n|---|---|\n", out.empty() ? "" : "\n", title(scheme));
    for (const auto& [name, value] : rows(card, common)) out += fmt::format("| {} | {} |\n", name, value);
  }
  return out;
}

std::string Cards::html() const {
  std::string out(cards_page);
  const std::optional<std::int64_t> common = common_load();
  for (const auto& [scheme, card] : cards_) {
    out += fmt::format("<section>\n<h2>{}</h2>\n<table>\n", html_text(title(scheme)));
    for (const auto& [name, value] : rows(card, common))
      out += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", html_text(name),
                         name == "deadlock" ? marked(value) : html_text(value));
    out += "</table>\n</section>\n";
  }
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace wormcast
