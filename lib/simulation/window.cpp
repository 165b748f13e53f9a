// Open-loop measurement: what is counted, events of worms, and the end of the warm-up.
// SPDX-License-Identifier: MIT
#include "simulation/window.hpp"

#include <algorithm>

#include "router/worm_footprint.hpp"
#include "simulation/engine.hpp"
#include "topology/refuse.hpp"

namespace wormcast {

/// The class of a multicast, made if need be; nullptr where there are too many.
WindowClass* Window::class_of(const Request& request) {
  if (too_many_classes_) return nullptr;
  std::vector<WindowClass>& classes = sums_.classes;
  if (last_class_ < classes.size() && request.workload == last_workload_ && !last_workload_.empty() &&
      classes[last_class_].length_flits == request.length_flits)
    return &classes[last_class_];
  const NamedValues& values = request.workload.values();
  std::string_view name = value_of(values, "class");
  for (const char* const other : {"pattern", "from"})
    if (name.empty()) name = value_of(values, other);
  std::string destinations(value_of(values, "destinations"));
  if (destinations.empty()) destinations = std::to_string(request.destinations.size());
  const std::string_view rate = value_of(values, "rate"), seed = value_of(values, "seed");
  // Of a workload of a file, what is stated can differ from message to message.
  const bool generated = name == value_of(values, "pattern");
  const auto found = std::find_if(classes.begin(), classes.end(), [&](const WindowClass& one) {
    return one.name == name && one.destinations == destinations && one.rate == rate && one.seed == seed &&
           one.length_flits == request.length_flits && (!generated || one.workload == request.workload);
  });
  last_class_ = static_cast<std::size_t>(found - classes.begin());
  last_workload_ = value_of(values, "destinations").empty() ? SharedValues() : request.workload;
  if (found != classes.end()) return &*found;
  too_many_classes_ = classes.size() == WindowSummary::kClasses;
  if (too_many_classes_) return nullptr;
  WindowClass fresh;
  fresh.name = name;
  fresh.destinations = std::move(destinations);
  fresh.rate = rate;
  fresh.seed = seed;
  if (generated) fresh.workload = request.workload;
  fresh.length_flits = request.length_flits;
  return &classes.emplace_back(std::move(fresh));
}

void Window::arrived(Cycle cycle, const Request& request) {
  if (!sums_.options.contains(cycle)) return;
  sums_.arrived_flits += request.length_flits;
  if (WindowClass* const own = class_of(request)) own->arrived_flits += request.length_flits;
}

void Window::started(const Request& request) {
  last_start_ = request.start_cycle;
  const bool measured = measures(request.start_cycle);
  if (measured || sums_.multicasts == 0) {
    Stated& stated = measured ? sums_.stated : stated_before_;
    for (const auto& [name, value] : request.workload)
      if (StatedTexts& texts = stated[name]; texts.size() <= WindowSummary::kStated) texts.insert(value);
  }
  if (!measured) return;
  ++sums_.multicasts;
  sums_.length_flits_sum += request.length_flits;
  sums_.delivery_flits_sum += request.length_flits * request.receivers().size();
  if (WindowClass* const own = class_of(request)) {
    ++own->multicasts;
    own->delivery_flits_sum += request.length_flits * request.receivers().size();
  }
}

void Window::delivered(const Delivery& delivery) {
  const Request& request = delivery.plan.request;
  for (const Cycle cycle : delivery.arrival_cycles) arrived(cycle, request);
  const Cycle latency = delivery.latency_cycles();
  if (search_) search_->add(latency);
  if (!measures(request.start_cycle)) return;
  ++sums_.delivered_multicasts;
  sums_.latency_cycles_sum += latency;
  sums_.latency_cycles_max = std::max(sums_.latency_cycles_max, latency);
  sums_.network_latency_cycles_sum += delivery.network_latency_cycles;
  sums_.source_queueing_cycles_sum += delivery.source_queueing_cycles;
  sums_.blocked_cycles_sum += delivery.blocked_cycles;
  ++latencies_[latency];
  if (WindowClass* const own = class_of(request)) {
    ++own->delivered_multicasts;
    own->latency_cycles_sum += latency;
    own->latency_cycles_max = std::max(own->latency_cycles_max, latency);
    add_events(delivery.events, own->events);
  }
  // Batch b holds the starts from warmup + ⌈b · measure / batches⌉ on.
  const Cycle into = request.start_cycle - sums_.options.warmup_cycles;
  const Cycle whole = sums_.options.measure_cycles;
  constexpr std::size_t batches = WindowSummary::kBatches;
  std::size_t batch = batches - 1;
  while (batch > 0 && into < whole / batches * batch + (whole % batches * batch + batches - 1) / batches)
    --batch;
  ++sums_.batches[batch].delivered;
  sums_.batches[batch].latency_cycles_sum += latency;
}

bool Window::begin_behind(Cycle horizon) {
  if (!sums_.options.sought() || !search_ || !search_->found()) return false;
  sums_.options.warmup_cycles = horizon + 1;
  return true;
}

WindowSummary Window::summary(Cycle end) const {
  WindowSummary result = sums_;
  // A run that saturates while it warms up is one of that load all the same.
  if (result.multicasts == 0) result.stated = stated_before_;
  if (too_many_classes_ || result.classes.size() == 1) result.classes.clear();
  if (search_) result.warmup = search_->summary();
  if (given_up() || falls_behind()) {
    result.saturated = queues_;
    result.saturated->reason = SaturatedBy::accepted_load;
    if (given_up()) result.saturated = {SaturatedBy::source_queues, waiting_, queues_.came, queues_.left};
  }
  if (result.options.sought()) {
    result.options.warmup_cycles = last_start_ + 1;
    end = 0;
  }
  end = std::min(end, result.options.end());
  result.observed_cycles = end > result.options.warmup_cycles ? end - result.options.warmup_cycles : 0;
  const auto percentile = [&](std::uint64_t percent) -> Cycle {
    const std::uint64_t rank = (result.delivered_multicasts * percent + 99) / 100;  // ⌈p · n⌉, from 1
    std::uint64_t seen = 0;
    for (const auto& [latency, count] : latencies_)
      if ((seen += count) >= rank) return latency;
    return 0;
  };
  result.latency_cycles_p50 = percentile(50);
  result.latency_cycles_p95 = percentile(95);
  result.latency_cycles_p99 = percentile(99);
  return result;
}

// Events of worms by their routes. A flit is written into the buffer behind each channel between routers, and
// behind its source's link where that ends in one. It is read once where copies move together, else once for
// each copy. Each copy crosses the router to its output, the source's router too. A virtual channel or
// consumption channel is allocated once for each hop; the switch so too, or for each flit where flits compete
// one by one: in allocating routers, and for links that virtual channels share. cite: Wang et al. 2002
// (Orion: the events of a router)

EventCounts events_of(const Routes& routes, std::uint64_t length_flits, const Topology& topology,
                      const RouterModel& model) {
  const bool allocates = model.discipline().chooses_vcs;
  const bool by_flit = allocates || vcs_share_links(model, topology);
  const bool host_links = topology.hosts_have_links();
  const bool source_buffer = allocates || host_links || model.discipline().buffers_sources;
  EventCounts events;
  for (std::size_t w = 0; w < routes.worms.size(); ++w) {
    const WormRoute& worm = routes.worms[w];
    const std::uint64_t flits = worm.flits(length_flits, model.header_flits);
    std::uint64_t outputs = worm.hops.size(), channels = 0, at_source = 0;
    for (const RouteHop& hop : worm.hops) {
      channels += hop.is_channel() ? 1 : 0;
      at_source += hop.parent < 0 ? 1 : 0;
    }
    if (worm.hops.empty())
      for (const Stop& stop : routes.plan.worms[w].stops)
        outputs += stop.action != StopAction::branch ? 1 : 0;
    const std::uint64_t written = flits * (channels + (source_buffer ? 1 : 0));
    const bool together = Advance(model.discipline(), worm.is_path(), worm.replication).together;
    events.buffer_writes += written;
    events.buffer_reads += together ? written : flits * (outputs - (source_buffer ? 0 : at_source));
    events.crossbar_traversals += flits * outputs;
    events.link_traversals += flits * (host_links ? 1 + outputs : channels);
    events.vc_allocations += outputs;
    const std::uint64_t alone = allocates ? 0 : outputs - channels;  // consumption is no link that is shared
    events.switch_allocations += by_flit ? flits * (outputs - alone) + alone : outputs;
  }
  return events;
}

void add_events(const std::optional<EventCounts>& some, std::optional<EventCounts>& sum) {
  if (!some) return;
  if (!sum) sum.emplace();
  for (const auto& [name, count] : event_counts)
    if (((*sum).*count += (*some).*count) > max_integer)
      refuse(name, "the sum over the run is above {}", max_integer);
}

void add_channel_taken(EventCounts& events, std::uint64_t flits) {
  for (const auto& [name, count] : event_counts)
    events.*count += count == &EventCounts::vc_allocations ? 1 : flits;
}

// MSER-5, as deliveries come: the mean latencies of batches of deliveries, and the number of first batches
// without which the standard error of the mean of the others is least.
//
// 200 batches of 5 deliveries (of more on networks of more than 100 hosts, so that a host has about ten
// deliveries in all of them) are looked at together. Where MSER drops no more than half of them, the warm-up
// is over, and the window can begin with what starts next. Else the run has not been long enough to say:
// pairs of batches become one, and as many more are awaited. So memory is flat, and a warm-up of n deliveries
// is found after at most about 4 n. A load that the network does not carry gives latencies that grow for
// ever; MSER then drops all that it may, and no end is found.
//
// All in whole numbers. With m batches left, sum S and sum of squares Q of theirs the statistic is (mQ − S²)
// / m³, and two are compared by cross products: below 2^127 for sums below 2^40, at most 2^9 batches. Larger
// sums are all rounded down by the same power of two. Cost: 200 steps when the batches are full. cite: White
// 1997 (MSER); White, Cobb, Spratt 2000 (MSER-5); Franklin, White 2008 (the half as the limit)
std::size_t mser_truncation(std::span<const std::uint64_t> sums) {
  __extension__ typedef unsigned __int128 Product;
  constexpr std::size_t least_left = 5;  // of fewer batches the statistic says little
  Product sum = 0, squares = 0, best_scatter = 0;
  std::size_t best = sums.size(), best_left = 0;
  for (std::size_t left = 1; left <= sums.size(); ++left) {
    const Product value = sums[sums.size() - left];
    sum += value;
    squares += value * value;
    if (left < least_left) continue;
    const Product scatter = left * squares - sum * sum;
    const auto cube = [](std::size_t count) { return static_cast<Product>(count) * count * count; };
    if (best_left != 0 && scatter * cube(best_left) > best_scatter * cube(left)) continue;
    best = sums.size() - left;
    best_left = left;
    best_scatter = scatter;
  }
  return best;
}

WarmupSearch::WarmupSearch(const WarmupOptions& options, std::uint64_t hosts) : batches_(options.batches) {
  found_.batch_deliveries = options.batch_deliveries;
  if (found_.batch_deliveries == 0) found_.batch_deliveries = std::max<std::uint64_t>(5, (hosts + 19) / 20);
}

void WarmupSearch::add(Cycle latency) {
  if (found()) return;
  sum_ += latency;
  ++found_.deliveries;
  if (++count_ < found_.batch_deliveries) return;
  sums_.push_back(sum_);
  sum_ = count_ = 0;
  if (sums_.size() == batches_) look();
}

void WarmupSearch::look() {
  constexpr std::uint64_t most_sum = std::uint64_t{1} << 40;
  std::vector<std::uint64_t> rounded = sums_;
  while (*std::max_element(rounded.begin(), rounded.end()) >= most_sum)
    for (std::uint64_t& sum : rounded) sum /= 2;
  const std::size_t dropped = mser_truncation(rounded);
  if (dropped <= batches_ / 2) {
    found_.dropped = dropped * found_.batch_deliveries;
    return;
  }
  for (std::size_t i = 0; i < batches_ / 2; ++i) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
  sums_.resize(batches_ / 2);
  found_.batch_deliveries *= 2;
}

}  // namespace wormcast
