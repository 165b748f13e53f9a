// A workload: the multicasts that a network is asked to carry, in start order, made one at a time; when they
// arrive, how they are merged into those of a stream, and answers to them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "multicast/plan.hpp"
#include "multicast/workload/pattern.hpp"
#include "topology/random.hpp"
#include "topology/topology.hpp"

namespace wormcast {

/// Mean lengths in cycles, each at least 1.
struct BurstLengths {
  std::uint64_t on = 1;
  std::uint64_t off = 1;
};
/// "20:80"; throws InputError on `--burst`.
BurstLengths parse_burst(std::string_view text);

/// A number n ≥ 0 with probability q^n / mean, where q = 1 − 1/mean.
class Geometric {
 public:
  /// Of numbers 1 + n with that mean; 1 ≤ mean ≤ 2^20.
  explicit Geometric(std::uint64_t mean);
  std::uint64_t operator()(Random& random) const;

 private:
  unsigned digits_;
  std::vector<std::uint64_t> most_;   ///< P(number ≤ n) · 2^64, of the 2^digits numbers from 0 on
  std::vector<std::uint32_t> guide_;  ///< by the first digits of a draw: the least n that it can be
};

class Bursts {
 public:
  /// A stream for each source, of nothing but its bursts.
  Bursts(std::vector<Random> streams, const BurstLengths& lengths);
  /// Bit i of byte c: whether source `first` + i, i < `count` ≤ 8, is on in cycle `begin` + c, for as many as
  /// there are bytes. Of each source the calls go on from where the last one ended.
  void mark(std::size_t first, std::size_t count, std::uint64_t begin, std::vector<std::uint8_t>& bytes);

 private:
  struct Source {
    Random random;
    bool on;
    std::uint64_t end;  ///< first cycle of the other state
  };
  Geometric on_;
  Geometric off_;
  std::vector<Source> sources_;
};

/// Each source tries once in every cycle, with the numbers of its own stream in order. With bursts only what
/// comes while it is on counts.
class Arrivals {
 public:
  struct Arrival {
    std::uint64_t cycle;
    std::size_t source;  ///< index into the streams
  };
  /// One in the window that is being looked at.
  struct Found {
    std::uint32_t cycle;  ///< from the window's first
    std::uint32_t source;
  };

  Arrivals(std::vector<Random> streams, const Bernoulli& starts, std::uint64_t cycles,
           std::optional<Bursts> bursts = {});

  /// The next one; nothing after the last.
  std::optional<Arrival> next() {
    if (next_ == found_.size() && !fill()) return std::nullopt;
    const Found& found = found_[next_++];
    return Arrival{window_ + found.cycle, found.source};
  }

 private:
  bool fill();
  void walk(std::size_t source, std::uint32_t cycles);
  /// Walks the first sources side by side, as far as the processor can; gives how many.
  std::size_t walk_lanes(std::uint32_t cycles);
  void sort(std::uint32_t cycles);

  std::vector<Random> streams_;
  Bernoulli starts_;
  std::uint64_t cycles_;
  std::optional<Bursts> bursts_;
  std::vector<std::uint8_t> on_;  ///< of up to eight sources, by cycle of the window
  std::uint64_t window_ = 0;      ///< its first cycle
  std::uint64_t window_end_ = 0;
  std::uint32_t width_;       ///< of a window
  std::vector<Found> found_;  ///< in the window
  std::size_t next_ = 0;
  std::vector<Found> unsorted_;
  std::vector<std::size_t> places_;
};

/// Multicasts whose start does not depend on chance: `count` of them, `interval_cycles` apart.
struct ClosedArrivals {
  std::uint64_t count = 1;
  std::uint64_t interval_cycles = 0;
};

/// A part of a workload that another machine may make: the `index`-th of `count` runs of consecutive
/// multicasts, as long as each other up to one.
struct Shard {
  std::uint64_t index = 1;  ///< in [1, count]
  std::uint64_t count = 1;
};
/// "3/8"; throws InputError on --shard.
Shard parse_shard(std::string_view text);

/// In each of `cycles` cycles each source starts a multicast with probability rate / length_flits.
struct OpenArrivals {
  std::string
      rate;  ///< decimal, flits/node/cycle; a multicast counts its flits once, however many destinations
  std::uint64_t cycles = 0;
  std::string
      burst{};  ///< ON:OFF, mean cycles; while a source is on it starts more, so that `rate` is the mean
};

/// The probability of a start in a cycle: `rate` flits a cycle, in messages of so many. Throws
/// InputError on `--rate`.
Fraction start_probability(const Fraction& rate, std::uint64_t length_flits);

/// Everything that shapes a workload, independent of the topology.
struct WorkloadSpec {
  std::uint64_t seed = 1;
  std::string pattern = "uniform";
  PatternOptions options;
  std::vector<std::string> sources;  ///< numbers or coordinates; empty = every node
  std::uint64_t length_flits = 32;   ///< in [1, 2^53)
  bool length_stated = false;        ///< by the user
  std::uint64_t start_cycle = 0;     ///< of the first multicast, or of the open window
  ClosedArrivals closed;
  std::optional<Shard> shard;        ///< of `closed`; its multicasts are those of the whole, ids too
  std::optional<OpenArrivals> open;  ///< in place of `closed`
  /// Width of a flit, which the multicasts state (plans then count headers); 0: none; empty: the pattern's.
  std::optional<std::uint32_t> flit_bits;
};

/// The entry of a request's `workload` that states the width of its flits in bits.
inline constexpr std::string_view workload_flit_bits = "flit-bits";

/// Makes the multicasts of a spec on one topology, which must outlive it.
///
/// Each decision has a random stream of its own, so that nothing else that is drawn can change it:
/// - closed, multicast i: its source from stream (seed, "sources", i), uniform over the sources that
///   send under the pattern, in node order; its destinations from (seed, "destinations", i);
/// - open: node n tries once a cycle, with the numbers of stream (seed, "arrivals", n) in order; a
///   multicast of cycle c (from the window's start) draws its destinations from
///   (seed, "destinations", c·nodes + n). A greater rate keeps every multicast of a smaller one. Bursts of
///   node n are from (seed, "bursts", n).
/// Where a start brings a group of multicasts, all of them draw from that one stream, and ids count them.
class Workload {
 public:
  /// Throws InputError for whatever cannot be.
  Workload(const WorkloadSpec& spec, const Topology& topology);

