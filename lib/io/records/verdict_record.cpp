// Codec of verdict records: the answer, the model, and the evidence by which it can be checked.
// SPDX-License-Identifier: MIT
#include "io/records/verdict_record.hpp"

#include <array>
#include <string>
#include <type_traits>
#include <variant>

#include "io/records/multicast_record.hpp"
#include "io/records/program_record.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<std::string_view, 2> proven_words = {"safe", "safe-unreachable"};
constexpr std::array<std::string_view, 2> numbering_proofs = {acyclic_proof, escape_proof};

/// The routers, and how long the worms are: at most one of the last three members.
template <WormLength length>
struct Length {
  static bool is(const Verdict& verdict) { return length_of(verdict) == length; }
  static void read(const Value& value, Verdict& verdict, const Scope&) {
    const std::uint64_t said = length == WormLength::stated ? value.integer(1) : value.boolean() ? 1 : 0;
    if (said == 0) return;
    if (length_of(verdict) != WormLength::recorded)
      value.fail("the worms have one length: worm_flits, long_worms or cut_through");
    if (length == WormLength::fits)
      verdict.model.cut_through = true;
    else
      verdict.flits = length == WormLength::any ? long_worm_flits : said;
  }
  static void write(const Verdict& verdict, RecordLine& line, const Scope& scope) {
    if (length == WormLength::stated)
      Number<1>::write(verdict.flits, line, scope);
    else
      line.boolean(true);
  }
  static std::string form() { return length == WormLength::stated ? Number<1>::form() : Flag::form(); }
};
template <WormLength length>
constexpr auto length_row(std::string_view key, std::string_view meaning) {
  return row<Self<Verdict>, Length<length>>(key, meaning).only_if(Length<length>::is);
}
constexpr auto length_rows = table(
    length_row<WormLength::stated>("worm_flits",
                                   "all worms are that long, the model's `header_flits` included; stated "
                                   "`header_flits` of a route add the difference"),
    length_row<WormLength::any>("long_worms", "`true`: longer than any path"),
    length_row<WormLength::fits>("cut_through", "`true`: virtual cut-through"));
constexpr auto verdict_model_rows = table(rows_of<Part<&Verdict::model>, router_rows>(), length_rows);

constexpr auto change_rows =
    table(always<&Suggestion::change, Text>("change", "one of 3.10, or two joined by `+`"),
          where_stated<&Suggestion::length_flits, Number<1>>("length_flits", "longest messages"),
          where_stated<&Suggestion::buffer_flits, Number<1>>("buffer_flits", "smallest buffers"),
          where_stated<&Suggestion::virtual_channels, Number<1>>("virtual_channels", "as many as it takes"),
          where_stated<&Suggestion::options, Text>(
              "options", "to add or replace: of the routers; for all multicasts, of check-deadlock"),
          always<&Suggestion::answer, Word<proven_words>>("answer", "of a check of the change"));

struct AnswerWord {
  static void read(const Value& value, Verdict& verdict, const Scope&) {
    verdict.evidence = evidence_for(static_cast<Answer>(word_index(value, answer_words)));
  }
  static void write(const Verdict& verdict, RecordLine& line, const Scope&) {
    line.string(answer_name(verdict.answer()));
  }
  static std::string form() { return words_form(answer_words); }
};

/// What is in evidence of one kind, read once the answer has said that it is of that kind.
template <class Access, class Shape>
struct Shown {
  using Kind = typename Access::Whole;
  static bool any(const Verdict& verdict) {
    const Kind* const kind = std::get_if<Kind>(&verdict.evidence);
    return kind != nullptr && is_stated(Access::of(*kind));
  }
  static void read(const Value& value, Verdict& verdict, const Scope& scope) {
    constexpr bool order = std::is_same_v<Kind, ByOrder> || std::is_same_v<Kind, BySteps>;
    if ((order && verdict.answer() == Answer::safe && verdict.numbering().empty()) ||
        (std::is_same_v<Kind, ByRun> && verdict.answer() == Answer::deadlock && verdict.witness().empty() &&
         !std::holds_alternative<Kind>(verdict.evidence)))
      verdict.evidence.emplace<Kind>();
    Kind* const kind = std::get_if<Kind>(&verdict.evidence);
    if (kind == nullptr) {
      Verdict wanted;
      wanted.evidence.emplace<Kind>();
      value.fail(fmt::format("belongs only where the answer is {}{}", answer_name(wanted.answer()),
                             wanted.answer() == verdict.answer() ? ", beside no other evidence" : ""));
    }
    const Resources resources(*scope.network, verdict.model);
    Shape::read(value, Access::of(*kind), {scope.network, &resources});
  }
  static void write(const Verdict& verdict, RecordLine& line, const Scope& scope) {
    Shape::write(Access::of(std::get<Kind>(verdict.evidence)), line, scope);
  }
  static std::string form() { return Shape::form(); }
};
template <class Access, class Shape>
constexpr auto evidence_row(std::string_view key, std::string_view meaning) {
  return row<Self<Verdict>, Shown<Access, Shape>>(key, meaning)
      .only_if(Shown<Access, Shape>::any)
      .after_others();
}

