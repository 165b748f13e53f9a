// The table of router parameters, what no two of them may say, and the known routers.
// SPDX-License-Identifier: MIT
#include "router/router_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "router/router_rules.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
namespace {

using M = RouterModel;

const RouterParameter& parameter_of(std::string_view key) {
  return *std::find_if(router_parameters.begin(), router_parameters.end(),
                       [&](const RouterParameter& p) { return p.key == key; });
}

bool as_usual(const RouterParameter& parameter, const M& model) {
  return parameter.get(model) == parameter.get(M{});
}

/// What the model has for the parameter, with a space before it; nothing of a flag.
std::string word_of(std::string_view key, const M& model) {
  const RouterParameter& parameter = parameter_of(key);
  return parameter.kind == RouterParameter::Kind::words
             ? fmt::format(" {}", parameter.words[parameter.get(model)])
             : "";
}

/// booksim-minimal: a flit takes 3 cycles a hop, a header one more to be routed and a packet 6 more; a slot
/// is used again after 5 = H + C, and ejection channels, too, wait for the credit of the tail. booksim-iq: a
/// flit wins the crossbar, crosses it and the link: 3 cycles; a header needs one more for its virtual
/// channel. Ejection channels have slots and credits. A packet takes 5 more: from its source and to its
/// destination. floonoc: a slot is used again two cycles after its flit left, which is a cycle after it came:
/// H + C = 2 = B.
/// esp: a header waits in one cycle and leaves in the next, the flits behind it take one; 4 slots and a
/// register. pronoc: a flit takes two cycles to the next router, and so does a credit back.
constexpr RouterPreset presets[] = {
    {"paper", "the ideal router of the papers: sources send through all ports, no startup",
     "Bouchitté, Cohen, Fleury 1997, equation (1)", ""},
    {"booksim-minimal",
     "BookSim 2's input-queued router at its shortest pipeline: routing, allocation and traversal in a cycle "
     "each, speculation on",
     "Jiang et al. 2013 (BookSim 2, iq router, speculative = 1)",
     "--hop-cycles 3 --routing-cycles 1 --credit-cycles 2 --buffer-flits 8 --overhead-cycles 6 "
     "--injection-channels 1 --consumption-channels 1 --consumption-cycles 5 --shared-links"},
    {"booksim-iq",
     "BookSim 2's input-queued router as it comes, with look-ahead routing: virtual channels and the "
     "crossbar allocated by iSLIP, one iteration, virtual channels used again early",
     "Jiang et al. 2013 (BookSim 2, iq router, routing_delay = 0)",
     "--hop-cycles 3 --credit-cycles 2 --buffer-flits 8 --overhead-cycles 5 --injection-channels 1 "
     "--consumption-channels 1 --consumption-cycles 5 --vc-allocation islip --vc-selection any --vc-reuse "
     "early --replication per-flit --shared-links"},
    {"infiniband",
     "a switch of about 100 ns and a host of about 1 us; a cycle is 5 ns, a flit a 64-byte block at 100 "
     "Gbit/s, a buffer two 4 KiB packets",
     "round figures, no measured product",
     "--hop-cycles 20 --credit-cycles 20 --buffer-flits 128 --startup-cycles 200 --relay-startup-cycles 200 "
     "--injection-channels 1 --consumption-channels 1"},
    {"floonoc",
     "a published on-chip router that copies in the router, flit by flit: single-cycle hops, input buffers "
     "of 2 flits, which worms share one behind the other, one local port, round robin over inputs",
     "PULP platform, FlooNoC (floo_router, InFifoDepth 2, OutFifoDepth 0), cycle for cycle",
     "--buffer-flits 2 --injection-channels 1 --consumption-channels 1 --vc-reuse early --replication "
     "per-flit --output-arbitration round-robin"},
    {"esp",
     "a published on-chip router that copies in lock step: a header gets all its outputs at once, input "
     "buffers of 4 flits and a register, one local port",
     "ESP (lookahead_router_multicast, QUEUE_SIZE 4, ack/nack), cycle for cycle but for packets of one flit",
     "--buffer-flits 4 --injection-channels 1 --consumption-channels 1 --vc-reuse early --allocation "
     "two-step"},
    {"pronoc",
     "a published on-chip router that makes one copy after the other, each the whole packet, which must fit "
     "into a buffer (--buffer-flits) if it branches; one local port",
     "ProNoC (router_two_stage, MULTICAST_FULL, NONATOMIC, COMB_NONSPEC), cycle for cycle",
     "--hop-cycles 2 --credit-cycles 2 --buffer-flits 4 --injection-channels 1 --consumption-channels 1 "
     "--vc-reuse early --replication serial --output-arbitration rotating"},
    {"aie-stream-switch",
     "the stream switch of AMD's AI Engine, but for its cycles: ports of 4 words, each held from header to "
     "tail, branches in lock step; imported designs have its arbiters as links",
     "AMD AM020 (AXI4-Stream interconnect: FIFOs of 4 words, arbiters)",
     "--buffer-flits 4 --injection-channels 1 --consumption-channels 1"}};

}  // namespace

