// What a BookSim2 configuration says beside the network, as options of the other tools.
//
// Rates there are packets a node and cycle unless injection_rate_uses_flits is set, here flits: they are
// multiplied by packet_size, exactly. What a configuration leaves out has BookSim2's default, where that is a
// number that has to be said here. The router is preset booksim-iq, which allocates virtual channels as
// BookSim2's does; with one virtual channel and speculative = 1 it is booksim-minimal. Delays add to these; a
// torus has links of two cycles, unless use_noc_latency = 0. cite: Jiang et al. 2013 (BookSim 2).
// SPDX-License-Identifier: MIT
#include "io/import/booksim_pipeline.hpp"

#include <optional>
#include <utility>

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

/// What BookSim2 does anyway, and the pipeline too: who says so loses nothing.
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
    {"classes", "1"},
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

/// `decimal` · `factor` as a decimal, exactly; nothing for what is none.
std::optional<std::string> times(std::string_view decimal, std::uint64_t factor) {
  const std::size_t point = decimal.find('.');
  std::string digits(decimal.substr(0, point));
  std::size_t decimals = 0;
  if (point != std::string_view::npos) {
    digits += decimal.substr(point + 1);
    decimals = decimal.size() - point - 1;
  }
  if (digits.empty()) return std::nullopt;
  if (digits.size() > 15 || factor > 9999 || digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  std::string product = std::to_string(std::stoull(digits) * factor);
  if (decimals == 0) return product;
  if (product.size() <= decimals) product.insert(0, decimals + 1 - product.size(), '0');
  product.insert(product.size() - decimals, ".");
  product.erase(product.find_last_not_of('0') + 1);
  if (product.back() == '.') product.pop_back();
  return product;
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

std::string traffic(BookSimSettings& settings, std::uint64_t cycles) {
  const std::string pattern = pattern_option(settings);
  const auto size = number(settings, "packet_size", 1);
  const auto in_flits = number(settings, "injection_rate_uses_flits", 0);
  const auto rate = settings.find("injection_rate");
  std::string command = "gen-multicast";
  if (!pattern.empty()) command += " --pattern " + pattern;
  if (size) command += " --length-flits " + std::to_string(*size);
  if (!size || !in_flits) return command;
  const std::uint64_t factor = *in_flits != 0 ? 1 : *size;
  if (const auto flits = times(rate == settings.end() ? "0.1" : rate->second.value, factor)) {
    if (rate != settings.end()) rate->second.read = true;
    command += " --rate " + *flits + " --cycles " + std::to_string(cycles);
  }
  return command;
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
