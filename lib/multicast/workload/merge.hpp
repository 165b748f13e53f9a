// Merges a workload into the multicasts of a stream, in start order, with ids that cannot clash.
//
// A stream is not read ahead, so its greatest id is unknown when the first own multicast must be
// written. Ids are therefore interleaved: the stream's multicast i becomes 2i and its depends_on with
// it, own multicast j becomes 2j + 1. Nothing has to be remembered, every two multicasts of the stream
// keep their order of ids, and merging can be repeated. Where the stream has no multicasts own ids
// are 0, 1, 2, …
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "multicast/request.hpp"
#include "multicast/workload/workload.hpp"
#include "topology/topology.hpp"

namespace wormcast {

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
