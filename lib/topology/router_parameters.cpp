// The table of router parameters, what no two of them may say, and the known routers.
// SPDX-License-Identifier: MIT
#include "topology/router_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/refuse.hpp"

namespace wormcast {
namespace {

using M = RouterModel;

/// Two parameters of which one leaves nothing for the other to say.
struct Exclusion {
  std::string_view key;
  std::string_view other;
  bool (*both)(const RouterModel&);
  std::string_view reason;
};

bool allocates(const M& m) { return m.vc_allocation != VcAllocation::as_routed; }
bool at_once(const M& m) { return m.allocation != Allocation::incremental; }
bool two_step(const M& m) { return m.allocation == Allocation::two_step; }
bool copies(const M& m) { return m.copies != Copies::as_planned; }
bool serial(const M& m) { return m.copies == Copies::serial; }
bool by_input(const M& m) { return m.output_arbitration != OutputArbitration::first_come; }
bool drained(const M& m) { return m.vc_reuse == VcReuse::drained; }
bool bubbles(const M& m) { return m.ring_entry != RingEntry::any; }
bool answered(const M& m) { return m.consumption_release == ConsumptionRelease::answered; }

constexpr Exclusion exclusions[] = {
    {"path_reservation", "vc_allocation", [](const M& m) { return allocates(m) && m.path_reservation; },
     "nothing is chosen on a way that is reserved"},
    {"consumption_release", "vc_allocation", [](const M& m) { return allocates(m) && answered(m); },
     "its consumption links have virtual channels, which no answer holds"},
    {"allocation", "vc_allocation", [](const M& m) { return allocates(m) && at_once(m); },
     "every branch takes a virtual channel when it can"},
    {"output_arbitration", "vc_allocation", [](const M& m) { return allocates(m) && by_input(m); },
     "outputs are matched with inputs by iSLIP"},
    {"arbitration", "vc_allocation",
     [](const M& m) { return allocates(m) && m.arbitration == Arbitration::first_come; },
     "links are matched with inputs by iSLIP"},
    {"flit_cycles", "vc_allocation", [](const M& m) { return allocates(m) && m.flit_cycles != 1; },
     "a flit crosses in every cycle"},
    {"path_reservation", "allocation", [](const M& m) { return m.path_reservation && at_once(m); },
     "nothing is asked for on the way"},
    {"path_reservation", "replication", [](const M& m) { return m.path_reservation && copies(m); },
     "a worm that has all its way never waits with a copy"},
    {"path_reservation", "output_arbitration", [](const M& m) { return m.path_reservation && by_input(m); },
     "worms wait at their sources, in one queue for all that is on their way"},
    {"path_reservation", "consumption_release", [](const M& m) { return m.path_reservation && answered(m); },
     "a worm that waits for its way would hold what it answers"},
    {"consumption_release", "allocation", [](const M& m) { return at_once(m) && answered(m); },
     "a worm that asks for several outputs at once waits in queues, through which answers are not followed"},
    {"replication", "allocation", [](const M& m) { return copies(m) && at_once(m); },
     "every branch takes a flit when it can"},
    {"output_arbitration", "allocation", [](const M& m) { return by_input(m) && at_once(m); },
     "a worm that asks for several outputs at once waits in queues"},
    {"vc_reuse", "allocation", [](const M& m) { return two_step(m) && drained(m); },
     "worms follow each other in its FIFOs"},
    {"vc_reuse", "replication", [](const M& m) { return serial(m) && drained(m); },
     "worms follow each other in its FIFOs"},
    {"vc_reuse", "output_arbitration",
     [](const M& m) { return m.output_arbitration == OutputArbitration::rotating && drained(m); },
     "worms follow each other in its FIFOs"},
    {"shared_links", "allocation", [](const M& m) { return two_step(m) && m.shared_links; },
     "its outputs have no virtual channels"},
    {"shared_links", "replication", [](const M& m) { return serial(m) && m.shared_links; },
     "which copy is next would depend on the link"},
    {"consumption_release", "replication", [](const M& m) { return serial(m) && answered(m); },
     "answers are not followed from copy to copy"},
    {"path_reservation", "ring_entry", [](const M& m) { return bubbles(m) && m.path_reservation; },
     "nothing is asked for on the way"},
    {"allocation", "ring_entry", [](const M& m) { return bubbles(m) && at_once(m); },
     "a worm that asks for several outputs at once would wait for the slots of all"},
    {"replication", "ring_entry", [](const M& m) { return bubbles(m) && copies(m); },
     "it is not judged for copies that routers make in their own way"},
    {"output_arbitration", "ring_entry", [](const M& m) { return bubbles(m) && by_input(m); },
     "of those that have slots the first is served"},
    {"vc_allocation", "ring_entry", [](const M& m) { return bubbles(m) && allocates(m); },
     "routers that allocate grant virtual channels, not slots"},
    {"consumption_release", "ring_entry", [](const M& m) { return bubbles(m) && answered(m); },
     "it is not judged for nodes that answer"},
    {"vc_reuse", "ring_entry", [](const M& m) { return bubbles(m) && drained(m); },
     "worms follow each other in its FIFOs"},
    {"cut_through", "ring_entry", [](const M& m) { return m.cut_through && bubbles(m); },
     "packet-bubble says both"},
    {"cut_through", "allocation", [](const M& m) { return m.cut_through && two_step(m); },
     "it is not judged for packets"},
    {"cut_through", "consumption_release", [](const M& m) { return m.cut_through && answered(m); },
     "it is not judged for packets"}};

/// What the model has for the parameter, with a space before it; nothing of a flag.
std::string word_of(std::string_view key, const M& model) {
  const auto* parameter = std::find_if(router_parameters.begin(), router_parameters.end(),
                                       [&](const RouterParameter& p) { return p.key == key; });
  return parameter->kind == RouterParameter::Kind::words
             ? fmt::format(" {}", parameter->words[parameter->get(model)])
             : "";
}

std::string option_of(std::string_view key) {
  std::string option = fmt::format("--{}", key);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
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
     "--vc-reuse early --replication serial --output-arbitration rotating"}};

}  // namespace

std::string RouterParameter::option() const { return option_of(key); }

std::span<const std::string_view> RouterParameter::known_words() const {
  return {words.begin(), std::find(words.begin(), words.end(), std::string_view())};
}

void check_router(const RouterModel& model, bool as_options) {
  const auto name = [&](std::string_view key) { return as_options ? option_of(key) : std::string(key); };
  // A credit takes no longer on a consumption channel than on any other.
  const std::uint64_t most = std::uint64_t{model.hop_cycles} + model.credit_cycles;
  if (model.consumption_cycles > most)
    refuse(name("consumption_cycles"), "{} is more than {}, the hop and credit cycles",
           model.consumption_cycles, most);
  for (const Exclusion& exclusion : exclusions)
    if (exclusion.both(model))
      refuse(name(exclusion.key), "excludes {}{}: {}", name(exclusion.other), word_of(exclusion.other, model),
             exclusion.reason);
}

std::span<const RouterPreset> router_presets() { return presets; }

}  // namespace wormcast
