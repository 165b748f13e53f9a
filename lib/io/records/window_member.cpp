// The window member of summary records.
// SPDX-License-Identifier: MIT
#include "io/records/window_member.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/text/members.hpp"
#include "report/collector.hpp"
#include "report/decimal.hpp"
#include "report/statistics.hpp"

namespace wormcast::io {
namespace {

constexpr unsigned load_digits = 6;
constexpr unsigned window_mean_digits = 3;
constexpr char text_separator = '+';

/// Newer than the others: records without it are read.
constexpr std::string_view optional_count = "delivery_flits_sum";

struct Count {
  std::string_view key;
  std::uint64_t WindowSummary::*field;
};
constexpr std::array<Count, 14> counts = {
    {{"observed_cycles", &WindowSummary::observed_cycles},
     {"multicasts", &WindowSummary::multicasts},
     {"delivered_multicasts", &WindowSummary::delivered_multicasts},
     {"length_flits_sum", &WindowSummary::length_flits_sum},
     {optional_count, &WindowSummary::delivery_flits_sum},
     {"arrived_flits", &WindowSummary::arrived_flits},
     {"latency_cycles_sum", &WindowSummary::latency_cycles_sum},
     {"latency_cycles_max", &WindowSummary::latency_cycles_max},
     {"latency_cycles_p50", &WindowSummary::latency_cycles_p50},
     {"latency_cycles_p95", &WindowSummary::latency_cycles_p95},
     {"latency_cycles_p99", &WindowSummary::latency_cycles_p99},
     {"network_latency_cycles_sum", &WindowSummary::network_latency_cycles_sum},
     {"source_queueing_cycles_sum", &WindowSummary::source_queueing_cycles_sum},
     {"blocked_cycles_sum", &WindowSummary::blocked_cycles_sum}}};

constexpr std::array<std::string_view, 3> option_keys = {"warmup_cycles", "measure_cycles",
                                                         "saturation_backlog"};
/// Derived from the sums; loads are missing where nothing was observed, latencies where nothing was
/// delivered.
constexpr std::array<std::string_view, 5> derived_keys = {
    "offered_flits_per_node_cycle", "offered_delivery_flits_per_node_cycle", "accepted_flits_per_node_cycle",
    "latency_cycles_mean", "latency_cycles_interval95"};
constexpr std::size_t interval_at = 4;
using DerivedTexts = std::array<std::string, derived_keys.size()>;
constexpr std::size_t first_count = option_keys.size();
constexpr std::size_t batches_at = first_count + counts.size();
constexpr std::size_t rate_at = batches_at + 1;
constexpr std::size_t pattern_at = rate_at + 1;
constexpr std::size_t warmup_at = pattern_at + 1;
constexpr std::size_t first_derived = warmup_at + 1;

constexpr std::array<Member, first_derived + derived_keys.size()> all_window_members() {
  std::array<Member, first_derived + derived_keys.size()> members{};
  std::size_t at = 0;
  for (const std::string_view key : option_keys) members[at++] = {key};
  for (const Count& count : counts) members[at++] = {count.key, count.key != optional_count};
  members[at++] = {"batches"};
  members[at++] = {"rate", false};
  members[at++] = {"pattern", false};
  members[at++] = {"warmup", false};
  for (const std::string_view key : derived_keys) members[at++] = {key, false};
  return members;
}
constexpr auto window_members = all_window_members();

constexpr std::string_view warmup_method = "MSER-5";
constexpr std::array<Member, 4> warmup_members = {
    {{"method"}, {"deliveries"}, {"batch_deliveries"}, {"dropped", false}}};

void write_warmup(const WarmupSummary& warmup, RecordLine& line) {
  line.key("warmup").raw("{");
  line.key("method").string(warmup_method);
  line.key("deliveries").number(warmup.deliveries);
  line.key("batch_deliveries").number(warmup.batch_deliveries);
  if (warmup.dropped) line.key("dropped").number(*warmup.dropped);
  line.raw("}");
}

WarmupSummary read_warmup(const Value& object) {
  WarmupSummary warmup;
  read_members<warmup_members>(object, [&](int member, const Value& value) {
    if (member == 0 && value.text() != warmup_method)
      value.fail("\"" + std::string(value.text()) + "\" is not " + std::string(warmup_method));
    if (member == 1) warmup.deliveries = value.integer(0);
    if (member == 2) warmup.batch_deliveries = value.integer(1);
    if (member == 3) warmup.dropped = value.integer(0);
  });
  return warmup;
}

std::string ratio(std::uint64_t numerator, Wide denominator, unsigned digits) {
  return decimal(static_cast<Wide>(numerator), denominator, digits);
}

/// The half-width of the mean's 95 % confidence interval by the means of `batches` of the window, a divisor
/// of kBatches; they are taken to three digits. Empty where fewer than two have deliveries.
std::string batch_interval(const WindowSummary& window, std::size_t batches) {
  Accumulator means;
  const std::size_t joined = WindowSummary::kBatches / batches;
  for (std::size_t first = 0; first < WindowSummary::kBatches; first += joined) {
    WindowSummary::Batch batch;
    for (std::size_t b = first; b < first + joined; ++b) {
      batch.delivered += window.batches[b].delivered;
      batch.latency_cycles_sum += window.batches[b].latency_cycles_sum;
    }
    if (batch.delivered == 0) continue;
    const auto thousandfold = static_cast<Wide>(batch.latency_cycles_sum) * 1000;
    const auto delivered = static_cast<Wide>(batch.delivered);
    means.add(static_cast<std::int64_t>((2 * thousandfold + delivered) / (2 * delivered)));
  }
  return statistic_text(means, Statistic::interval95, window_mean_digits, window_mean_digits);
}

/// Batches depend on each other by the multicasts that are under way from one to the next, and by the queues
/// that these leave. So a batch is at least ten mean latencies long: of twenty, ten and five batches as many
/// as can be. Empty where even five are too short, and where the mean itself is of those measured that got
/// through.
std::string interval_text(const WindowSummary& window) {
  constexpr std::size_t least_latencies = 10;
  if (window.delivered_multicasts < window.multicasts) return "";
  const Wide spans =
      static_cast<Wide>(window.options.measure_cycles) * static_cast<Wide>(window.delivered_multicasts);
  for (const std::size_t batches :
       {WindowSummary::kBatches, WindowSummary::kBatches / 2, WindowSummary::kBatches / 4})
    if (spans >= static_cast<Wide>(least_latencies * batches) * static_cast<Wide>(window.latency_cycles_sum))
      return batch_interval(window, batches);
  return "";
}

/// Different texts as one; `mixed` for more than can be read.
std::string joined(const std::vector<std::string>& texts) {
  constexpr std::size_t most_texts = 8;
  if (texts.size() > most_texts) return std::string(mixed_value);
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : std::string(1, text_separator)) + text;
  return all;
}

void split(std::string_view all, StatedTexts& texts) {
  while (!all.empty()) {
    const std::size_t end = std::min(all.find(text_separator), all.size());
    texts.emplace(all.substr(0, end));
    all.remove_prefix(std::min(end + 1, all.size()));
  }
}

/// The texts of derived_keys; empty where there is none.
DerivedTexts derive(const WindowSummary& window, std::uint64_t nodes) {
  const Wide node_cycles = static_cast<Wide>(nodes) * static_cast<Wide>(window.observed_cycles);
  DerivedTexts texts;
  if (window.observed_cycles > 0) {
    const bool deliveries = window.delivery_flits_sum > 0 || window.multicasts == 0;
    texts[0] = ratio(window.length_flits_sum, node_cycles, load_digits);
    if (deliveries) texts[1] = ratio(window.delivery_flits_sum, node_cycles, load_digits);
    texts[2] = ratio(window.arrived_flits, node_cycles, load_digits);
  }
  if (window.delivered_multicasts == 0) return texts;
  texts[3] =
      ratio(window.latency_cycles_sum, static_cast<Wide>(window.delivered_multicasts), window_mean_digits);
  texts[interval_at] = interval_text(window);
  return texts;
}

}  // namespace

