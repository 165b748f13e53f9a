// Pattern `invalidation`: the home node of a cache line tells K sharers to drop it, and each of them answers.
//
// A start is one multicast from the home to its sharers, uniform over all other nodes as in pattern
// `uniform`, and one unicast of one flit back from each sharer, which waits for the multicast to reach it and
// is its answer: the workload says so, so that nodes may be busy until they have answered. A home does not
// wait for the answers of one line before it asks for the next. With --answers FLITS it does, and answers
// have so many flits. --rate counts the multicast. cite: Sorin, Hill, Wood: A Primer on Memory Consistency
// and Cache Coherence, 2011 (directory protocols).
// SPDX-License-Identifier: MIT

#include "multicast/workload/pattern.hpp"

namespace wormcast {
namespace {

constexpr std::uint64_t answer_flits = 1;

DestinationPattern bind_invalidation(const Topology& topology, const PatternOptions& options) {
  const auto any = bind_pattern("uniform", topology, options).destinations;
  return {.destinations = any, .group = [any](HostId source, Random& random) {
            const std::vector<HostId> sharers = any(source, random);
            std::vector<GroupMember> result(1 + sharers.size());
            result[0] = {.source = source, .destinations = sharers, .after = {}, .answers = answer_flits};
            for (std::size_t i = 0; i < sharers.size(); ++i)
              result[i + 1] = {.source = sharers[i],
                               .destinations = {source},
                               .after = {0},
                               .length_flits = answer_flits,
                               .answers = answer_flits,
                               .answer = true};
            return result;
          }};
}

}  // namespace

extern const PatternEntry pattern_invalidation = {
    .name = "invalidation",
    .summary = "a start goes to K (or K1 to K2) sharers, each of which answers with one flit when it has it",
    .topologies = "all",
    .cite = "Sorin, Hill, Wood 2011",
    .options = {"--destinations"},
    .bind = bind_invalidation,
    .grouped = true,
    .flit_bits = chip_flit_bits,
};

}  // namespace wormcast
