// Parameters of a record and titles of metrics.
// SPDX-License-Identifier: MIT
#include "report/subject.hpp"

#include <array>
#include <iterator>

#include "multicast/planner_choice.hpp"
#include "report/statistics.hpp"

namespace wormcast {
namespace {

std::string digits(std::uint64_t number) { return std::to_string(number); }

constexpr KnownParameter subject_parameters[] = {
    {"planner", "the planner with its options",
     [](const Subject& s) { return s.plan ? planner_label(*s.plan) : ""; }},
    {"topology", "family and sizes, as mesh-16x16", [](const Subject& s) { return s.topology->name(); }},
    {"family", "the topology's family", [](const Subject& s) { return s.topology->spec().family; }},
    {"nodes", "number of hosts", [](const Subject& s) { return digits(s.topology->host_count()); }},
    {"virtual_channels", "the topology's limit",
     [](const Subject& s) {
       const std::uint32_t limit = s.topology->spec().virtual_channels;
       return limit == 0 ? std::string() : digits(limit);
     }},
    {"destinations", "number of destinations",
     [](const Subject& s) { return s.plan ? digits(s.plan->request.destinations.size()) : ""; }},
    {"length_flits", "length of the multicast",
     [](const Subject& s) { return s.plan ? digits(s.plan->request.length_flits) : ""; }},
    {"source", "the source node",
     [](const Subject& s) { return s.plan ? digits(s.plan->request.source.value) : ""; }},
    {"routing", "the routing function", [](const Subject& s) { return s.plan ? s.plan->routing : ""; }},
    {"network", "digest of the topology: networks of one name can differ",
     [](const Subject& s) { return std::string(s.network); }},
    {"id", "the multicast's id", [](const Subject& s) { return s.plan ? digits(s.plan->request.id) : ""; }},
    {"channel", "of a channel load, its id"},
    {"from", "the router that it leads from, by its name where it has one"},
    {"to", "the router that it leads to"},
    {"port", "the port by which it leaves"},
    {"outcome", "how the simulation ended"},
    {"answer", "what the deadlock checker says"},
    {"load", "of a run with a window, the rates of all its classes together"},
    {"segment", "number of the segment in the input, from 1",
     [](const Subject& s) { return digits(s.segment); }},
    {"stream", "name of the input file", [](const Subject& s) { return std::string(s.stream); }},
};

}  // namespace

std::string_view HeldSubject::text(std::string_view text) {
  for (const std::string& known : texts_)
    if (known == text) return known;
  return texts_.emplace_back(text);
}

HeldSubject::HeldSubject(const Subject& subject) : subject_(subject) {
  for (std::string_view* const own : {&subject_.kind, &subject_.stream, &subject_.network}) *own = text(*own);
  for (Metric& metric : subject_.metrics) metric.name = text(metric.name);
  for (Attribute& attribute : subject_.attributes) attribute.name = text(attribute.name);
  if (subject.routes != nullptr) {
    routes_ = *subject.routes;
    subject_.routes = &routes_;
    subject_.plan = &routes_.plan;
  } else if (subject.plan != nullptr) {
    plan_ = *subject.plan;
    subject_.plan = &plan_;
  }
}

std::span<const KnownParameter> known_parameters() { return subject_parameters; }

ParameterOf known_parameter(std::string_view name) {
  const auto known = std::find_if(std::begin(subject_parameters), std::end(subject_parameters),
                                  [&](const KnownParameter& p) { return p.name == name; });
  return known == std::end(subject_parameters) ? nullptr : known->of;
}

std::string parameter(const Subject& subject, std::string_view name, ParameterOf known) {
  if (known != nullptr) {
    std::string value = known(subject);
    if (!value.empty()) return value;
  }
  for (const Attribute& attribute : subject.attributes)
    if (attribute.name == name) return attribute.value;
  if (subject.plan != nullptr)
    for (const auto& [option, value] : subject.plan->options)
      if (option == name) return value;
  if (subject.plan != nullptr)
    for (const auto& [option, value] : subject.plan->request.workload)
      if (option == name) return value;
  return "";
}

std::string network_digest(const TopologySpec& spec) {
  Digest digest;
  digest.add(spec.family);
  digest.add(spec.sizes);
  digest.add(spec.labels);
  digest.add(spec.root);
  digest.add(spec.graph.routers);
  digest.add(spec.graph.hosts);
  const auto add_link = [&](const auto& link) {
    digest.add(link.ports.has_value() ? 1 : 0);
    if (link.ports) digest.add(*link.ports);
    digest.add(link.own.of);
  };
  digest.add(spec.graph.links.size());
  for (const GraphLink& link : spec.graph.links) {
    digest.add(link.ends);
    if (link.one_way) digest.add(2);  // which what follows never is
    add_link(link);
  }
  for (const HostLink& link : spec.graph.host_links) add_link(link);
  for (const LinkClass& one : spec.link_classes) {
    digest.add(one.dimension);
    digest.add(one.every);
    digest.add(one.own.of);
  }
  if (!spec.open.empty()) digest.add(spec.open);
  return digest.text();
}

std::string_view metric_note(std::string_view name) {
  return name == "source_queueing_cycles" ? ", summed over worms" : "";
}

std::string metric_title(std::string_view name) {
  static constexpr std::array<std::string_view, 6> units = {"cycles", "hops",  "channels",
                                                            "flits",  "steps", "picojoules"};
  static constexpr std::array<std::string_view, 5> statistics = {"mean", "max", "p50", "p95", "p99"};
  constexpr std::string_view load_suffix = "_flits_per_node_cycle";
  constexpr std::string_view load_unit = " (flits/node/cycle)";
  if (const std::string_view note = metric_note(name); !note.empty())
    return metric_title(std::string(name).insert(name.rfind('_'), note));
  const std::string_view end = name.substr(name.rfind('_') + 1);  // the whole name where there is no _
  if (end.size() < name.size() && std::find(statistics.begin(), statistics.end(), end) != statistics.end())
    return std::string(end) + " " + metric_title(name.substr(0, name.size() - end.size() - 1));
  if (name == "rate" || name == "load") return std::string(name) + std::string(load_unit);
  if (name.ends_with(load_suffix))
    return metric_title(name.substr(0, name.size() - load_suffix.size())) + std::string(load_unit);
  std::string title(name);
  std::string unit;
  const std::size_t last = title.rfind('_');
  if (last != std::string::npos) {
    const std::string_view word = name.substr(last + 1);
    if (std::find(units.begin(), units.end(), word) != units.end()) {
      unit = " (" + std::string(word) + ")";
      title.resize(last);
    }
  }
  std::replace(title.begin(), title.end(), '_', ' ');
  return title + unit;
}

std::string mean_title(std::string_view name) {
  const std::string title = metric_title(name);
  return title.starts_with("mean ") ? title : "mean " + title;
}

bool less_is_better(std::string_view name) {
  return !name.starts_with("delivered") && !name.starts_with("accepted") && !name.starts_with("throughput") &&
         !name.starts_with("finished");
}

}  // namespace wormcast