void write_window_member(const WindowSummary& window, std::uint64_t nodes, RecordLine& line) {
  line.key("window").raw("{");
  line.key("warmup_cycles").number(window.options.warmup_cycles);
  line.key("measure_cycles").number(window.options.measure_cycles);
  line.key("saturation_backlog").number(window.options.saturation_backlog);
  for (const Count& count : counts) line.key(count.key).number(window.*count.field);
  line.key("batches").array(window.batches, [&](const WindowSummary::Batch& batch) {
    line.raw("[").number(batch.delivered).raw(",").number(batch.latency_cycles_sum).raw("]");
  });
  if (const std::string rate = window_rate(window); !rate.empty()) line.key("rate").string(rate);
  if (const std::string pattern = window_pattern(window); !pattern.empty())
    line.key("pattern").string(pattern);
  if (window.warmup) write_warmup(*window.warmup, line);
  for (const auto& [key, text] : window_figures(window, nodes)) line.key(key).raw(text);
  line.raw("}");
}

std::vector<std::pair<std::string_view, std::string>> window_figures(const WindowSummary& window,
                                                                     std::uint64_t nodes) {
  std::vector<std::pair<std::string_view, std::string>> figures;
  DerivedTexts derived = derive(window, nodes);
  for (std::size_t i = 0; i < derived.size(); ++i)
    if (!derived[i].empty()) figures.emplace_back(derived_keys[i], std::move(derived[i]));
  return figures;
}

