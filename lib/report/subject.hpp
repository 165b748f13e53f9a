// What one record says, family-independent: metrics to add up and parameters to group by.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "multicast/routes.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// A number that can be averaged, named as its key in the record. A decimal has `digits` digits and
/// stands here times 10^digits.
struct Metric {
  std::string_view name;  ///< a literal, or text of the record that outlives the subject
  std::int64_t value = 0;
  unsigned digits = 0;
  bool missing = false;  ///< the record has none, where others of its kind have one
};

/// A text that can be grouped by.
struct Attribute {
  std::string_view name;
  std::string value;
  /// What it says something of: the record, or the whole run that the segment is, or that run's routers.
  enum class Of : std::uint8_t { record, run, routers };
  Of of = Of::record;
};

/// One record as the report sees it. Pointers and names stay valid until the next record is read.
struct Subject {
  std::string_view kind;      ///< "plan"
  std::string_view stream;    ///< the file's name, "-" for standard input
  std::uint64_t segment = 0;  ///< from 1, through all streams
  const Topology* topology = nullptr;
  std::string_view network;          ///< network_digest() of the topology, "" = not asked for
  const Plan* plan = nullptr;        ///< multicast, plan, routes, delivery; no planner where there is none
  const Routes* routes = nullptr;    ///< routes alone
  std::optional<ChannelId> channel;  ///< of a channel load
  std::vector<Metric> metrics;
  std::vector<Attribute> attributes;  ///< further parameters: the router's, the outcome, x_ keys
};

/// A subject with copies of all that it points to but its topology, which must stay.
class HeldSubject {
 public:
  explicit HeldSubject(const Subject& subject);
  HeldSubject(const HeldSubject&) = delete;
  HeldSubject& operator=(const HeldSubject&) = delete;
  const Subject& subject() const { return subject_; }

 private:
  std::string_view text(std::string_view text);

  std::deque<std::string> texts_;
  Plan plan_;
  Routes routes_;
  Subject subject_;
};

/// How a parameter is worked out, "" where the record does not have it; nullptr of an attribute.
using ParameterOf = std::string (*)(const Subject&);
/// Name and meaning of the parameters that a record can be grouped by, besides planner options,
/// attributes and x_ keys.
struct KnownParameter {
  std::string_view name;
  std::string_view summary;
  ParameterOf of = nullptr;
};
std::span<const KnownParameter> known_parameters();
ParameterOf known_parameter(std::string_view name);
/// Value of a parameter for this record; "" where the record has none. `known`: known_parameter(name).
std::string parameter(const Subject& subject, std::string_view name, ParameterOf known);
inline std::string parameter(const Subject& subject, std::string_view name) {
  return parameter(subject, name, known_parameter(name));
}

/// A text that networks have in common if and, but for chance, only if they are the same: routers, hosts,
/// links with ports and latencies, labels. What they are called does not count.
std::string network_digest(const TopologySpec& spec);

/// "latency_cycles" → "latency (cycles)": units are the last word of a key. "latency_cycles_p99" → "p99
/// latency (cycles)", "accepted_flits_per_node_cycle" → "accepted (flits/node/cycle)". Of parameters, too:
/// "rate" → "rate (flits/node/cycle)".
std::string metric_title(std::string_view name);
/// What titles add to a metric that is easily taken for another, ", summed over worms"; mostly "".
std::string_view metric_note(std::string_view name);
/// The title of a mean of the metric: means of means are not called so twice.
std::string mean_title(std::string_view name);
/// False for the few metrics of which more is better.
bool less_is_better(std::string_view name);

/// Whether multicasts of a closed run may have waited for each other: then they are no independent samples.
/// Looks at the deliveries of a segment after the others. Multicasts met if two were under way at a time and
/// any waited, be it for itself: what one waits for its records do not say.
class Meetings {
 public:
  void add(const Subject& subject) {
    if (subject.segment != segment_) *this = {};
    segment_ = subject.segment;
    // What waits for others belongs to their start, as the answers of an invalidation do.
    if (subject.kind != "delivery" || !subject.plan->request.depends_on.empty()) return;
    std::int64_t start = 0;
    std::int64_t latency = 0;
    for (const Metric& metric : subject.metrics) {
      if (metric.name == "start_cycle") start = metric.value;
      if (metric.name == "latency_cycles") latency = metric.value;
      if (metric.name == "blocked_cycles" || metric.name == "source_queueing_cycles")
        waited_ = waited_ || metric.value > 0;
    }
    overlapped_ = overlapped_ || start <= latest_;
    latest_ = std::max(latest_, start + latency);
  }
  std::uint64_t segment() const { return segment_; }
  /// In the segment of the subject added last.
  bool met() const { return overlapped_ && waited_; }

 private:
  std::uint64_t segment_ = 0;
  std::int64_t latest_ = -1;  ///< arrival of those that came
  bool overlapped_ = false;
  bool waited_ = false;
};

}  // namespace wormcast
