// Open-loop measurement.
// SPDX-License-Identifier: MIT
#include "simulation/window.hpp"

#include <algorithm>

#include "simulation/engine.hpp"

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
  const auto found = std::find_if(classes.begin(), classes.end(), [&](const WindowClass& one) {
    return one.name == name && one.destinations == destinations && one.rate == rate && one.seed == seed &&
           one.length_flits == request.length_flits;
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
    StatedTexts& rates = measured ? sums_.rates : rates_before_;
    StatedTexts& patterns = measured ? sums_.patterns : patterns_before_;
    for (const auto& [name, value] : request.workload) {
      if (name == "rate" && !rates.contains(value)) rates.insert(value);
      if (name == "pattern" && !patterns.contains(value)) patterns.insert(value);
    }
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
  if (result.multicasts == 0) {
    result.rates = rates_before_;
    result.patterns = patterns_before_;
  }
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

}  // namespace wormcast