/// The multicasts that a deadlock was shrunk to, and what is known of them.
constexpr char empty_shrunk[] = "an empty array; leave the key out";
constexpr auto shrunk_rows =
    table(always<&Shrunk::multicasts, NotEmpty<SomeOf<Number<>>, empty_shrunk>>("multicasts", "ids"),
          always<&Shrunk::proof, Word<proof_words>>("proof", "what is known of them"));

constexpr std::array<std::string_view, 4> rule_words = {"multicasts:multicasts", "multicasts:unicasts",
                                                        "unicasts:multicasts", "unicasts:unicasts"};
struct ProtocolRule {
  using Rule = decltype(RelationScope::depends);
  static void read(const Value& value, Rule& to, const Scope&) {
    try {
      to = parse_protocol_rule("depends", value.text());
    } catch (const InputError& error) {
      value.fail(error.what());
    }
  }
  static void write(const Rule& from, RecordLine& line, const Scope&) {
    line.string(write_protocol_rule(*from));
  }
  static std::string form() { return words_form(rule_words); }
};
constexpr auto relation_rows =
    table(where_stated<&RelationScope::unicast_vc, VirtualChannel>(
              "unicast_vc", "their first virtual channel (`--unicast-vc`); omitted: 0, as the multicasts"),
          where_stated<&RelationScope::depends, ProtocolRule>(
              "depends",
              "request and reply (`--depends`): a node takes a worm of the first sort only while it can send "
              "one of the second, to any node; with `consumption_release` `\"answered\"`: its consumption "
              "channel is busy until that has left"));

struct ProofWord : Text {
  static void read(const Value& value, std::string& to, const Scope&) {
    to = value.text();
    if (to != acyclic_proof && to != escape_proof)
      value.fail("\"" + to + "\" is not a proof; proofs are acyclic and escape");
  }
  static std::string form() { return words_form(numbering_proofs); }
};
bool is_safe(const Verdict& verdict) { return verdict.answer() == Answer::safe; }

template <class Access>
struct Dependencies {
  static void read(const Value& value, Verdict& verdict, const Scope& scope) {
    const bool list = !std::is_same_v<Access, Part<&Verdict::cycle>>;
    if (list && !speaks_of_tables(verdict)) value.fail("belongs only in verdicts on tables");
    if (!list && is_safe(verdict)) value.fail("belongs only where the answer is not safe");
    const Resources resources(*scope.network, verdict.model);
    value.each([&](const Value& edge) {
      Access::of(verdict).push_back(read_dependency(edge, {scope.network, &resources}, verdict));
    });
  }
  static void write(const Verdict& verdict, RecordLine& line, const Scope& scope) {
    line.array(Access::of(verdict),
               [&](const Dependency& edge) { write_dependency(edge, verdict, line, scope); });
  }
  static bool any(const Verdict& verdict) { return !Access::of(verdict).empty(); }
  static std::string form() { return array_form(dependency_form()); }
};
template <auto... member>
constexpr auto dependencies_row(std::string_view key, std::string_view meaning) {
  using Listed = Dependencies<Part<member...>>;
  return row<Self<Verdict>, Listed>(key, meaning).only_if(Listed::any).after_others();
}

constexpr auto order_rows =
    table(always<&WormCause::multicast, Number<>>("multicast", "its id"),
          always<&WormCause::worm, Number32>("worm", "index in its plan"),
          always<&WormCause::hop, Signed<-1, INT32_MAX>>("hop", "index in its `hops`, −1 for the source"));

