// Cards.
//
// The p99 and the slowdown of unicasts are those of the highest load that the scheme carried, and, since a
// scheme that carries more is slower there, also of the highest load that all carried which carried any: the
// common load, by which cards can be compared. The slowdown is
// the mean latency of unicasts beside the multicasts over that of the same scheme's segments with unicasts
// alone; of unicasts that are planned apart, over that of segments with unicasts alone which were planned as
// they were. Saturation lies between the highest offered load with a run that kept up and the lowest without.
//
// A run kept up if its outcome is complete and its window did not fall behind. The outcome alone is no proof:
// in a short window the queues of a saturated network do not come to the backlog that ends a run. In a
// network that keeps up as many flits arrive within the window as its multicasts are to bring, but for those
// under way at its two ends. So a window fell behind if more than a tenth of the flits due did not arrive
// within it, and more than four multicasts of the largest kind make up, which is no chance of what its end
// cut off.
// SPDX-License-Identifier: MIT
#include "report/pictures/cards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

#include "multicast/header.hpp"
#include "multicast/planner.hpp"
#include "multicast/planner_choice.hpp"
#include "topology/error.hpp"

namespace wormcast {
namespace {

constexpr std::string_view with_reservation = " with path reservation";

/// A planner's label without the way in which its headers are counted: verdicts do not name that.
std::string without_header_format(std::string label) {
  for (const std::string_view option : {header_encoding_option, flit_bits_option}) {
    const std::size_t start = label.find(":" + std::string(option) + "=");
    if (start == std::string::npos) continue;
    const std::size_t end = label.find(':', start + 1);
    label.erase(start, end == std::string::npos ? end : end - start);
  }
  return label;
}

/// What stands in a label before the scheme that unicasts planned apart are beside.
std::string beside_mark() { return ":" + std::string(beside_option) + "="; }

/// Of unicasts that are planned apart, the scheme whose multicasts they are beside; else nothing.
std::string beside(const std::string& label) {
  const std::string mark = beside_mark();
  const std::size_t at = label.find(mark);
  return at == std::string::npos ? "" : without_header_format(label.substr(at + mark.size()));
}

}  // namespace

/// The entry of that scheme, at the end if it is new.
template <class Entry>
Entry& Cards::entry_of(BySchemes<Entry>& entries, const Scheme& scheme) {
  for (auto& [known, entry] : entries)
    if (known == scheme) return entry;
  entries.emplace_back(scheme, Entry{});
  return entries.back().second;
}

/// The scheme's name on its card.
std::string Cards::titled(const std::string& label, const Part& part) {
  return part.run.reserved ? label + std::string(with_reservation) : label;
}

void Cards::add(const Subject& subject) {
  if (subject.segment != segment_) close_segment();
  segment_ = subject.segment;
  if (subject.kind == "delivery") {
    const Request& request = subject.plan->request;
    const Wide flits = Wide{request.length_flits} * static_cast<Wide>(request.destinations.size());
    due_.flits += flits;
    due_.most_flits = std::max(due_.most_flits, flits);
  }
  meetings_.add(subject);
  const std::string planner = parameter(subject, "planner");
  if (planner.empty()) {  // a run of several planners
    if (subject.kind == "summary")
      for (auto& [scheme, part] : open_) add_run(subject, part);
    return;
  }
  const std::string other = beside(planner);
  const std::string label = other.empty() ? without_header_format(planner) : planner;
  const std::string routing = parameter(subject, "routing");
  Part& part = entry_of(open_, {label, routing});
  part.beside = other;
  part.planner = planner.substr(0, other.empty() ? planner.size() : planner.find(beside_mark()));
  Card& own = part.card;
  if (own.planner.empty()) own.planner = label.substr(0, label.find(':'));
  own.topologies.insert(subject.topology->name());
  own.networks.emplace(subject.network);
  if (!routing.empty())
    if (own.routings.insert(routing).second && find_routing_function(routing) != nullptr)
      own.virtual_channels.insert(
          std::to_string(bind_routing(routing, *subject.topology)->virtual_channels()));
  if (parameter(subject, "path_reservation") == "true") part.run.reserved = true;
  if (subject.kind == "verdict")
    own.verdicts.insert(parameter(subject, "answer") + " (" + parameter(subject, "scope") +
                        (parameter(subject, "cut_through") == "true" ? ", cut-through)" : ")"));
  if (subject.plan != nullptr) add_costs(subject, part);
  if (subject.kind == "summary") add_run(subject, part);
}

void Cards::add_run(const Subject& subject, Part& part) {
  Card& own = part.card;
  if (parameter(subject, "path_reservation") == "true") part.run.reserved = true;
  part.run.outcome = parameter(subject, "outcome");
  for (const Attribute& attribute : subject.attributes)
    if (attribute.of == Attribute::Of::routers && attribute.name != "path_reservation")
      part.run.routers.try_emplace(std::string(attribute.name), attribute.value);
  own.buffers.insert(parameter(subject, "buffer_flits"));
  own.consumption.insert(parameter(subject, "consumption_channels"));
  for (const Metric& metric : subject.metrics) {
    if (metric.name == "window_multicasts") part.run.window = true;
    if (metric.name == "offered_flits_per_node_cycle") part.run.offered = metric.value;
    if (metric.name == "arrived_flits") part.run.arrived_flits = metric.value;
  }
}

void Cards::add_costs(const Subject& subject, Part& part) {
  const Plan& plan = *subject.plan;
  Card& own = part.card;
  const bool multicast = plan.request.destinations.size() > 1;
  if (multicast) {
    part.destinations.add(plan.request.destinations.size());
    part.length_flits.add(plan.request.length_flits);
  }
  for (const Metric& metric : subject.metrics) {
    const bool ran = subject.kind == "delivery";
    if (metric.name == "traffic_channels" && multicast)
      (ran ? own.delivered_traffic : own.traffic).add(metric.value);
    if (metric.name == "longest_path_hops" && multicast)
      (ran ? own.delivered_longest : own.longest).add(metric.value);
    // Unicasts that wait for others are part of the workload (answers), not of the traffic beside it.
    if (metric.name != "latency_cycles" || (!multicast && !plan.request.depends_on.empty())) continue;
    (multicast ? part.run.many : part.run.one).add(metric.value);
  }
  if (multicast) add_header_bits(subject, own.header_bits);
}

/// Of plans that say how wide a flit is in numbers, or say nothing of it.
void Cards::add_header_bits(const Subject& subject, Accumulator& header_bits) {
  const std::string text = parameter(subject, flit_bits_option);
  std::int64_t width = default_flit_bits;
  const char* const end = text.data() + text.size();
  if (!text.empty()) {
    const auto [after, error] = std::from_chars(text.data(), end, width);
    if (error != std::errc() || after != end || width <= 0) return;
  }
  for (const Worm& worm : subject.plan->worms) {
    if (!worm.header_flits) continue;
    std::int64_t bits = 0;
    if (__builtin_mul_overflow(width, std::int64_t{*worm.header_flits}, &bits))
      throw InputError("header_flits", fmt::format("{} flits of {} bits are too many to be added up",
                                                   *worm.header_flits, width));
    header_bits.add(bits);
  }
}

void Cards::Range::add(std::uint64_t number) {
  least = std::min(least, number);
  greatest = std::max(greatest, number);
}

void Cards::Ranges::add(Range range) {
  if (range.least > range.greatest) return;
  auto next = ranges_.upper_bound(range.greatest);
  // Those that begin within it, or before it and reach into it, become part of it.
  while (next != ranges_.begin() && std::prev(next)->second >= range.least) {
    const auto own = std::prev(next);
    range = {std::min(range.least, own->first), std::max(range.greatest, own->second)};
    next = ranges_.erase(own);
  }
  ranges_.emplace(range.least, range.greatest);
}

std::set<std::string> Cards::Ranges::texts() const {
  std::set<std::string> all;
  for (const auto& [least, greatest] : ranges_)
    all.insert(least == greatest ? std::to_string(least) : fmt::format("{} to {}", least, greatest));
  return all;
}

bool Cards::Due::behind(std::int64_t arrived_flits) const {
  const Wide missing = flits - arrived_flits;
  return missing > flits / 10 && missing > 4 * most_flits;
}

void Cards::merge(const Part& part, const Due& due, bool met, Card& own) {
  const Run& run = part.run;
  if (own.planner.empty()) own.planner = part.card.planner;
  for (const auto set : {&Card::routings, &Card::virtual_channels, &Card::topologies, &Card::networks,
                         &Card::buffers, &Card::consumption, &Card::verdicts})
    (own.*set).insert((part.card.*set).begin(), (part.card.*set).end());
  own.destinations.add(part.destinations);
  own.length_flits.add(part.length_flits);
  own.traffic.merge(part.card.traffic);
  own.longest.merge(part.card.longest);
  own.delivered_traffic.merge(part.card.delivered_traffic);
  own.delivered_longest.merge(part.card.delivered_longest);
  own.header_bits.merge(part.card.header_bits);
  if (!run.routers.empty()) own.routers.insert(run.routers);
  const bool deadlock = run.outcome == "deadlock";
  if ((run.window || deadlock || met) && (deadlock || run.many.count() > 0)) {
    ++own.runs;
    own.deadlocks += deadlock ? 1 : 0;
  }
  if (run.window && run.outcome == "saturated" && !run.offered) ++own.early;
  const bool carried = run.carried();
  if (run.many.count() == 0 && carried) {
    own.unicasts.merge(run.one);
  } else if (!run.window) {
    if (carried && !met)
      own.alone.merge(run.many);
    else
      ++own.crowded;
  } else if (run.offered) {
    const bool complete = run.outcome == "complete";
    const bool fell_behind = complete && due.behind(run.arrived_flits);
    own.loads.push_back({*run.offered,
                         complete && !fell_behind,
                         fell_behind,
                         run.one,
                         run.many.count() > 0 ? run.many.percentile(99) : 0,
                         run.apart,
                         {}});
  }
}

/// Gives unicasts that are planned apart to the scheme that they are beside. Without multicasts, unicasts of
/// any scheme are what others can be compared with.
void Cards::assign_unicasts() {
  for (const auto& [unicasts, part] : open_) {
    bool alone = part.run.many.count() == 0;
    for (auto& [scheme, other] : open_)
      if (!part.beside.empty() && other.beside.empty() && scheme.label == part.beside) {
        other.run.one.merge(part.run.one);
        other.run.apart = Scheme{part.planner, unicasts.routing};
        alone = false;
      }
    if (alone && part.run.one.count() > 0 && part.run.carried())
      unicasts_alone_[{{part.planner, unicasts.routing}, part.run.reserved, part.beside}].merge(part.run.one);
  }
}

void Cards::close_segment() {
  assign_unicasts();
  for (const auto& [scheme, part] : open_)
    if (part.beside.empty())
      merge(part, due_, meetings_.met(), entry_of(cards_, {titled(scheme.label, part), scheme.routing}));
  open_.clear();
  due_ = {};
}

/// A scheme's worms are the same with path reservation: what was counted on its plans alone goes for both.
/// Unicasts are slowed down against those of a network without.
void Cards::complete_reserved() {
  for (auto& [scheme, card] : cards_) {
    if (!scheme.label.ends_with(with_reservation)) continue;
    card.reserved = true;
    const Scheme base = {scheme.label.substr(0, scheme.label.size() - with_reservation.size()),
                         scheme.routing};
    for (const auto& [other, plain] : cards_)
      if (other == base) {
        if (card.header_bits.count() == 0) card.header_bits = plain.header_bits;
        if (plain.unicasts.count() > 0) card.unicasts = plain.unicasts;
        if (card.traffic.count() == 0) card.traffic = plain.traffic;
        if (card.longest.count() == 0) card.longest = plain.longest;
      }
  }
}

/// Latencies of unicasts of `scheme` alone: of those planned beside `beside`, if there are any, else of all.
Accumulator Cards::alone(const Scheme& scheme, bool reserved, const std::string& beside) {
  Accumulator own, all;
  for (const auto& [unicasts, latencies] : unicasts_alone_)
    if (unicasts.scheme == scheme && unicasts.reserved == reserved) {
      all.merge(latencies);
      if (unicasts.beside == beside) own.merge(latencies);
    }
  if (own.count() == 0 && all.count() > 0) bases_.insert(scheme);
  return own.count() > 0 ? own : all;
}

/// Finds what the unicasts of each load are compared with. A scheme that gave nothing but such unicasts has
/// no card of its own.
void Cards::complete_unicasts() {
  for (auto& [scheme, card] : cards_)
    for (Load& load : card.loads) {
      if (!load.apart) {
        load.alone = card.unicasts;
        continue;
      }
      const std::string label = card.reserved
                                    ? scheme.label.substr(0, scheme.label.size() - with_reservation.size())
                                    : scheme.label;
      load.alone = alone(*load.apart, false, label);
      if (load.alone.count() == 0 && card.reserved) load.alone = alone(*load.apart, true, label);
    }
  std::erase_if(cards_, [&](const auto& entry) {
    const Scheme& scheme = entry.first;
    const Card& card = entry.second;
    const bool base = std::any_of(bases_.begin(), bases_.end(), [&](const Scheme& other) {
      return Scheme{without_header_format(other.label), other.routing} == scheme;
    });
    return base && card.unicasts.count() > 0 && card.only_unicasts();
  });
}

}  // namespace wormcast
