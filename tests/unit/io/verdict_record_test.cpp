// Verdict records: what is written is read back, for each answer; refusals.
// SPDX-License-Identifier: MIT
#include "io/records/verdict_record.hpp"

#include <doctest/doctest.h>

#include "topology/error.hpp"
#include "unit/deadlock/hand_made.hpp"

namespace wormcast::verdict_record_test {

namespace {

Verdict verdict_of(const Topology& topology, const CheckOptions& options,
                   const std::vector<WormRoute>& worms) {
  return hand_made::verdict_of(topology, options, hand_made::one_each(worms, 8));
}

void round_trip(const Topology& topology, const Verdict& verdict) {
  io::RecordLine line;
  const std::string written(io::write_verdict_record(verdict, topology, line));
  io::JsonText json;
  json.parse(written);
  Verdict again;
  io::read_verdict_record(json.root(), topology, again);
  io::RecordLine second;
  CHECK(io::write_verdict_record(again, topology, second) == written);
  CHECK(again.answer() == verdict.answer());
  CHECK(again.numbering() == verdict.numbering());
  CHECK(again.witness().size() == verdict.witness().size());
}

}  // namespace

TEST_CASE("verdict records are read back as they were written") {
  const auto topology = hand_made::mesh({2, 2});
  const auto worms = hand_made::four_turns(*topology);
  CheckOptions options;
  round_trip(*topology, verdict_of(*topology, options, {worms[0], worms[1]}));
  options.flits = long_worm_flits;
  round_trip(*topology, verdict_of(*topology, options, worms));
  options.flits = 3;
  options.model.allocation = Allocation::atomic;
  options.model.consumption_channels = 2;
  options.model.injection_channels = 1;
  options.model.vc_reuse = VcReuse::early;
  auto with_a_tree = worms;
  with_a_tree.push_back(hand_made::tree(*topology, 0, {{1, -1}, {2, -1}}, Copies::lock_step));
  options.limits.states = 1;
  const Verdict early = verdict_of(*topology, options, with_a_tree);
  CHECK(early.answer() == Answer::unknown);
  CHECK_FALSE(early.limit().empty());
  round_trip(*topology, early);
  options.limits = {};
  round_trip(*topology, verdict_of(*topology, options, with_a_tree));
  options.model.vc_reuse = VcReuse::drained;
  round_trip(*topology, verdict_of(*topology, options, worms));
}

TEST_CASE("a verdict that names no resource, no answer or a word it does not know is refused") {
  const auto topology = hand_made::mesh({2, 2});
  io::RecordLine line;
  const std::string good(io::write_verdict_record(
      verdict_of(*topology, {}, {hand_made::four_turns(*topology)[0]}), *topology, line));
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    const std::size_t at = bad.find(from);
    REQUIRE(at != std::string::npos);
    bad.replace(at, from.size(), to);
    io::JsonText json;
    json.parse(bad);
    Verdict verdict;
    CHECK_THROWS_AS(io::read_verdict_record(json.root(), *topology, verdict), InputError);
  };
  refused("\"answer\":\"safe\"", "\"answer\":\"fine\"");
  refused("{\"channel\":0}", "{}");
  refused("{\"channel\":0}", "{\"channel\":99}");
  refused("{\"channel\":0}", "{\"injection\":0,\"channel\":0}");
  refused("\"all\"", "\"many\"");
  refused("\"incremental\"", "\"later\"");
  refused("\"worms\":1,", "");
  refused("\"numbering\"", "\"limit\":\"all of them\",\"numbering\"");
  refused("\"incremental\"", "\"incremental\",\"routing_cycles\":0");
  refused("\"incremental\"", "\"incremental\",\"consumption_cycles\":0");
  refused("\"incremental\"", "\"incremental\",\"consumption_cycles\":3");  // H + C = 2
}

}  // namespace wormcast::verdict_record_test
