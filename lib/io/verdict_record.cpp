// Codec of verdict records. Resources are written as objects, so that a checker in any language can
// read the evidence without knowing how this library numbers them:
//   {"channel":5} {"channel":5,"vc":1} {"injection":3} {"host_link":3}
//   {"consumption":3} (one queue a host) {"consumption":3,"channel":5} (one for each input)
// SPDX-License-Identifier: MIT
#include "io/verdict_record.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "deadlock/checker.hpp"
#include "io/members.hpp"
#include "io/router_options.hpp"
#include "topology/resources.hpp"

namespace wormcast::io {

namespace {

constexpr std::array<Member, 15> verdict_members = {{{"kind"},
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
                                                     {"explanation", false}}};
constexpr std::array<Member, 15> model_members = {{{"hop_cycles"},
                                                   {"flit_cycles"},
                                                   {"credit_cycles"},
                                                   {"buffer_flits"},
                                                   {"startup_cycles"},
                                                   {"relay_startup_cycles"},
                                                   {"overhead_cycles"},
                                                   {"header_flits"},
                                                   {"injection_channels"},
                                                   {"consumption_channels"},
                                                   {"shared_links"},
                                                   {"vc_reuse"},
                                                   {"allocation"},
                                                   {"worm_flits", false},
                                                   {"long_worms", false}}};
constexpr std::array<Member, 5> resource_members = {
    {{"channel", false}, {"vc", false}, {"injection", false}, {"host_link", false}, {"consumption", false}}};
constexpr std::array<Member, 5> dependency_members = {
    {{"held"}, {"waited_for"}, {"multicast"}, {"worm"}, {"hop"}}};
constexpr std::array<Member, 6> witness_members = {
    {{"multicast"}, {"worm"}, {"start_cycle"}, {"length_flits"}, {"holds"}, {"waits"}}};
constexpr std::array<Answer, 4> answers = {Answer::safe, Answer::safe_unreachable, Answer::deadlock,
                                           Answer::unknown};

void write_resource(const Resource& resource, RecordLine& line) {
  line.raw("{");
  switch (resource.kind) {
    case Resource::Kind::injection:
      line.key("injection").number(resource.host.value);
      break;
    case Resource::Kind::host_link:
      line.key("host_link").number(resource.host.value);
      break;
    case Resource::Kind::consumption:
      line.key("consumption").number(resource.host.value);
      break;
    case Resource::Kind::network:
      break;
  }
  if (resource.kind == Resource::Kind::network || resource.by_input) {
    line.key("channel").number(resource.channel.value);
    if (resource.vc != 0) line.key("vc").number(resource.vc);
  }
  line.raw("}");
}

/// All parameters of the routers: those of time shape the witness.
void write_model(const Verdict& verdict, RecordLine& line) {
  line.key("model").raw("{");
  write_router_members(verdict.model, line);
  if (verdict.flits == long_worm_flits)
    line.key("long_worms").boolean(true);
  else if (verdict.flits)
    line.key("worm_flits").number(*verdict.flits);
  line.raw("}");
}

/// A number of channels, or 0 for `word`.
std::uint32_t read_channels(const Value& value, std::string_view word) {
  if (value.type() != JsonType::string) return static_cast<std::uint32_t>(value.integer(1, UINT32_MAX));
  if (value.text() != word)
    value.fail("\"" + std::string(value.text()) + "\" is no number and not " + std::string(word));
  return 0;
}

/// True for `second`, false for `first`.
bool read_choice(const Value& value, std::string_view first, std::string_view second) {
  const std::string_view text = value.text();
  if (text != first && text != second)
    value.fail("\"" + std::string(text) + "\" is neither " + std::string(first) + " nor " +
               std::string(second));
  return text == second;
}

void read_model(const Value& object, Verdict& verdict) {
  RouterModel& model = verdict.model;
  std::uint32_t* const words[] = {&model.hop_cycles, &model.flit_cycles, &model.credit_cycles,
                                  &model.buffer_flits};
  std::uint64_t* const times[] = {&model.startup_cycles, &model.relay_startup_cycles, &model.overhead_cycles};
  read_members(object, model_members, [&](int index, const Value& value) {
    switch (index) {
      case 0:
      case 1:
      case 2:
      case 3:
        *words[index] = static_cast<std::uint32_t>(value.integer(1, UINT32_MAX));
        break;
      case 4:
      case 5:
      case 6:
        *times[index - 4] = value.integer(0);
        break;
      case 7:
        model.header_flits = static_cast<std::uint32_t>(value.integer(0, UINT32_MAX));
        break;
      case 8:
        model.injection_channels = read_channels(value, "all");
        break;
      case 9:
        model.consumption_channels = read_channels(value, "per-input");
        break;
      case 10:
        model.shared_links = value.boolean();
        break;
      case 11:
        model.vc_reuse = read_choice(value, "drained", "early") ? VcReuse::early : VcReuse::drained;
        break;
      case 12:
        model.allocation =
            read_choice(value, "incremental", "atomic") ? Allocation::atomic : Allocation::incremental;
        break;
      case 13:
        verdict.flits = value.integer(1);
        break;
      case 14:
        if (value.boolean()) verdict.flits = long_worm_flits;
        break;
      default:
        break;
    }
  });
}

/// Resources of the verdict's model, by what the record calls them.
class ResourceReader {
 public:
  ResourceReader(const Topology& topology, const RouterModel& model)
      : topology_(topology), resources_(topology, model) {}

