// The window member of summary records.
// SPDX-License-Identifier: MIT
#include "io/records/delivery_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/collector.hpp"
#include "report/statistics.hpp"

namespace wormcast::io {
namespace {

constexpr unsigned load_digits = 6;
constexpr unsigned window_mean_digits = 3;
constexpr char text_separator = '+';

constexpr std::string_view warmup_method = "MSER-5";
struct WarmupMethod {
  static void read(const Value& value, WarmupSummary&, const Scope&) {
    if (value.text() != warmup_method)
      value.fail("\"" + std::string(value.text()) + "\" is not " + std::string(warmup_method));
  }
  static void write(const WarmupSummary&, RecordLine& line, const Scope&) { line.string(warmup_method); }
  static std::string form() { return R"({"const":"MSER-5"})"; }
};
constexpr auto warmup_rows =
    table(row<Self<WarmupSummary>, WarmupMethod>("method", "how it was found"),
          always<&WarmupSummary::deliveries, Number<>>("deliveries", "looked at"),
          always<&WarmupSummary::batch_deliveries, Number<1>>("batch_deliveries", "in a batch, at the end"),
          where_stated<&WarmupSummary::dropped, Number<>>(
              "dropped", "of these deliveries; omitted where no end was found"));

/// Pairs of deliveries and the sum of their latencies, as many as there are batches.
struct Batches {
  using Array = decltype(WindowSummary::batches);
  static void read(const Value& value, Array& batches, const Scope&) {
    const auto wrong = [&] { value.fail(std::to_string(batches.size()) + " pairs of integers belong here"); };
    std::size_t count = 0;
    value.each([&](const Value& pair) {
      std::vector<std::uint64_t> numbers;
      pair.each([&](const Value& number) { numbers.push_back(number.integer(0)); });
      if (numbers.size() != 2 || count == batches.size()) wrong();
      batches[count++] = {numbers[0], numbers[1]};
    });
    if (count != batches.size()) wrong();
  }
  static void write(const Array& batches, RecordLine& line, const Scope&) {
    line.array(batches, [&](const WindowSummary::Batch& batch) {
      line.raw("[").number(batch.delivered).raw(",").number(batch.latency_cycles_sum).raw("]");
    });
  }
  static std::string form() {
    const std::string count = std::to_string(WindowSummary::kBatches), integer = Number<>::form();
    return R"({"type":"array","minItems":)" + count + R"(,"maxItems":)" + count +
           R"(,"items":{"type":"array","minItems":2,"maxItems":2,"items":)" + integer + "}}";
  }
};

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
    const Wide thousandfold = Wide{batch.latency_cycles_sum} * 1000;
    const Wide delivered = batch.delivered;
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
  const Wide spans = Wide{window.options.measure_cycles} * Wide{window.delivered_multicasts};
  for (const std::size_t batches :
       {WindowSummary::kBatches, WindowSummary::kBatches / 2, WindowSummary::kBatches / 4})
    if (spans >= Wide{least_latencies * batches} * Wide{window.latency_cycles_sum})
      return batch_interval(window, batches);
  return "";
}

/// What is stated under a name as one text, numbers ascending; `mixed` for more than can be read.
std::string joined(const Stated& stated, std::string_view name) {
  const auto found = stated.find(name);
  if (found == stated.end()) return "";
  if (found->second.size() > WindowSummary::kStated) return std::string(mixed_value);
  std::vector<std::string> texts(found->second.begin(), found->second.end());
  std::sort(texts.begin(), texts.end(), [](const std::string& a, const std::string& b) {
    const std::optional<NumberText> x = number_text(a), y = number_text(b);
    return x && y && (*x < *y || *y < *x) ? *x < *y : a < b;
  });
  return fmt::format("{}", fmt::join(texts, std::string_view(&text_separator, 1)));
}

/// A window and the end points over which its loads are taken.
struct Loads {
  WindowSummary window;
  std::uint64_t nodes = 1;
};

std::string load_of(std::uint64_t flits, const Loads& of) {
  if (of.window.observed_cycles == 0) return "";
  return decimal(flits, Wide{of.nodes} * Wide{of.window.observed_cycles}, load_digits);
}
std::string offered(const Loads& of) { return load_of(of.window.length_flits_sum, of); }
std::string offered_delivery(const Loads& of) {
  const bool known = of.window.delivery_flits_sum > 0 || of.window.multicasts == 0;
  return known ? load_of(of.window.delivery_flits_sum, of) : "";
}
std::string accepted(const Loads& of) { return load_of(of.window.arrived_flits, of); }
std::string mean_latency(const Loads& of) {
  if (of.window.delivered_multicasts == 0) return "";
  return decimal(of.window.latency_cycles_sum, of.window.delivered_multicasts, window_mean_digits);
}
std::string interval(const Loads& of) {
  return of.window.delivered_multicasts == 0 ? "" : interval_text(of.window);
}
/// Older records have the interval by twenty batches, however short these are.
struct Interval : shapes_detail::Derived<interval> {
  static void read(const Value& value, Loads& of, const Scope&) {
    if (value.shown() != batch_interval(of.window, WindowSummary::kBatches))
      check_derived(value, interval(of));
  }
};

/// Texts with a + between them.
void read_joined(std::string_view name, std::string_view text, Stated& stated) {
  for (const std::string_view part : parts_of(text, text_separator)) stated[std::string(name)].emplace(part);
}
constexpr char rate_name[] = "rate", pattern_name[] = "pattern";
template <const char* name>
struct Joined {
  static void read(const Value& value, WindowSummary& window, const Scope&) {
    read_joined(name, value.text(), window.stated);
  }
  static void write(const WindowSummary& window, RecordLine& line, const Scope&) {
    line.string(joined(window.stated, name));
  }
  static void clear(WindowSummary&) {}
  static std::string form() { return Text::form(); }
};
template <const char* name>
constexpr auto joined_row(std::string_view meaning) {
  return row<Self<WindowSummary>, Joined<name>>(name, meaning).only_if([](const WindowSummary& window) {
    return !joined(window.stated, name).empty();
  });
}
struct JoinedOthers {
  static void read(const Value& value, WindowSummary& window, const Scope& scope) {
    SharedValues values;
    Texts::read(value, values, scope);
    for (const auto& [name, text] : values) read_joined(name, text, window.stated);
  }
  static void write(const WindowSummary& window, RecordLine& line, const Scope& scope) {
    Texts::write(window_workload(window), line, scope);
  }
  static void clear(WindowSummary&) {}
  static std::string form() { return Texts::form(); }
};

constexpr auto traffic_class_rows = table(
    where_stated<&WindowClass::name, Text>("class", "the workload's `class`, else `pattern`, else `from`"),
    always<&WindowClass::destinations, Text>("destinations", "how many, as in the workload"),
    always<&WindowClass::length_flits, Number<1>>("length_flits", "of each"),
    where_stated<&WindowClass::rate, Text>("rate", "as in the workload"),
    where_stated<&WindowClass::seed, Text>("seed", "the same"),
    where_stated<&WindowClass::workload, Texts>("workload", "of each, where that states the pattern"),
    always<&WindowClass::multicasts, Number<>>("multicasts", "measured"),
    always<&WindowClass::delivered_multicasts, Number<>>("delivered_multicasts",
                                                         "of these; sums and maxima are over them"),
    always<&WindowClass::delivery_flits_sum, Number<>>("delivery_flits_sum", "as in the window"),
    always<&WindowClass::arrived_flits, Number<>>("arrived_flits", "the same"),
    always<&WindowClass::latency_cycles_sum, Number<>>("latency_cycles_sum", "the same"),
    always<&WindowClass::latency_cycles_max, Number<>>("latency_cycles_max", "the same"),
    where_stated<&WindowClass::events, Optional<Object<event_rows>>>("events", "as in the summary"));

constexpr auto window_option_rows = table(
    always<&WindowOptions::warmup_cycles, Number<>>(
        "warmup_cycles", "measured are the multicasts that start at or after this cycle"),
    always<&WindowOptions::measure_cycles, Number<1>>("measure_cycles",
                                                      "and before `warmup_cycles` + `measure_cycles`"),
    always<&WindowOptions::saturation_backlog, Number<>>(
        "saturation_backlog", "the run ends when more multicasts a node queue at the sources; 0: never"));
constexpr std::array<std::string_view, 2> saturated_by_words = {"source-queues", "accepted-load"};
constexpr auto source_queue_rows = table(
    always<&SourceQueues::reason, Word<saturated_by_words>>(
        "by",
        "more than `saturation_backlog` a node; or b fewer left within the window than came, where b exceeds "
        "a tenth of these and ⌊b / 4⌋² the number of hosts: more than chance if each queue varies by one"),
    always<&SourceQueues::waiting, Number<>>("waiting", "at their sources at the end of the window or run"),
    always<&SourceQueues::came, Number<>>("came", "to these queues within the window"),
    always<&SourceQueues::left, Number<>>("left", "these queues within the window"));
constexpr auto window_count_rows = table(
    rows_of<Part<&WindowSummary::options>, window_option_rows>(),
    always<&WindowSummary::observed_cycles, Number<>>(
        "observed_cycles", "the part of the window before the run ended; nothing later is counted"),
    always<&WindowSummary::multicasts, Number<>>("multicasts", "measured"),
    always<&WindowSummary::delivered_multicasts, Number<>>("delivered_multicasts",
                                                           "of these, that reached every destination"),
    always<&WindowSummary::length_flits_sum, Number<>>("length_flits_sum", "of all measured"),
    always<&WindowSummary::delivery_flits_sum, Number<>>("delivery_flits_sum",
                                                         "of all, length × destinations; always written")
        .may_lack(),
    always<&WindowSummary::arrived_flits, Number<>>(
        "arrived_flits", "consumed anywhere, of worms whose tails arrived within the window"),
    always<&WindowSummary::latency_cycles_sum, Number<>>("latency_cycles_sum",
                                                         "of delivered ones (percentiles: nearest rank)"),
    always<&WindowSummary::latency_cycles_max, Number<>>("latency_cycles_max", "the same"),
    always<&WindowSummary::latency_cycles_p50, Number<>>("latency_cycles_p50", "the same"),
    always<&WindowSummary::latency_cycles_p95, Number<>>("latency_cycles_p95", "the same"),
    always<&WindowSummary::latency_cycles_p99, Number<>>("latency_cycles_p99", "the same"),
    always<&WindowSummary::network_latency_cycles_sum, Number<>>("network_latency_cycles_sum",
                                                                 "of delivered ones"),
    always<&WindowSummary::source_queueing_cycles_sum, Number<>>("source_queueing_cycles_sum",
                                                                 "of delivered ones, as in `delivery`"),
    always<&WindowSummary::blocked_cycles_sum, Number<>>("blocked_cycles_sum", "the same"),
    always<&WindowSummary::batches, Batches>(
        "batches", "for each twentieth of the window, by start: number delivered, sum of latencies"),
    joined_row<rate_name>(
        "`rate` in the `workload` of the measured ones (if none, of all that came); several ascending, "
        "joined by `+` (more than eight: `mixed`)"),
    joined_row<pattern_name>("`pattern` in the `workload`, as `rate`"),
    row<Self<WindowSummary>, JoinedOthers>("workload", "all else in it, likewise")
        .only_if([](const WindowSummary& window) { return !window_workload(window).empty(); }),
    where_stated<&WindowSummary::classes, List<Object<traffic_class_rows>>>(
        "classes",
        "by class of traffic: same pattern with its options, rate, seed, number of destinations and length; "
        "omitted for one, and for more than 16"),
    where_stated<&WindowSummary::warmup, Optional<Object<warmup_rows>>>("warmup",
                                                                        "with `--warmup-cycles found`"),
    where_stated<&WindowSummary::saturated, Optional<Object<source_queue_rows>>>(
        "saturated", "why, and the queues at the sources"));
constexpr auto figure_rows = table(
    derived<Loads, offered>("offered_flits_per_node_cycle", "of `length_flits_sum`"),
    derived<Loads, offered_delivery>("offered_delivery_flits_per_node_cycle", "of `delivery_flits_sum`"),
    derived<Loads, accepted>("accepted_flits_per_node_cycle", "of `arrived_flits`"),
    derived<Loads, mean_latency>("latency_cycles_mean", "three decimals"),
    row<Self<Loads>, Interval>("latency_cycles_interval95", "half of Student's 95 % interval, by batch means")
        .only_if([](const Loads& of) { return !interval(of).empty(); })
        .after_others());
constexpr auto window_rows = table(rows_of<Part<&Loads::window>, window_count_rows>(), figure_rows);

}  // namespace

