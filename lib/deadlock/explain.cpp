// Verdicts in words.
// SPDX-License-Identifier: MIT
#include "deadlock/verdict.hpp"

#include <fmt/format.h>

#include "router/router_rules.hpp"
#include "topology/name_table.hpp"

namespace wormcast {

std::string describe_resource(const Topology& topology, const Resource& resource) {
  using Kind = Resource::Kind;
  if (resource.kind == Kind::network)
    return fmt::format("channel {}{}", called(topology, resource.channel),
                       resource.vc == 0 ? "" : fmt::format(" (VC {})", resource.vc));
  const char* const what = resource.kind == Kind::injection   ? "the injection channel of node"
                           : resource.kind == Kind::host_link ? "the link of host"
                                                              : "a consumption channel of node";
  return fmt::format("{} {}", what, called(topology, resource.host));
}

std::string cause_in_words(const Verdict& verdict, const Topology& topology, const Cause& cause) {
  if (const auto* worm = std::get_if<WormCause>(&cause)) return worm_name({worm->multicast, worm->worm});
  const auto* leg = std::get_if<LegCause>(&cause);
  const auto level = leg ? leg->service_level : std::get<GroupCause>(cause).service_level;
  return (leg ? called(topology, leg->source) + " to " + called(topology, leg->destination)
              : "group " + verdict.tables.groups[std::get<GroupCause>(cause).group]) +
         (level ? fmt::format(", service level {}", *level) : "");
}

namespace {

/// What closes the cycle.
struct Shape {
  bool consumption_queue = false;  ///< a consumption channel that several inputs share
  bool two_outputs = false;        ///< two channels out of one node: branches that wait for each other
  bool turns_back = false;         ///< a consumption channel on the way: a turn at a destination
  bool busy = false;               ///< what an answer holds of its node
};

Shape shape_of(const Verdict& verdict, const Topology& topology, const Resources& resources) {
  Shape shape;
  for (const Dependency& edge : verdict.cycle) {
    const Resource from = resources.describe(edge.from);
    const Resource to = resources.describe(edge.to);
    if (to.kind == Resource::Kind::consumption)
      (to.by_input ? shape.turns_back : shape.consumption_queue) = true;
    if (from.kind == Resource::Kind::consumption) shape.busy = verdict.model.answered();
    if (from.kind != Resource::Kind::network || to.kind != Resource::Kind::network) continue;
    const auto one = topology.ends(from.channel);
    const auto other = topology.ends(to.channel);
    shape.two_outputs = shape.two_outputs || (one && other && one->from == other->from);
  }
  return shape;
}

/// What happens there, and nothing about what would help: that is for checks to say (`suggestions`).
std::string what_closes(const Shape& shape, const Verdict& verdict, const Topology& topology) {
  const bool per_flit = verdict.model.discipline().copies_flit_by_flit();
  if (verdict.model.discipline().copies_serially() && verdict.witness().size() == 1)
    return "A worm is longer than the buffer that its next copy would be read from: it stands still alone.";
  if (shape.busy)
    return "Nodes are busy there until their answers have left, and these wait for worms that wait for such "
           "nodes.";
  if (shape.consumption_queue && topology.hosts_have_links())
    return "Worms wait for the one link to a host while they hold channels.";
  if (shape.consumption_queue && per_flit)
    return "Worms wait for a node's consumption channel while they hold the next channel, and the other way "
           "round: a flit is taken there by one branch before the other.";
  if (shape.two_outputs && per_flit)
    return "Branches of worms that are copied flit by flit wait for each other there.";
  if (shape.two_outputs) return "Branches of tree worms wait for each other there.";
  if (shape.consumption_queue)
    return "Worms wait in the consumption queue of a node while they hold channels.";
  if (shape.turns_back) return "The cycle closes through turns that worms take at their destinations.";
  return "The cycle closes among network channels.";
}

std::string cycle_in_words(const Verdict& verdict, const Topology& topology, const Resources& resources) {
  constexpr std::size_t most = 8;
  std::string text;
  std::span<const Dependency> cycle = verdict.cycle;
  const bool of_tables = speaks_of_tables(verdict);
  if (of_tables) cycle = cycles_of(cycle).front();
  for (std::size_t i = 0; i < cycle.size() && i < most; ++i)
    text += describe_resource(topology, resources.describe(cycle[i].from)) +
            (of_tables ? " (" + cause_in_words(verdict, topology, cycle[i].cause) + "), " : ", ");
  if (cycle.size() > most) return text + "…";
  return text + "and back";
}

std::string suggested(const Verdict& verdict) {
  if (!verdict.suggestions) return "";
  if (verdict.suggestions->empty())
    return verdict.scope == program_scope
               ? " No change that was tried could be proved to help."
               : " No change that was tried, nor two of them together, could be proved to help.";
  const Suggestion& first = verdict.suggestions->front();
  std::string numbers;
  for (const std::uint64_t number : {first.length_flits, first.buffer_flits, first.virtual_channels})
    if (number != 0) numbers += fmt::format(" ({})", number);
  return fmt::format(" The smallest change that a check proves: {}{}.", first.change, numbers);
}

/// The rules that the proof leans on.
std::string leaning(const Verdict& verdict) {
  if (verdict.rests_on.empty()) return "";
  return fmt::format(" That leans on each of: {}. Without it, no proof was found.",
                     fmt::join(verdict.rests_on, ", "));
}

std::string buffers_in_words(const Topology& topology, const RouterModel& model) {
  const std::uint32_t least = topology.least(LinkValue::buffer_flits, model.buffer_flits);
  const std::uint32_t most = topology.most(LinkValue::buffer_flits, model.buffer_flits);
  return least == most ? fmt::format("{}-flit buffers", most)
                       : fmt::format("buffers of {} to {} flits", least, most);
}

/// For what a proof by numbering holds: dependencies follow from lengths, buffers and the kind of router.
std::string range_of_proof(const Verdict& verdict, const Topology& topology) {
  const RouterModel& model = verdict.model;
  if (model.discipline().grants_ways) return "for any timing or length where worms reserve their whole way";
  const WormLength length = length_of(verdict);
  if (length == WormLength::fits)
    return "for any timing or length where every buffer holds the whole worm (virtual cut-through)";
  if (length == WormLength::any) return "for any timing, length or buffer";
  const std::string worms =
      verdict.flits ? fmt::format("worms of {} flits", *verdict.flits) : "worms as long as these";
  return fmt::format("at any time for {} with {}", worms, buffers_in_words(topology, model));
}

/// Ids of a stream, or, where the checker made the multicasts, where they start.
std::string multicasts_of(const Verdict& verdict, const Topology& topology) {
  std::string text;
  bool planned = false;
  for (const WitnessWorm& worm : verdict.witness()) {
    if (worm.waits.empty()) continue;  // it only comes before an answer
    planned = planned || worm.planned.has_value();
    text += fmt::format(
        "{}{}", text.empty() ? "" : ", ",
        worm.planned ? called(topology, worm.planned->source) : std::to_string(worm.name.multicast));
  }
  return planned ? "from nodes " + text + ", to the destinations that the witness names" : text;
}

std::string explain_answer(const Verdict& verdict, const Topology& topology) {
  const Answer answer = verdict.answer();
  if (answer == Answer::safe && verdict.worms == 0 && verdict.multicasts == 0)
    return "There is nothing here that could deadlock: no worm was checked.";
  if (answer == Answer::safe && verdict.proof() == escape_proof)
    return fmt::format(
        "No deadlock is possible {}, whatever routers choose: wherever a header waits, it is offered one of "
        "{} escape channels that comes later than all of them that its worm can hold. The numbering of the "
        "escape proves it, where a buffer holds flits of one worm at a time.",
        range_of_proof(verdict, topology), verdict.numbering().size());
  if (answer == Answer::safe) {
    const bool rings = verdict.model.discipline().slots_differ();
    return fmt::format(
        "No deadlock is possible {}: the {} dependencies among {} resources have no cycle{}. The numbering "
        "proves it, since no worm ever waits for a resource with a smaller number than one it holds{}.",
        range_of_proof(verdict, topology), verdict.dependencies, verdict.resources,
        rings ? " beyond rings that never fill" : "", rings ? ", rings counted as one" : "");
  }
  if (answer == Answer::unknown && verdict.cycle.empty())
    return fmt::format("Undecided ({}).", verdict.limit());
  const Resources resources(topology, verdict.model);
  const std::string cycle = cycle_in_words(verdict, topology, resources);
  if (answer == Answer::safe_unreachable)
    return fmt::format(
        "These worms cannot deadlock with {}, although their dependencies have a cycle: {}. That rests on "
        "exactly these worms, each once; check again when the traffic, the lengths or the buffers change.",
        buffers_in_words(topology, verdict.model), cycle);
  const auto closes = [&] { return what_closes(shape_of(verdict, topology, resources), verdict, topology); };
  if (answer == Answer::deadlock)
    return fmt::format(
        "{} worms can block each other for good (of multicasts {}); the shortest dependency cycle is {}. {}",
        std::count_if(verdict.witness().begin(), verdict.witness().end(),
                      [](const WitnessWorm& worm) { return !worm.waits.empty(); }),
        multicasts_of(verdict, topology), cycle, closes());
  if (answer == Answer::loop && verdict.scope != tables_scope)
    return fmt::format(
        "The routes have a credit loop of {} buffers: {}. These packets, each once, cannot fill it, but as "
        "soon as they are sent again nothing excludes that they wait for each other in it.",
        verdict.cycle.size(), cycle);
  if (answer == Answer::loop) {
    const auto cycles = cycles_of(verdict.cycle);
    return fmt::format(
        "The forwarding tables have a credit loop of {} channels, with what waits in each for the next: "
        "{}{}. Packets can block each other there; it is a loop, not a permanent deadlock, since switches "
        "drop what has waited for their head-of-queue lifetime.{}",
        cycles.front().size(), cycle,
        cycles.size() == 1 ? "" : ", or another one, as the service level of a message is",
        verdict.tables.supposes_one_lane
            ? " That supposes one virtual channel: the tables name no service levels."
            : "");
  }
  return fmt::format("Undecided ({}): the shortest dependency cycle is {}.{}", verdict.limit(), cycle,
                     verdict.scope == tables_scope ? "" : " " + closes());
}

/// Of a segment with reductions.
std::string explain_joined(const Verdict& verdict, const Topology& topology) {
  std::string text, cycle;
  if (!verdict.cycle.empty())
    cycle = fmt::format("; the shortest dependency cycle is {}",
                        cycle_in_words(verdict, topology, Resources(topology, verdict.model)));
  if (verdict.answer() == Answer::safe) {
    text =
        "No deadlock is possible, whenever each part starts: no worm ever waits for what another one holds "
        "in an earlier place of the order.";
  } else if (verdict.answer() == Answer::safe_unreachable) {
    text = fmt::format(
        "These messages cannot deadlock, whenever each part starts: all {} states of the routers were looked "
        "at. That rests on exactly these messages, each once, and {}-flit buffers.",
        verdict.looked_at, verdict.model.buffer_flits);
  } else if (verdict.answer() == Answer::deadlock) {
    std::set<std::uint64_t> ids;
    for (const WitnessWorm& worm : verdict.witness()) ids.insert(worm.name.multicast);
    text = fmt::format("Messages {} block each other for good when they start as the witness says{}.",
                       fmt::join(ids, ", "), cycle);
  } else {
    text = fmt::format("Undecided ({}){}.", verdict.limit(), cycle);
  }
  for (const auto& [ids, run] : verdict.joins.mixed)
    text += fmt::format(fmt::runtime(ids.size() == 1 ? " Flits of {} can come where they do not belong."
                                     : run.empty()   ? " Routers cannot tell parts of {} apart."
                                                     : " Routers can join parts of {} to one message."),
                        fmt::join(ids, ", "));
  for (const Mixture& mixture : verdict.joins.interleaved)
    text += fmt::format(" Flits of {} can come between each other.", fmt::join(mixture.multicasts, ", "));
  return text;
}

std::string explain_program(const Verdict& verdict) {
  if (verdict.answer() == Answer::unknown)
    return fmt::format("Undecided ({}).", verdict.limit()) + suggested(verdict);
  if (verdict.answer() == Answer::safe_unreachable)
    return fmt::format(
        "The program cannot deadlock, whatever is granted in which order: all {} states of its packets and "
        "processes were looked at. That rests on these processes, packets and buffers.",
        verdict.looked_at);
  if (verdict.answer() == Answer::safe)
    return "The program cannot deadlock, whatever is granted in which order: all steps of its processes "
           "stand in an order in which each waits for earlier ones alone, and packets for channels in an "
           "order, too. That rests on these processes, packets and buffers.";
  return fmt::format("The program can come to where nothing goes on: {}.",
                     fmt::join(verdict.shown(&ByRun::standstill), "; ")) +
         suggested(verdict);
}

}  // namespace

std::string explain(const Verdict& verdict, const Topology& topology) {
  if (verdict.scope == program_scope) return explain_program(verdict);
  std::string text = (verdict.joins.reductions ? explain_joined : explain_answer)(verdict, topology) +
                     leaning(verdict) + suggested(verdict);
  if (!verdict.tables.unrouted.empty())
    text += " But " + verdict.tables.unrouted + ".";
  else if (verdict.unrouted != 0)
    text += fmt::format(
        " But pairs that do not arrive are not among them ({}): check the tables, whose packets can "
        "hold buffers in a forwarding loop.",
        verdict.unrouted);
  return text;
}

}  // namespace wormcast