std::string window_pattern(const WindowSummary& window) {
  return joined({window.patterns.begin(), window.patterns.end()});
}

std::string window_rate(const WindowSummary& window) {
  std::vector<std::string> rates(window.rates.begin(), window.rates.end());
  std::sort(rates.begin(), rates.end(), [](const std::string& a, const std::string& b) {
    const std::optional<double> x = as_number(a);
    const std::optional<double> y = as_number(b);
    return x && y && *x != *y ? *x < *y : a < b;
  });
  return joined(rates);
}

std::string window_lack(const Summary& summary, std::optional<Cycle> last_start) {
  if (!summary.window || summary.outcome != Outcome::complete) return "";
  const WindowOptions& options = summary.window->options;
  if (const auto& warmup = summary.window->warmup; warmup && !warmup->dropped)
    return fmt::format(
        "no end of the warm-up was found in {} deliveries, up to cycle {}: nothing was measured",
        warmup->deliveries, options.warmup_cycles - 1);
  if (last_start && *last_start >= options.end() - options.measure_cycles / WindowSummary::kBatches)
    return "";
  const std::string window =
      fmt::format("the window is from cycle {} to {}", options.warmup_cycles, options.end() - 1);
  if (!last_start) return window + ", but no multicast came";
  return fmt::format("{}, but the last multicast starts in cycle {}: {}", window, *last_start,
                     summary.window->multicasts == 0 ? "nothing was measured"
                                                     : "its loads are those of traffic that ends within it");
}

WindowSummary read_window_member(const Value& object, std::uint64_t nodes) {
  WindowSummary window;
  std::array<std::optional<Value>, derived_keys.size()> derived;
  read_members<window_members>(object, [&](int member, const Value& value) {
    const auto index = static_cast<std::size_t>(member);
    if (index == 0) window.options.warmup_cycles = value.integer(0);
    if (index == 1) window.options.measure_cycles = value.integer(1);
    if (index == 2) window.options.saturation_backlog = value.integer(0);
    if (index >= first_count && index < batches_at)
      window.*counts[index - first_count].field = value.integer(0);
    if (index == rate_at) split(value.text(), window.rates);
    if (index == pattern_at) split(value.text(), window.patterns);
    if (index == warmup_at) window.warmup = read_warmup(value);
    if (index >= first_derived) derived[index - first_derived] = value;
    if (index != batches_at) return;
    std::size_t batch = 0;
    value.each([&](const Value& pair) {
      std::vector<std::uint64_t> numbers;
      pair.each([&](const Value& number) { numbers.push_back(number.integer(0)); });
      if (numbers.size() != 2 || batch == window.batches.size())
        value.fail(std::to_string(window.batches.size()) + " pairs of integers belong here");
      window.batches[batch++] = {numbers[0], numbers[1]};
    });
    if (batch != window.batches.size())
      value.fail(std::to_string(window.batches.size()) + " pairs of integers belong here");
  });
  const DerivedTexts expected = derive(window, nodes);
  // Older records have the interval by twenty batches, however short these are.
  const std::string older = batch_interval(window, WindowSummary::kBatches);
  for (std::size_t i = 0; i < derived.size(); ++i)
    if (derived[i] && !(i == interval_at && derived[i]->shown() == older))
      check_derived(*derived[i], expected[i]);
  return window;
}

}  // namespace wormcast::io