void WindowMember::read(const Value& value, std::optional<WindowSummary>& to, const Scope& scope) {
  Loads of{{}, scope.network->host_count()};
  read_object<window_rows>(value, of, scope);
  to = std::move(of.window);
}
void WindowMember::write(const std::optional<WindowSummary>& from, RecordLine& line, const Scope& scope) {
  Object<window_rows>::write(Loads{*from, scope.network->host_count()}, line, scope);
}
std::string WindowMember::form() { return Object<window_rows>::form(); }

std::vector<std::pair<std::string_view, std::string>> window_figures(const WindowSummary& window,
                                                                     std::uint64_t nodes) {
  std::vector<std::pair<std::string_view, std::string>> figures;
  const Loads of{window, nodes};
  for (const Field<Loads>& figure : figure_rows) {
    if (!figure.stated(of)) continue;
    RecordLine line;
    figure.write(figure.at(of), line.begin_object(), {});
    figures.emplace_back(figure.key, line.written().substr(1));
  }
  return figures;
}

std::string window_stated(const WindowSummary& window, std::string_view name) {
  return joined(window.stated, name);
}

SharedValues window_workload(const WindowSummary& window) {
  NamedValues values;
  for (const auto& [name, texts] : window.stated)
    if (name != rate_name && name != pattern_name) values.emplace_back(name, joined(window.stated, name));
  return values;
}