constexpr auto process_steps_rows =
    table(always<&ProcessSteps::process, Number32>("process", "index in the program's `processes`"),
          always<&ProcessSteps::steps, Number<1>>("steps", "its next ones"));

constexpr auto verdict_start_rows = table(always<&MessageStart::multicast, Number<>>("multicast", "its id"),
                                          always<&MessageStart::start_cycles, List<Number<>>>(
                                              "start_cycles", "of a reduction by source, else one"));
constexpr auto verdict_mixture_rows =
    table(always<&Mixture::multicasts, List<Number<>>>("multicasts", "ids"),
          where_stated<&Mixture::run, List<Object<verdict_start_rows>>>(
              "run", "message starts of a run that shows it; omitted: none found"));

constexpr auto verdict_rows = table(
    always<&Verdict::scope, Text>(
        "scope",
        "`\"routes\"`, `\"program\"`, `\"tables\"`, `\"all multicasts of PLANNER by ROUTING\"` "
        "(options included, maybe ` with unicasts`), `\"all reductions of …\"`"),
    row<Self<Verdict>, AnswerWord>("answer", "3.10 has what each means"),
    rows_of<Part<&Verdict::planned_by>, planner_rows>(),
    where_stated<&Verdict::unicast_routing, Text>("unicast_routing",
                                                  "all multicasts: of unicasts beside them"),
    rows_of<Part<&Verdict::relation>, relation_rows>(),
    row<Self<Verdict>, Object<verdict_model_rows>>("model", "router parameters, and the length of worms"),
    always<&Verdict::multicasts, Number<>>("multicasts", "examined; tables: groups"),
    always<&Verdict::worms, Number<>>(
        "worms",
        "examined; all multicasts: legs, until every dependency is found; tables: routed pairs of hosts"),
    always<&Verdict::distinct_routes, Number<>>("distinct_routes",
                                                "examined; all multicasts: multicasts tried"),
    always<&Verdict::resources, Number<>>("resources", "vertices of the dependency graph"),
    always<&Verdict::dependencies, Number<>>("dependencies", "its edges"),
    always<&Verdict::looked_at, Number<>>(
        "partial_sets", "sets of worms tried by the exact search; with reductions, router states"),
    evidence_row<Part<&AtLimit::limit>, Text>(
        "limit", "`unknown`: the limit reached, or that there is nothing to check"),
    evidence_row<Part<&ByNumbering::proof>, ProofWord>(
        "proof", "`safe`, where routers choose or nodes answer: what the numbering shows"),
    evidence_row<Part<&ByNumbering::numbering>, List<ResourceShape>>(
        "numbering",
        "`safe`, without `order`: resources in an order that every dependency follows, except within a ring "
        "(`ring_entry`); with `escape` only those of the escape"),
    evidence_row<Part<&ByOrder::order>, List<Object<order_rows>>>(
        "order", "`safe`, reductions: contended hops; none waits for what another holds in an earlier one"),
    evidence_row<Part<&BySteps::process_order>, List<Object<process_steps_rows>>>(
        "process_order",
        "`safe`, programs: the sends, receives, takes and gives of all processes, in an order in which each "
        "waits for earlier ones alone"),
    where_stated<Part<&Verdict::joins, &JoinNotes::mixed>, List<Object<verdict_mixture_rows>>>(
        "mixed",
        "reductions whose parts routers can join to one, or (one id) whose flits can come to wrong places. "
        "All of them if `safe-unreachable`; else all pairs of one root and one mask, and what runs showed"),
    where_stated<Part<&Verdict::joins, &JoinNotes::interleaved>, List<Object<verdict_mixture_rows>>>(
        "interleaved",
        "reductions: messages whose flits can interleave. All of them if `safe` or `safe-unreachable`; else "
        "what runs showed"),
    dependencies_row<&Verdict::cycle>("dependency_cycle", "not `safe`: a shortest cycle"),
    evidence_row<Part<&ByWitness::witness>, Witness>(
        "witness", "`deadlock`: worms that block each other, in order of starts"),
    evidence_row<Part<&ByRun::run>, List<Object<program_event_rows>>>(
        "run",
        "`deadlock`, programs: each hop granted to the packet of a flow that stands before it, and each take "
        "or give that processes contend for, in this order; all else happens as soon as it can"),
    evidence_row<Part<&ByRun::standstill>, List<Text>>("standstill",
                                                       "`deadlock`, programs: who waits for what"),
    evidence_row<Part<&ByWitness::shrunk>, Optional<Object<shrunk_rows>>>(
        "shrunk",
        "`--shrink`: `multicasts` (ids that deadlock alone) and `proof`: `smallest` (no smaller set does), "
        "`minimal` (none can be left out), `none` (limit reached)"),
    where_stated<&Verdict::suggestions, Optional<List<Object<change_rows>>>>(
        "suggestions",
        "`--suggest`: changes from the smallest to the largest, each with the `answer` it gives. Without it, "
        "one-way grids: the virtual channels that are enough"),
    where_stated<&Verdict::unrouted, Number<>>("unrouted_pairs",
                                               "tables: pairs of hosts without a route, or in a forwarding "
                                               "loop; routes: those that are left out of them; "
                                               "omitted: 0"),
    dependencies_row<&Verdict::tables, &TableNotes::graph>(
        "dependency_list", "`--list-dependencies`, tables: all, as in `dependency_cycle`"),
    where_stated<&Verdict::rests_on, List<Text>>(
        "rests_on",
        "`--explain`, of a proof: each router rule, as an option, without which no proof was found, and `the "
        "worms' lengths`. Tried: one consumption channel a node, copies flit by flit, early reuse, "
        "incremental allocation, longer worms; where nodes answer, one injection channel a node, shared "
        "virtual channels (`unicast-vc N`), busy nodes (`consumption-release arrived`)"),
    where_stated<&Verdict::explanation, Text>("explanation", "`--explain`: the verdict in a few sentences"));

