// The table of router parameters, what no two of them may say, and the known routers.
// SPDX-License-Identifier: MIT
#include "router/router_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/refuse.hpp"

namespace wormcast {
namespace {

using M = RouterModel;

/// Something else than usual that a router has for a parameter.
struct Trait {
  std::string_view key;
  bool (*holds)(const RouterModel&);
};

constexpr Trait reserved{"path_reservation", [](const M& m) { return m.path_reservation; }};
constexpr Trait allocates{"vc_allocation",
                          [](const M& m) { return m.vc_allocation != VcAllocation::as_routed; }};
constexpr Trait at_once{"allocation", [](const M& m) { return m.allocation != Allocation::incremental; }};
constexpr Trait two_step{"allocation", [](const M& m) { return m.allocation == Allocation::two_step; }};
constexpr Trait copies{"replication", [](const M& m) { return m.copies != Copies::as_planned; }};
constexpr Trait serial{"replication", [](const M& m) { return m.copies == Copies::serial; }};
constexpr Trait by_inputs{"output_arbitration",
                          [](const M& m) { return m.output_arbitration != OutputArbitration::first_come; }};
constexpr Trait rotating{"output_arbitration",
                         [](const M& m) { return m.output_arbitration == OutputArbitration::rotating; }};
constexpr Trait drained{"vc_reuse", [](const M& m) { return m.vc_reuse == VcReuse::drained; }};
constexpr Trait bubbles{"ring_entry", [](const M& m) { return m.ring_entry != RingEntry::any; }};
constexpr Trait answered{"consumption_release",
                         [](const M& m) { return m.consumption_release == ConsumptionRelease::answered; }};
constexpr Trait link_in_order{"arbitration",
                              [](const M& m) { return m.arbitration == Arbitration::first_come; }};
constexpr Trait slow_flits{"flit_cycles", [](const M& m) { return m.flit_cycles != 1; }};
constexpr Trait shared{"shared_links", [](const M& m) { return m.shared_links; }};
constexpr Trait cut_through{"cut_through", [](const M& m) { return m.cut_through; }};

/// Two parameters of which one leaves nothing for the other to say.
struct Exclusion {
  Trait one, other;
  std::string_view reason;
};

constexpr Exclusion exclusions[] = {
    {reserved, allocates, "nothing is chosen on a way that is reserved"},
    {answered, allocates, "its consumption links have virtual channels, which no answer holds"},
    {at_once, allocates, "every branch takes a virtual channel when it can"},
    {by_inputs, allocates, "outputs are matched with inputs by iSLIP"},
    {link_in_order, allocates, "links are matched with inputs by iSLIP"},
    {slow_flits, allocates, "a flit crosses in every cycle"},
    {reserved, at_once, "nothing is asked for on the way"},
    {reserved, copies, "a worm that has all its way never waits with a copy"},
    {reserved, by_inputs, "worms wait at their sources, in one queue for all that is on their way"},
    {reserved, answered, "a worm that waits for its way would hold what it answers"},
    {answered, at_once,
     "a worm that asks for several outputs at once waits in queues, through which answers are not followed"},
    {copies, at_once, "every branch takes a flit when it can"},
    {by_inputs, at_once, "a worm that asks for several outputs at once waits in queues"},
    {drained, two_step, "worms follow each other in its FIFOs"},
    {drained, serial, "worms follow each other in its FIFOs"},
    {drained, rotating, "worms follow each other in its FIFOs"},
    {shared, two_step, "its outputs have no virtual channels"},
    {shared, serial, "which copy is next would depend on the link"},
    {answered, serial, "answers are not followed from copy to copy"},
    {reserved, bubbles, "nothing is asked for on the way"},
    {at_once, bubbles, "a worm that asks for several outputs at once would wait for the slots of all"},
    {copies, bubbles, "it is not judged for copies that routers make in their own way"},
    {by_inputs, bubbles, "of those that have slots the first is served"},
    {allocates, bubbles, "routers that allocate grant virtual channels, not slots"},
    {answered, bubbles, "it is not judged for nodes that answer"},
    {drained, bubbles, "worms follow each other in its FIFOs"},
    {cut_through, bubbles, "packet-bubble says both"},
    {cut_through, two_step, "it is not judged for packets"},
    {cut_through, answered, "it is not judged for packets"}};

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
    if (exclusion.one.holds(model) && exclusion.other.holds(model))
      refuse(name(exclusion.one.key), "excludes {}{}: {}", name(exclusion.other.key),
             word_of(exclusion.other.key, model), exclusion.reason);
}

std::span<const RouterPreset> router_presets() { return presets; }

}  // namespace wormcast