  /// The next multicast by (start, source), ids 0, 1, 2, … (those of a shard); nothing after the last.
  std::optional<Request> next();

 private:
  void choose_sources(const std::vector<std::string>& texts);
  void start_closed();
  void start_open();
  /// What the record says about how it was made: pattern, options and rate as given, seed.
  void describe();
  void refuse_for_groups(const PatternEntry& entry) const;
  Request make(HostId source, std::uint64_t index, Cycle start);
  Request make_member();

  const Topology* topology_;
  DestinationPattern pattern_;
  WorkloadSpec spec_;
  std::vector<HostId> sources_;  ///< that send, ascending
  RandomStreams source_streams_;
  RandomStreams destination_streams_;
  std::uint64_t made_ = 0;     ///< the next id
  std::uint64_t started_ = 0;  ///< closed: starts so far, of shards before this one too
  std::uint64_t end_ = 0;      ///< closed: the start after the last
  // What is left of the group that started last.
  std::vector<GroupMember> group_;
  std::size_t next_member_ = 0;
  std::uint64_t group_id_ = 0;  ///< of its first member
  Cycle group_start_ = 0;
  SharedValues description_;          ///< of every request
  std::optional<Arrivals> arrivals_;  ///< open ones; sources as in sources_
};

/// Merges a workload into the multicasts of a stream, in start order, with ids that cannot clash.
///
/// A stream is not read ahead, so its greatest id is unknown when the first own multicast must be
/// written. Ids are therefore interleaved: the stream's multicast i becomes 2i and its depends_on with
/// it, own multicast j becomes 2j + 1. Nothing has to be remembered, every two multicasts of the stream
/// keep their order of ids, and merging can be repeated. Where the stream has no multicasts, own ids are
/// 0, 1, 2, …
class WorkloadMerge {
 public:
  using Emit = std::function<void(const Request&)>;
  /// The own multicasts in start order, one at a time; nothing after the last.
  using Source = std::function<std::optional<Request>()>;

  /// Throws InputError for whatever cannot be; `topology` must outlive it.
  WorkloadMerge(const WorkloadSpec& spec, const Topology& topology);
  explicit WorkloadMerge(Source source) : source_(std::move(source)), own_(source_()) {}

  /// The next multicast of the stream, in start order: emits the own ones that start earlier, then
  /// this one renumbered. Throws InputError on `id` where doubling leaves the range.
  void add(Request& request, const Emit& emit);
  /// Emits the own multicasts that are left.
  void finish(const Emit& emit);

 private:
  void emit_own(const Emit& emit);

  Source source_;
  std::optional<Request> own_;  ///< the next own multicast
  bool merging_ = false;        ///< the stream has multicasts
  bool sharded_ = false;        ///< the own multicasts are a part of a workload
};

/// The multicasts of a spec, one by one; `topology` must outlive it.
WorkloadMerge::Source workload_source(const WorkloadSpec& spec, const Topology& topology);

/// Puts behind each multicast of a workload one answer from each destination, which it sends when the
/// multicast has reached it; where the workload has answers already, they get the length. A source sends its
/// next multicast when all answers to its last one have come. Ids are 0, 1, 2, … again. Memory: a word for
/// each multicast of the workload.
class AnsweredWorkload {
 public:
  /// `source` gives multicasts whose ids are 0, 1, 2, …; `flits`: of an answer, at least 1.
  AnsweredWorkload(WorkloadMerge::Source source, std::uint64_t flits);

  std::optional<Request> next();

 private:
  Request answer(const Request& asked, HostId from);

  WorkloadMerge::Source source_;
  std::uint64_t flits_;
  std::uint64_t made_ = 0;          ///< the next id
  std::vector<std::uint64_t> ids_;  ///< of the workload's multicasts, by their ids there
  std::deque<Request> waiting_;     ///< answers to be given
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> awaited_;  ///< by source: answers to its last
};

}  // namespace wormcast