/// Refuses members that do not belong to the verdict's scope or answer, since no check would look at them.
/// Throws InputError.
void check_members_belong(const Verdict& verdict) {
  const bool tables = speaks_of_tables(verdict), planner = speaks_of_planner(verdict);
  const bool program = verdict.scope == program_scope;
  if (!tables && !planner && !program && verdict.scope != routes_scope)
    refuse("scope", "'{}' is not a scope; scopes are {}, {}, {} and all multicasts of a planner",
           verdict.scope.substr(0, 100), routes_scope, tables_scope, program_scope);
  const auto only = [](bool there, bool belongs, const char* key, const char* where) {
    if (there && !belongs) refuse(key, "belongs only {}", where);
  };
  const Answer answer = verdict.answer();
  only(verdict.suggestions.has_value(), !excludes_deadlock(answer), "suggestions",
       "where a deadlock is not excluded");
  only(!verdict.rests_on.empty(), excludes_deadlock(answer), "rests_on", "where a deadlock is excluded");
  only(!verdict.planned_by.planner.empty(), !tables, "planner", "in verdicts on routes and planners");
  only(!verdict.planned_by.options.empty(), !tables, "options", "in verdicts on routes and planners");
  only(!verdict.planned_by.routing.empty(), !tables, "routing", "in verdicts on routes and planners");
  only(!verdict.unicast_routing.empty(), planner, "unicast_routing", "in verdicts on all multicasts");
  only(verdict.relation.unicast_vc != 0, planner, "unicast_vc", "in verdicts on all multicasts");
  only(verdict.relation.depends.has_value(), planner, "depends", "in verdicts on all multicasts");
  only(std::holds_alternative<ByRun>(verdict.evidence), program, "run", "in verdicts on programs");
  only(std::holds_alternative<BySteps>(verdict.evidence), program, "process_order",
       "in verdicts on programs");
  only(!verdict.witness().empty(), !program, "witness", "in verdicts on routes and planners");
  only(!verdict.order().empty(), !tables && !planner, "order", "where routes are safe");
  only(verdict.unrouted != 0, !planner, "unrouted_pairs", "in verdicts on tables and routes");
}

}  // namespace

std::string_view write_verdict_record(const Verdict& verdict, const Topology& topology, RecordLine& line) {
  const Resources resources(topology, verdict.model);
  return write_record<verdict_rows>("verdict", verdict, line, verdict.extras, {&topology, &resources});
}

void read_verdict_record(const Value& record, const Topology& topology, Verdict& verdict) {
  verdict = Verdict{};
  verdict.extras = read_record_rows<verdict_rows>(record, verdict, {&topology});
  check_router(verdict.model, false);
  check_members_belong(verdict);
}

RecordForm verdict_form() {
  return {"verdict", "Whether the worms of a segment can deadlock, with the evidence",
          row_forms<verdict_rows>()};
}

}  // namespace wormcast::io