  ResourceId read(const Value& object) const {
    std::optional<std::uint32_t> channel, injection, host_link, consumption;
    std::uint32_t vc = 0;
    read_members(object, resource_members, [&](int index, const Value& value) {
      if (index == 0)
        channel = static_cast<std::uint32_t>(value.integer(0, topology_.channel_bound() - std::uint64_t{1}));
      else if (index == 1)
        vc = static_cast<std::uint32_t>(value.integer(0, 254));
      else
        (index == 2   ? injection
         : index == 3 ? host_link
                      : consumption) =
            static_cast<std::uint32_t>(value.integer(0, topology_.hosts() - std::uint64_t{1}));
    });
    if (injection && !host_link && !consumption && !channel) return resources_.injection(HostId{*injection});
    if (host_link && !injection && !consumption && !channel && topology_.hosts_have_links())
      return resources_.host_link(HostId{*host_link});
    if (consumption && !injection && !host_link)
      return resources_.consumption(HostId{*consumption},
                                    channel ? std::optional(ChannelId{*channel}) : std::nullopt, vc);
    if (!channel || injection || host_link || consumption) object.fail("it names no resource");
    return resources_.network(ChannelId{*channel}, vc);
  }

 private:
  const Topology& topology_;
  Resources resources_;
};

void write_witness(const Verdict& verdict, RecordLine& line) {
  line.key("witness").array(verdict.witness, [&](const WitnessWorm& worm) {
    line.raw("{");
    line.key("multicast").number(worm.name.multicast);
    line.key("worm").number(worm.name.worm);
    line.key("start_cycle").number(worm.start_cycle);
    line.key("length_flits").number(worm.length_flits);
    line.key("holds").array(worm.holds, [&](std::int32_t hop) { line.signed_number(hop); });
    line.key("waits").array(worm.waits, [&](std::int32_t hop) { line.signed_number(hop); });
    line.raw("}");
  });
}

WitnessWorm read_witness_worm(const Value& object) {
  WitnessWorm worm;
  const auto read_hops = [](const Value& array, std::vector<std::int32_t>& hops) {
    array.each([&](const Value& hop) {
      hops.push_back(static_cast<std::int32_t>(hop.signed_integer(-1, INT32_MAX)));
    });
  };
  read_members(object, witness_members, [&](int index, const Value& value) {
    switch (index) {
      case 0:
        worm.name.multicast = value.integer(0);
        break;
      case 1:
        worm.name.worm = static_cast<std::uint32_t>(value.integer(0, UINT32_MAX));
        break;
      case 2:
        worm.start_cycle = value.integer(0);
        break;
      case 3:
        worm.length_flits = value.integer(1);
        break;
      case 4:
        read_hops(value, worm.holds);
        break;
      case 5:
        read_hops(value, worm.waits);
        break;
      default:
        break;
    }
  });
  return worm;
}

Dependency read_dependency(const Value& object, const ResourceReader& resources) {
  Dependency edge;
  read_members(object, dependency_members, [&](int index, const Value& value) {
    switch (index) {
      case 0:
        edge.from = resources.read(value);
        break;
      case 1:
        edge.to = resources.read(value);
        break;
      case 2:
        edge.cause.multicast = value.integer(0);
        break;
      case 3:
        edge.cause.worm = static_cast<std::uint32_t>(value.integer(0, UINT32_MAX));
        break;
      case 4:
        edge.cause.hop = static_cast<std::int32_t>(value.signed_integer(-1, INT32_MAX));
        break;
      default:
        break;
    }
  });
  return edge;
}

}  // namespace

std::string_view write_verdict_record(const Verdict& verdict, const Topology& topology, RecordLine& line) {
  const Resources resources(topology, verdict.model);
  line.begin("verdict");
  line.key("scope").string(verdict.scope);
  line.key("answer").string(answer_name(verdict.answer));
  write_model(verdict, line);
  line.key("multicasts").number(verdict.multicasts);
  line.key("worms").number(verdict.worms);
  line.key("distinct_routes").number(verdict.distinct_routes);
  line.key("resources").number(verdict.resources);
  line.key("dependencies").number(verdict.dependencies);
  line.key("partial_sets").number(verdict.looked_at);
  if (!verdict.limit.empty()) line.key("limit").string(verdict.limit);
  if (verdict.answer == Answer::safe)
    line.key("numbering").array(verdict.numbering, [&](ResourceId id) {
      write_resource(resources.describe(id), line);
    });
  if (!verdict.cycle.empty())
    line.key("dependency_cycle").array(verdict.cycle, [&](const Dependency& edge) {
      line.raw("{").key("held");
      write_resource(resources.describe(edge.from), line);
      line.key("waited_for");
      write_resource(resources.describe(edge.to), line);
      line.key("multicast").number(edge.cause.multicast);
      line.key("worm").number(edge.cause.worm);
      line.key("hop").signed_number(edge.cause.hop);
      line.raw("}");
    });
  if (!verdict.witness.empty()) write_witness(verdict, line);
  if (!verdict.explanation.empty()) line.key("explanation").string(verdict.explanation);
  return line.end(verdict.extras);
}

void read_verdict_record(const Value& record, const Topology& topology, Verdict& verdict) {
  verdict = Verdict{};
  std::optional<Value> numbering, cycle;  // they need the model, which need not come first
  std::uint64_t* const counts[] = {&verdict.multicasts, &verdict.worms,        &verdict.distinct_routes,
                                   &verdict.resources,  &verdict.dependencies, &verdict.looked_at};
  verdict.extras = read_record(record, verdict_members, [&](int index, const Value& value) {
    switch (index) {
      case 1:
        verdict.scope = value.text();
        break;
      case 2: {
        bool known = false;
        for (const Answer answer : answers) {
          if (value.text() != answer_name(answer)) continue;
          verdict.answer = answer;
          known = true;
        }
        if (!known) value.fail("\"" + std::string(value.text()) + "\" is no answer");
        break;
      }
      case 3:
        read_model(value, verdict);
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
        value.each([&](const Value& worm) { verdict.witness.push_back(read_witness_worm(worm)); });
        break;
      case 14:
        verdict.explanation = value.text();
        break;
      default:
        *counts[index - 4] = value.integer(0);
    }
  });
  const ResourceReader resources(topology, verdict.model);
  if (numbering)
    numbering->each([&](const Value& value) { verdict.numbering.push_back(resources.read(value)); });
  if (cycle)
    cycle->each([&](const Value& value) { verdict.cycle.push_back(read_dependency(value, resources)); });
}

}  // namespace wormcast::io
