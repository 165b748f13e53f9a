// Codec of verdict records: the answer, the model, and the evidence by which anybody can check it.
// SPDX-License-Identifier: MIT
#include "io/records/verdict_record.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "deadlock/checker.hpp"
#include "deadlock/independent/planner_verdict_check.hpp"
#include "deadlock/independent/table_verdict_check.hpp"
#include "deadlock/tables/table_check.hpp"
#include "io/command_line/router_options.hpp"
#include "io/records/dependency_member.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/resource_member.hpp"
#include "io/records/witness_member.hpp"
#include "io/text/members.hpp"
#include "topology/error.hpp"
#include "topology/resources.hpp"

namespace wormcast::io {

namespace {

constexpr std::array<Member, 27> verdict_members = {{{"kind"},
                                                     {"scope"},
                                                     {"answer"},
                                                     {"model"},
                                                     {"multicasts"},
                                                     {"worms"},
                                                     {"distinct_routes"},
                                                     {"resources"},
                                                     {"dependencies"},
                                                     {"partial_sets"},
                                                     {"limit", false},
                                                     {"numbering", false},
                                                     {"dependency_cycle", false},
                                                     {"witness", false},
                                                     {"explanation", false},
                                                     {"planner", false},
                                                     {"options", false},
                                                     {"routing", false},
                                                     {"shrunk", false},
                                                     {"suggestions", false},
                                                     {"unrouted_pairs", false},
                                                     {"dependency_list", false},
                                                     {"unicast_routing", false},
                                                     {"unicast_vc", false},
                                                     {"depends", false},
                                                     {"proof", false},
                                                     {"rests_on", false}}};

/// planner, options and routing, written after the answer.
constexpr int first_verdict_planner_member = 15;
constexpr int shrunk_member = 18;
constexpr int suggestions_member = 19;
constexpr int unrouted_member = 20;
constexpr int dependency_list_member = 21;
constexpr int unicast_routing_member = 22;
constexpr int unicast_vc_member = 23;
constexpr int depends_member = 24;
constexpr int proof_member = 25;
constexpr int rests_on_member = 26;
constexpr std::array<Member, router_members.size() + 3> model_members = [] {
  std::array<Member, router_members.size() + 3> all{};
  for (std::size_t i = 0; i < router_members.size(); ++i)
    all[i] = {router_members[i], router_member_required(router_members[i])};
  all[router_members.size()] = {"worm_flits", false};
  all[router_members.size() + 1] = {"long_worms", false};
  all[router_members.size() + 2] = {"cut_through", false};
  return all;
}();
constexpr std::array<Answer, 5> answers = {Answer::safe, Answer::safe_unreachable, Answer::deadlock,
                                           Answer::loop, Answer::unknown};

/// All parameters of the routers: those of time shape the witness.
void write_model(const Verdict& verdict, RecordLine& line) {
  line.key("model").raw("{");
  write_router_members(verdict.model, line);
  if (verdict.model.cut_through)
    line.key("cut_through").boolean(true);
  else if (verdict.flits == long_worm_flits)
    line.key("long_worms").boolean(true);
  else if (verdict.flits)
    line.key("worm_flits").number(*verdict.flits);
  line.raw("}");
}

void read_model(const Value& object, Verdict& verdict) {
  int lengths = 0;
  const auto count = [&](const Value& value, bool stated) {
    if (stated && ++lengths > 1)
      value.fail("the worms have one length: worm_flits, long_worms or cut_through");
    return stated;
  };
  read_members<model_members>(object, [&](int member, const Value& value) {
    const auto index = static_cast<std::size_t>(member);
    if (index < router_members.size())
      read_router_member(index, value, verdict.model);
    else if (index == router_members.size() && count(value, true))
      verdict.flits = value.integer(1);
    else if (index == router_members.size() + 2)
      verdict.model.cut_through = count(value, value.boolean());
    else if (count(value, value.boolean()))
      verdict.flits = long_worm_flits;
  });
}

Answer read_answer(const Value& value) {
  for (const Answer answer : answers)
    if (value.text() == answer_name(answer)) return answer;
  value.fail("\"" + std::string(value.text()) + "\" is not an answer");
}

const char* value_key(const Suggestion& suggestion) {
  if (suggestion.change.starts_with("virtual-channels")) return "virtual_channels";
  return suggestion.change == "length-limit" ? "length_flits" : "buffer_flits";
}

Suggestion read_suggestion(const Value& object) {
  static constexpr std::array<Member, 5> members = {{{"change"},
                                                     {"length_flits", false},
                                                     {"buffer_flits", false},
                                                     {"virtual_channels", false},
                                                     {"answer"}}};
  Suggestion result;
  read_members<members>(object, [&](int index, const Value& value) {
    if (index == 0) result.change = value.text();
    if (index >= 1 && index <= 3) result.value = value.integer(1);
    if (index == 4) result.answer = read_answer(value);
  });
  return result;
}

void read_shrunk(const Value& object, Verdict& verdict) {
  static constexpr std::array<Member, 2> members = {{{"multicasts"}, {"proof"}}};
  read_members<members>(object, [&](int index, const Value& value) {
    if (index == 0) {
      value.each([&](const Value& id) { verdict.shrunk.push_back(id.integer(0)); });
      if (verdict.shrunk.empty()) value.fail("an empty array; leave the key out");
      return;
    }
    bool known = false;
    for (const ShrinkProof proof : {ShrinkProof::none, ShrinkProof::minimal, ShrinkProof::smallest}) {
      if (value.text() != proof_name(proof)) continue;
      verdict.shrunk_proof = proof;
      known = true;
    }
    if (!known) value.fail("\"" + std::string(value.text()) + "\" is not a proof");
  });
}

/// What a verdict says beside what it is about, or beside another answer than that which it proves, nobody
/// would check. Throws InputError.
void check_members_belong(const Verdict& verdict, bool numbering, bool cycle, bool graph) {
  const bool tables = speaks_of_tables(verdict), planner = speaks_of_planner(verdict);
  if (!tables && !planner && verdict.scope != routes_scope)
    throw InputError("scope", "'" + verdict.scope.substr(0, 100) + "' is not a scope; scopes are " +
                                  routes_scope + ", " + tables_scope + " and all multicasts of a planner");
  const auto refuse = [](bool there, bool belongs, const char* key, const char* where) {
    if (there && !belongs) throw InputError(key, std::string("belongs only ") + where);
  };
  const Answer answer = verdict.answer;
  const bool safe = answer == Answer::safe, deadlock = answer == Answer::deadlock;
  refuse(!verdict.limit.empty(), answer == Answer::unknown, "limit", "where the answer is unknown");
  refuse(numbering, safe, "numbering", "where the answer is safe");
  refuse(cycle, !safe, "dependency_cycle", "where the answer is not safe");
  refuse(!verdict.witness.empty(), deadlock, "witness", "where the answer is deadlock");
  refuse(!verdict.shrunk.empty(), deadlock, "shrunk", "where the answer is deadlock");
  refuse(verdict.suggestions.has_value(), !safe && answer != Answer::safe_unreachable, "suggestions",
         "where a deadlock is not excluded");
  refuse(!verdict.rests_on.empty(), safe || answer == Answer::safe_unreachable, "rests_on",
         "where a deadlock is excluded");
  refuse(!verdict.planned_by.planner.empty(), !tables, "planner", "in verdicts on routes and planners");
  refuse(!verdict.planned_by.options.empty(), !tables, "options", "in verdicts on routes and planners");
  refuse(!verdict.planned_by.routing.empty(), !tables, "routing", "in verdicts on routes and planners");
  refuse(!verdict.unicast_routing.empty(), planner, "unicast_routing", "in verdicts on all multicasts");
  refuse(verdict.relation.unicast_vc != 0, planner, "unicast_vc", "in verdicts on all multicasts");
  refuse(verdict.relation.depends.has_value(), planner, "depends", "in verdicts on all multicasts");
  refuse(!verdict.proof.empty(), safe, "proof", "where the answer is safe");
  refuse(verdict.unrouted != 0, tables, "unrouted_pairs", "in verdicts on tables");
  refuse(graph, tables, "dependency_list", "in verdicts on tables");
}

}  // namespace

std::string_view write_verdict_record(const Verdict& verdict, const Topology& topology, RecordLine& line) {
  const Resources resources(topology, verdict.model);
  line.begin("verdict");
  line.key("scope").string(verdict.scope);
  line.key("answer").string(answer_name(verdict.answer));
  write_members<planner_rows>(verdict.planned_by, line);
  if (!verdict.unicast_routing.empty()) line.key("unicast_routing").string(verdict.unicast_routing);
  if (verdict.relation.unicast_vc != 0) line.key("unicast_vc").number(verdict.relation.unicast_vc);
  if (verdict.relation.depends) line.key("depends").string(write_protocol_rule(*verdict.relation.depends));
  write_model(verdict, line);
  line.key("multicasts").number(verdict.multicasts);
  line.key("worms").number(verdict.worms);
  line.key("distinct_routes").number(verdict.distinct_routes);
  line.key("resources").number(verdict.resources);
  line.key("dependencies").number(verdict.dependencies);
  line.key("partial_sets").number(verdict.looked_at);
  if (!verdict.limit.empty()) line.key("limit").string(verdict.limit);
  if (!verdict.proof.empty()) line.key("proof").string(verdict.proof);
  if (verdict.answer == Answer::safe)
    line.key("numbering").array(verdict.numbering, [&](ResourceId id) {
      write_resource_member(resources.describe(id), line);
    });
  const auto write_dependencies = [&](const char* key, const std::vector<Dependency>& list) {
    if (list.empty()) return;
    line.key(key).array(list, [&](const Dependency& edge) {
      write_dependency_member(edge, verdict, topology, resources, line);
    });
  };
  write_dependencies("dependency_cycle", verdict.cycle);
  if (!verdict.witness.empty()) write_witness_member(verdict.witness, line);
  if (!verdict.shrunk.empty()) {
    line.key("shrunk").raw("{");
    line.key("multicasts").array(verdict.shrunk, [&](std::uint64_t id) { line.number(id); });
    line.key("proof").string(proof_name(verdict.shrunk_proof)).raw("}");
  }
  if (verdict.suggestions)
    line.key("suggestions").array(*verdict.suggestions, [&](const Suggestion& suggestion) {
      line.raw("{").key("change").string(suggestion.change);
      if (suggestion.value) line.key(value_key(suggestion)).number(*suggestion.value);
      line.key("answer").string(answer_name(suggestion.answer)).raw("}");
    });
  if (verdict.unrouted != 0) line.key("unrouted_pairs").number(verdict.unrouted);
  write_dependencies("dependency_list", verdict.graph);
  if (!verdict.rests_on.empty())
    line.key("rests_on").array(verdict.rests_on, [&](const std::string& name) { line.string(name); });
  if (!verdict.explanation.empty()) line.key("explanation").string(verdict.explanation);
  return line.end(verdict.extras);
}

void read_verdict_record(const Value& record, const Topology& topology, Verdict& verdict) {
  verdict = Verdict{};
  std::optional<Value> numbering, cycle, graph;  // they need the model, which need not come first
  std::uint64_t* const counts[] = {&verdict.multicasts, &verdict.worms,        &verdict.distinct_routes,
                                   &verdict.resources,  &verdict.dependencies, &verdict.looked_at};
  verdict.extras = read_record<verdict_members>(record, [&](int index, const Value& value) {
    switch (index) {
      case 1:
        verdict.scope = value.text();
        break;
      case 2:
        verdict.answer = read_answer(value);
        break;
      case 3:
        read_model(value, verdict);
        break;
      case first_verdict_planner_member:
      case first_verdict_planner_member + 1:
      case first_verdict_planner_member + 2:
        planner_rows[static_cast<std::size_t>(index - first_verdict_planner_member)].read(
            value, verdict.planned_by, {});
        break;
      case 10:
        verdict.limit = value.text();
        break;
      case 11:
        numbering = value;
        break;
      case 12:
        cycle = value;
        break;
      case 13:
        value.each([&](const Value& worm) { verdict.witness.push_back(read_witness_worm(worm, topology)); });
        break;
      case 14:
        verdict.explanation = value.text();
        break;
      case rests_on_member:
        value.each([&](const Value& name) { verdict.rests_on.emplace_back(name.text()); });
        break;
      case shrunk_member:
        read_shrunk(value, verdict);
        break;
      case suggestions_member:
        verdict.suggestions.emplace();
        value.each([&](const Value& object) { verdict.suggestions->push_back(read_suggestion(object)); });
        break;
      case unrouted_member:
        verdict.unrouted = value.integer(0);
        break;
      case unicast_routing_member:
        verdict.unicast_routing = value.text();
        break;
      case unicast_vc_member:
        verdict.relation.unicast_vc =
            static_cast<std::uint32_t>(value.integer(0, topology.virtual_channel_bound() - 1));
        break;
      case depends_member:
        try {
          verdict.relation.depends = parse_protocol_rule("depends", value.text());
        } catch (const InputError& error) {
          value.fail(error.what());
        }
        break;
      case proof_member:
        verdict.proof = value.text();
        if (verdict.proof != acyclic_proof && verdict.proof != escape_proof)
          value.fail("\"" + verdict.proof + "\" is not a proof; proofs are acyclic and escape");
        break;
      case dependency_list_member:
        graph = value;
        break;
      default:
        *counts[index - 4] = value.integer(0);
    }
  });
  check_router_members(verdict.model);
  check_members_belong(verdict, numbering.has_value(), cycle.has_value(), graph.has_value());
  const Resources resources(topology, verdict.model);
  if (numbering)
    numbering->each([&](const Value& value) {
      verdict.numbering.push_back(read_resource_member(value, topology, resources));
    });
  for (const auto& [array, list] : {std::pair{cycle, &verdict.cycle}, {graph, &verdict.graph}})
    if (array)
      array->each([&, to = list](const Value& value) {
        to->push_back(read_dependency_member(value, topology, resources, verdict));
      });
}

}  // namespace wormcast::io