std::string window_load(const WindowSummary& window) {
  std::vector<std::string> rates;
  if (const auto found = window.stated.find(rate_name); found != window.stated.end())
    rates.assign(found->second.begin(), found->second.end());
  if (!window.classes.empty()) {
    rates.clear();
    for (const WindowClass& one : window.classes) rates.push_back(one.rate);
  }
  if (rates.size() == 1) return number_text(rates.front()) ? rates.front() : "";
  return sum_text(fmt::format("{}", fmt::join(rates, "+"))).value_or("");
}

std::vector<std::pair<std::string_view, std::string>> class_figures(const WindowClass& one,
                                                                    const WindowSummary& window,
                                                                    std::uint64_t nodes) {
  WindowSummary own;
  own.observed_cycles = window.observed_cycles;
  own.multicasts = one.multicasts;
  own.delivered_multicasts = one.delivered_multicasts;
  own.length_flits_sum = one.multicasts * one.length_flits;
  own.delivery_flits_sum = one.delivery_flits_sum;
  own.arrived_flits = one.arrived_flits;
  own.latency_cycles_sum = one.latency_cycles_sum;
  auto figures = window_figures(own, nodes);
  std::erase_if(figures, [](const auto& figure) { return figure.first.ends_with("interval95"); });
  return figures;
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

}  // namespace wormcast::io
