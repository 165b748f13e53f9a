// A card for each scheme: what it costs, what it needs, how it behaves, whether it can deadlock.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "report/collector.hpp"
#include "report/meetings.hpp"
#include "report/statistics.hpp"
#include "report/subject.hpp"

namespace wormcast {

/// Collects cards from plans, routes, deliveries, summaries and verdicts of any number of segments.
/// Multicasts are messages to more than one destination; those to one are the unicasts beside them.
/// A run without a window (closed) stands for an empty network, one with a window for a load.
class Cards {
 public:
  void add(const Subject& subject);
  /// All cards, after the last record: as a page of HTML, or in Markdown. `sorted`: in natural order, not as
  /// they came.
  std::string text(bool html, bool sorted);

 private:
  /// A planner with its options; by two routing functions it is two schemes.
  struct Scheme {
    std::string label;
    std::string routing;

    bool operator==(const Scheme&) const = default;
    // By hand, here and below: libc++ 14 has no <=> for strings.
    bool operator<(const Scheme& other) const {
      return std::tie(label, routing) < std::tie(other.label, other.routing);
    }
  };
  /// Unicasts that ran without multicasts.
  struct UnicastsAlone {
    Scheme scheme;       ///< headers as they are counted, too
    bool reserved;       ///< path reservation
    std::string beside;  ///< the scheme whose multicasts they were planned apart from; "" where of none

    bool operator<(const UnicastsAlone& other) const {
      return std::tie(scheme, reserved, beside) < std::tie(other.scheme, other.reserved, other.beside);
    }
  };
  /// What one segment says of one scheme.
  struct Run {
    Accumulator one;                      ///< latencies of unicasts
    Accumulator many{true};               ///< of multicasts
    std::optional<std::int64_t> offered;  ///< flits/node/cycle times 10^6
    std::int64_t arrived_flits = 0;       ///< at any destination within the window
    bool window = false;                  ///< an open-loop run
    bool reserved = false;                ///< path reservation, in a run or a verdict
    RunValues routers;                    ///< without path reservation, which has its own card
    std::string outcome;
    std::optional<Scheme> apart;  ///< how its unicasts were planned, if not by the scheme itself

    bool carried() const { return outcome == "complete" || outcome.empty(); }
  };
  struct Load {
    std::int64_t offered;
    bool complete;  ///< and its window kept up
    bool fell_behind;
    Accumulator one;
    std::int64_t p99 = 0;
    std::optional<Scheme> apart;  ///< as in Run
    Accumulator alone;            ///< latencies of such unicasts without multicasts
  };
  /// From the least to the greatest of some numbers; of none the least is above the greatest.
  struct Range {
    std::uint64_t least = UINT64_MAX;
    std::uint64_t greatest = 0;

    void add(std::uint64_t number);
  };
  /// Ranges that have nothing in common; those that have become one.
  class Ranges {
   public:
    void add(Range range);
    /// "4" or "8 to 16" for each.
    std::set<std::string> texts() const;

   private:
    std::map<std::uint64_t, std::uint64_t> ranges_;  ///< least, greatest
  };
  struct Card {
    Accumulator traffic, longest;                      ///< of plans and routes
    Accumulator delivered_traffic, delivered_longest;  ///< of deliveries, shown where no plans came
    Accumulator alone, header_bits, unicasts;
    std::vector<Load> loads;
    std::uint64_t runs = 0;       ///< under load, with multicasts: open-loop ones, and those that met
    std::uint64_t deadlocks = 0;  ///< of these
    std::uint64_t early = 0;      ///< runs that saturated before anything was measured
    std::uint64_t crowded = 0;    ///< closed runs that do not tell the latency of a multicast alone
    std::set<std::string> buffers, consumption, verdicts;
    std::set<RunValues> routers;  ///< of runs
    std::set<std::string> routings, virtual_channels, topologies, networks;
    Ranges destinations, length_flits;  ///< of multicasts, by segment
    std::string planner;
    bool reserved = false;  ///< with path reservation

    bool only_unicasts() const {
      return destinations.texts().empty() && loads.empty() && verdicts.empty() && runs + early + crowded == 0;
    }
  };
  /// What one segment says of one scheme: whether paths are reserved stands at its end.
  struct Part {
    Run run;
    Card card;
    Range destinations, length_flits;  ///< of multicasts
    std::string beside;                ///< unicasts planned apart: the scheme of the multicasts
    std::string planner;               ///< as records name it, without the former
  };
  template <class Entry>
  using BySchemes = std::vector<std::pair<Scheme, Entry>>;
  using Rows = std::vector<std::pair<std::string, std::string>>;

  /// What the segment's deliveries, those of the measured multicasts, were to bring to destinations.
  struct Due {
    Wide flits = 0;
    Wide most_flits = 0;  ///< of one multicast

    bool behind(std::int64_t arrived_flits) const;
  };

  static void add_costs(const Subject& subject, Part& part);
  static void add_header_bits(const Subject& subject, Accumulator& header_bits);
  static bool before(const Load& a, const Load& b);
  static void add_run(const Subject& subject, Part& part);
  static std::string titled(const std::string& label, const Part& part);
  void assign_unicasts();
  void close_segment();
  /// `met`: multicasts of a closed run.
  static void merge(const Part& part, const Due& due, bool met, Card& card);
  void complete_reserved();
  Accumulator alone(const Scheme& scheme, bool reserved, const std::string& beside);
  void complete_unicasts();
  static std::vector<const Load*> carried(const Card& card);
  std::optional<std::int64_t> common_load() const;
  static const Load* run_at(const Card& card, std::optional<std::int64_t> offered);
  static std::string zero_load(const Card& card);
  static std::string saturation(const Card& card, const Load* best);
  static std::string p99(const Load* load);
  static std::string slowdown(const Load* load);
  static Rows rows(const Card& card, std::optional<std::int64_t> common);
  static std::string mixed(const Card& card);
  template <class Entry>
  static Entry& entry_of(BySchemes<Entry>& entries, const Scheme& scheme);
  std::string title(const Scheme& scheme) const;
  std::string markdown() const;
  std::string html() const;

  BySchemes<Card> cards_;                                ///< in the order in which they came
  BySchemes<Part> open_;                                 ///< of the segment
  std::map<UnicastsAlone, Accumulator> unicasts_alone_;  ///< their latencies
  std::set<Scheme> bases_;                               ///< schemes whose unicasts others are compared with
  Meetings meetings_;
  Due due_;
  std::uint64_t segment_ = 0;
};

}  // namespace wormcast