std::string router_option(std::string_view key) {
  std::string option = fmt::format("--{}", key);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

RouterModel with_discipline(RouterModel model, const Discipline& discipline) {
  for (const Discipline* other : disciplines())
    if (!other->parameter.empty())
      parameter_of(other->parameter).set(model, parameter_of(other->parameter).get(M{}));
  if (discipline.choose != nullptr) discipline.choose(model);
  return model;
}

std::string RouterParameter::option() const { return router_option(key); }

std::string RouterParameter::said_of(const RouterModel& model) const {
  const std::uint64_t value = get(model);
  if (kind == Kind::flag) return option();
  const bool word = kind == Kind::words || (kind == Kind::channels && value == 0);
  return fmt::format("{} {}", option(), word ? std::string(words[value]) : std::to_string(value));
}

std::span<const std::string_view> RouterParameter::known_words() const {
  return {words.begin(), std::find(words.begin(), words.end(), std::string_view())};
}

void check_router(const RouterModel& model, bool as_options) {
  const auto name = [&](std::string_view key) { return as_options ? router_option(key) : std::string(key); };
  // A credit takes no longer on a consumption channel than on any other.
  const std::uint64_t most = std::uint64_t{model.hop_cycles} + model.credit_cycles;
  if (model.consumption_cycles > most)
    refuse(name("consumption_cycles"), "{} is more than {}, the hop and credit cycles",
           model.consumption_cycles, most);
  const auto exclude = [&](std::string_view key, std::string_view other, std::string_view reason) {
    refuse(name(key), "excludes {}{}: {}", name(other), word_of(other, model), reason);
  };
  const Discipline& discipline = model.discipline();
  for (const Discipline* other : disciplines())
    if (other != &discipline && !other->parameter.empty() && other->chosen(model) &&
        !(discipline.chooses_vcs && other->copies == discipline.copies))
      exclude(discipline.parameter, other->parameter, "a router has one discipline");
  for (const std::string_view key : discipline.fixes)
    if (!key.empty() && !as_usual(parameter_of(key), model))
      exclude(key, discipline.parameter, discipline.because);
  const bool rotates = model.output_arbitration == OutputArbitration::rotating;
  if (!model.reuses_early() && (discipline.reuses_early || rotates))
    exclude("vc_reuse", discipline.reuses_early ? discipline.parameter : "output_arbitration",
            "worms follow each other in its FIFOs");
  if (model.cut_through && !discipline.judges_packets)
    exclude("cut_through", discipline.parameter, "it is not judged for packets");
  if (model.cut_through && model.answered())
    exclude("cut_through", "consumption_release", "it is not judged for packets");
}

std::vector<std::pair<std::string, RouterModel>> rules_of(const RouterModel& model, bool answers) {
  const Discipline& discipline = model.discipline();
  M streaming = model, early = model;
  streaming.cut_through = false;
  early.vc_reuse = VcReuse::early;
  if (model.cut_through && !discipline.grants_ways) return {{"cut-through", streaming}};
  std::vector<std::pair<std::string, RouterModel>> rules;
  if (answers && !discipline.grants_ways && !discipline.grants_nodes && !model.answered())
    rules.emplace_back("consumption-release arrived", answering(model, true));
  if (discipline.without != nullptr)
    rules.emplace_back(discipline.rule, with_discipline(model, *discipline.without));
  if (!model.reuses_early() && !discipline.grants_ways) rules.emplace_back("vc-reuse drained", early);
  return rules;
}

std::span<const RouterPreset> router_presets() { return presets; }

}  // namespace wormcast
