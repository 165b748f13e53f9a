// What a BookSim2 configuration says beside the network, as options of the other tools.
//
// Rates there are packets a node and cycle unless injection_rate_uses_flits is set, here flits: they are
// multiplied by packet_size. Packets of several sizes (packet_size in lists, packet_size_rate) or classes are
// streams of their own, of which each has its share of the rate. What a configuration leaves out has
// BookSim2's default, where that is a number that has to be said here. The router is preset booksim-iq, which
// allocates virtual channels as BookSim2's does; with one virtual channel and speculative = 1 it is
// booksim-minimal. Delays add to these; a torus has links of two cycles, unless use_noc_latency = 0. cite:
// Jiang et al. 2013 (BookSim 2).
// SPDX-License-Identifier: MIT
#include "io/import/booksim_pipeline.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "io/import/text.hpp"
#include "routing/routing_function.hpp"

namespace wormcast::io {
namespace booksim_words {
namespace {

struct Meaning {
  std::string_view topologies;  ///< BookSim2's, with bars around each
  std::string_view name;
  std::string_view here;
};

// Tori go either way round at a tie by chance, in BookSim2's dim_order as well.
constexpr Meaning routings[] = {
    {"|mesh|", "dor", "dimension-order"},
    {"|mesh|", "dim_order", "dimension-order"},
    {"|mesh|", "xy_yx", "o1turn"},
    {"|mesh|", "romm", "romm"},
    {"|mesh|torus|flatfly|", "valiant", "valiant"},
    {"|mesh|torus|", "min_adapt", "booksim-min-adapt"},
    {"|torus|", "dim_order", "either-way"},
    {"|cmesh|", "dor_no_express", "dimension-order"},
    {"|cmesh|", "xy_yx_no_express", "o1turn"},
    {"|flatfly|", "ran_min", "dimension-order"},
    {"|flatfly|", "xyyx", "o1turn"},
    {"|dragonflynew|", "min", "dragonfly-minimal"},
    {"|fattree|", "nca", "fat-tree-random-up"},
    {"|fly|", "dest_tag", "shortest"},
};

constexpr std::string_view patterns[] = {"uniform", "bitcomp",  "transpose", "bitrev",    "shuffle",
                                         "tornado", "neighbor", "randperm",  "bad_dragon"};

/// What BookSim2 does anyway, and the pipeline too: settings that say so are not left out.
constexpr std::pair<std::string_view, std::string_view> as_usual[] = {
    {"router", "iq"},
    {"vc_allocator", "islip"},
    {"sw_allocator", "islip"},
    {"alloc_iters", "1"},
    {"vc_alloc_delay", "1"},
    {"sw_alloc_delay", "1"},
    {"st_prepare_delay", "0"},
    {"st_final_delay", "1"},
    {"output_delay", "0"},
    {"input_speedup", "1"},
    {"output_speedup", "1"},
    {"internal_speedup", "1"},
    {"internal_speedup", "1.0"},
    {"buffer_policy", "private"},
    {"hold_switch_for_packet", "0"},
    {"noq", "0"},
    {"vc_busy_when_full", "0"},
    {"vc_prioritize_empty", "0"},
    {"vc_shuffle_requests", "0"},
    {"priority", "none"},
    {"injection_process", "bernoulli"},
    {"subnets", "1"},
    {"use_read_write", "0"},
    {"sim_type", "latency"},
    {"sim_count", "1"},
    {"include_queuing", "1"},
};

/// The whole number that a setting says, or the default; nothing where it says something else.
std::optional<std::uint64_t> number(BookSimSettings& settings, std::string_view key, std::uint64_t usual) {
  const auto found = settings.find(key);
  if (found == settings.end()) return usual;
  const auto value = whole_number(found->second.value);
  found->second.read = value.has_value();
  return value;
}

/// `decimal` · `factor` / `divisor` as a decimal, exactly or to nine decimals; nothing for what is none.
std::optional<std::string> times(std::string_view decimal, std::uint64_t factor, std::uint64_t divisor) {
  constexpr std::size_t most_decimals = 9;
  const std::size_t point = std::min(decimal.find('.'), decimal.size());
  std::string digits(decimal.substr(0, point));
  const std::size_t decimals = decimal.size() - std::min(point + 1, decimal.size());
  digits += decimal.substr(decimal.size() - decimals);
  if (digits.empty() || digits.size() > 15 || factor > 9999 || divisor == 0 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  std::uint64_t rest = std::stoull(digits) * factor;
  std::string product = std::to_string(rest / divisor);
  rest %= divisor;
  std::size_t behind = decimals;
  for (; rest != 0 && behind < std::max(decimals, most_decimals); ++behind) {
    product += std::to_string(rest * 10 / divisor);
    rest = rest * 10 % divisor;
  }
  if (2 * rest >= divisor) {  // rounded
    const std::size_t last = std::min(product.find_last_not_of('9'), product.size());
    std::fill(product.begin() + static_cast<std::ptrdiff_t>(last == product.size() ? 0 : last + 1),
              product.end(), '0');
    if (last == product.size())
      product.insert(0, "1");
    else
      ++product[last];
  }
  if (behind == 0) return product;
  if (product.size() <= behind) product.insert(0, behind + 1 - product.size(), '0');
  product.insert(product.size() - behind, ".");
  product.erase(product.find_last_not_of('0') + 1);
  if (product.back() == '.') product.pop_back();
  return product;
}

/// What `text` says of each class: a number, `{1,5}` of each class one, or `{{1,5},{2}}` several.
std::optional<std::vector<std::vector<std::uint64_t>>> by_class(std::string_view text) {
  std::vector<std::vector<std::uint64_t>> classes;
  const bool list = text.starts_with('{') && text.ends_with('}');
  if (list) text = text.substr(1, text.size() - 2);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t first = std::min(text.find_first_not_of(" \t", at), text.size());
    const bool nested = text.substr(first).starts_with('{');
    const std::size_t end = std::min(text.find(',', nested ? text.find('}', first) : first), text.size());
    std::string_view one = trimmed(text.substr(first, end - first));
    if (nested && !one.ends_with('}')) return std::nullopt;
    if (nested) one = one.substr(1, one.size() - 2);
    classes.emplace_back();
    for (const std::string_view word : words_of(one, nested ? ", \t" : "")) {
      const auto value = whole_number(word);
      if (!value || *value > 9999) return std::nullopt;
      classes.back().push_back(*value);
    }
    if (classes.back().empty()) return std::nullopt;
    at = end + 1;
  }
  if (classes.size() > 1 && !list) return std::nullopt;
  return classes;
}

/// The sizes of a class's packets, and of how many in all each is one.
struct Sizes {
  std::vector<std::uint64_t> flits;
  std::vector<std::uint64_t> shares;
};

/// Of each class; nothing where the settings are of another form. As in BookSim2, the last one named is that
/// of the others too.
std::optional<std::vector<Sizes>> packet_sizes(BookSimSettings& settings, std::size_t classes) {
  const auto lists = [&](std::string_view key) {
    const auto found = settings.find(key);
    return by_class(found == settings.end() ? "1" : found->second.value);
  };
  const auto flits = lists("packet_size");
  const auto shares = lists("packet_size_rate");
  if (!flits || !shares) return std::nullopt;
  std::vector<Sizes> result;
  for (std::size_t c = 0; c < classes; ++c) {
    Sizes sizes{(*flits)[std::min(c, flits->size() - 1)], (*shares)[std::min(c, shares->size() - 1)]};
    const std::uint64_t last = sizes.shares.back();
    sizes.shares.resize(sizes.flits.size(), last);
    if (std::find(sizes.flits.begin(), sizes.flits.end(), 0U) != sizes.flits.end()) return std::nullopt;
    if (std::accumulate(sizes.shares.begin(), sizes.shares.end(), std::uint64_t{0}) == 0) return std::nullopt;
    result.push_back(std::move(sizes));
  }
  for (const char* key : {"packet_size", "packet_size_rate"})
    if (const auto found = settings.find(key); found != settings.end()) found->second.read = true;
  return result;
}

std::string pattern_option(BookSimSettings& settings) {
  const auto found = settings.find("traffic");
  if (found == settings.end()) return "uniform";
  std::string_view name = found->second.value;
  std::optional<std::string> seed;
  if (const std::size_t open = name.find('(');
      open != std::string_view::npos && name.starts_with("randperm(")) {
    if (name.ends_with(')') && whole_number(name.substr(open + 1, name.size() - open - 2)))
      seed = name.substr(open + 1, name.size() - open - 2);
    name = seed ? name.substr(0, open) : name;
  }
  for (const std::string_view known : patterns) {
    if (name != known) continue;
    found->second.read = true;
    if (name != "randperm") return std::string(name);
    if (!seed)
      if (const auto stated = number(settings, "perm_seed", 0)) seed = std::to_string(*stated);
    return "randperm --permutation-seed " + seed.value_or("0");
  }
  return "";
}

/// A gen-multicast for each class and size of its packets, one merged into the other.
std::string traffic(BookSimSettings& settings, std::uint64_t cycles) {
  constexpr std::uint64_t most_classes = 16;
  const std::string pattern = pattern_option(settings);
  std::string command = "gen-multicast";
  if (!pattern.empty()) command += " --pattern " + pattern;
  const auto classes = number(settings, "classes", 1);
  const auto sizes =
      classes && *classes > 0 && *classes <= most_classes ? packet_sizes(settings, *classes) : std::nullopt;
  const auto in_flits = number(settings, "injection_rate_uses_flits", 0);
  if (const auto stated = settings.find("classes"); stated != settings.end())
    stated->second.read = sizes.has_value();
  if (!sizes || !in_flits) return command;
  const auto rate = settings.find("injection_rate");
  const std::vector<std::string_view> rates =
      words_of(rate == settings.end() ? "0.1" : std::string_view(rate->second.value), "{, }");
  if (rates.empty()) return command;
  std::string text;
  std::uint64_t streams = 0;
  for (std::size_t c = 0; c < sizes->size(); ++c) {
    const Sizes& one = (*sizes)[c];
    const std::string_view decimal = rates[std::min(c, rates.size() - 1)];
    for (std::size_t i = 0; i < one.flits.size(); ++i) {
      if (one.shares[i] == 0) continue;
      std::uint64_t all = 0;
      for (std::size_t k = 0; k < one.flits.size(); ++k)
        all += one.shares[k] * (*in_flits != 0 ? one.flits[k] : 1);
      const auto flits = times(decimal, one.flits[i] * one.shares[i], all);
      text += (text.empty() ? "" : " | ") + command + " --length-flits " + std::to_string(one.flits[i]);
      if (flits) text += " --rate " + *flits + " --cycles " + std::to_string(cycles);
      if (++streams > 1) text += " --seed " + std::to_string(streams);
      if (flits && rate != settings.end()) rate->second.read = true;
    }
  }
  return text;
}

std::string routing_option(std::string_view topology, BookSimSettings& settings) {
  const auto found = settings.find("routing_function");
  if (found == settings.end()) return "";
  for (const Meaning& meaning : routings) {
    if (meaning.name != found->second.value || find_routing_function(meaning.here) == nullptr ||
        meaning.topologies.find("|" + std::string(topology) + "|") == std::string_view::npos)
      continue;
    found->second.read = true;
    return " --routing " + std::string(meaning.here);
  }
  return "";
}

/// Options of the router, from the preset on.
std::string router(std::string_view topology, BookSimSettings& settings) {
  const bool speculative = number(settings, "speculative", 0) == 1;
  const bool drained = number(settings, "wait_for_tail_credit", 0) != 0;
  std::string text;
  if (speculative && number(settings, "num_vcs", 16) == 1) {
    text = " --preset booksim-minimal --buffer-flits " +
           std::to_string(number(settings, "vc_buf_size", 8).value_or(8));
    return drained ? text : text + " --vc-reuse early";
  }
  if (speculative) settings.find("speculative")->second.read = false;  // with several it is another router
  text =
      " --preset booksim-iq --buffer-flits " + std::to_string(number(settings, "vc_buf_size", 8).value_or(8));
  if (drained) text += " --vc-reuse drained";
  if (const std::uint64_t cycles = number(settings, "routing_delay", 1).value_or(1); cycles > 0)
    text += " --routing-cycles " + std::to_string(cycles);
  const bool long_links = number(settings, "use_noc_latency", 1) != 0 && topology == "torus";
  const std::uint64_t credit = number(settings, "credit_delay", 0).value_or(0);
  if (long_links) text += " --hop-cycles 4";
  if (long_links || credit > 0) text += " --credit-cycles " + std::to_string(credit + (long_links ? 3 : 2));
  if (credit > 0) text += " --consumption-cycles " + std::to_string(credit + 5);
  return text;
}

}  // namespace
}  // namespace booksim_words

std::string booksim_pipeline(std::string_view topology, BookSimSettings& settings) {
  using booksim_words::number;
  for (const auto& [key, value] : booksim_words::as_usual)
    if (const auto found = settings.find(key); found != settings.end() && found->second.value == value)
      found->second.read = true;
  const std::uint64_t period = number(settings, "sample_period", 1000).value_or(1000);
  const std::uint64_t warmup = period * number(settings, "warmup_periods", 3).value_or(3);
  const std::uint64_t measured = period * number(settings, "max_samples", 10).value_or(10);
  std::string text = booksim_words::traffic(settings, warmup + measured);
  text += " | plan-multicast separate" + booksim_words::routing_option(topology, settings);
  text += " | route-expand | simulate-wormhole" + booksim_words::router(topology, settings);
  if (text.find("--rate") != std::string::npos)
    text += " --warmup-cycles " + std::to_string(warmup) + " --measure-cycles " + std::to_string(measured);
  return text;
}

}  // namespace wormcast::io
