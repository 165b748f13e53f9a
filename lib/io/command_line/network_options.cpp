// Operands and options of gen-topology, from the registries of families and generators.
// SPDX-License-Identifier: MIT
#include "io/command_line/network_options.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "io/command_line/command_line.hpp"
#include "topology/generator.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

/// Families that have sizes as operands, then the generators of graphs.
NameList known_networks() {
  NameList list{"FAMILY", "Networks:", {}, false};
  for (const TopologyFamily* family : topology_families())
    if (!family->sizes_key.empty())
      list.entries.emplace_back(family->name, fmt::format("{}: {}", family->usage, family->summary));
  for (const Generator* generator : generators())
    list.entries.emplace_back(generator->name, generator->summary);
  list.entries.emplace_back("import", "FILE...: a network from files of another program");
  list.entries.emplace_back("export", "FORMAT [FILE...]: a topology as a file for another program");
  return list;
}

/// "irregular: number of switches; dragonfly: …": what a parameter means to each generator that has it.
std::string parameter_help(std::string_view name) {
  std::vector<std::pair<std::string, std::string>> meanings;  // and the generators that share one
  for (const Generator* generator : generators())
    for (const GeneratorParameter& parameter : generator->parameters) {
      if (parameter.name != name) continue;
      const std::string fallback =
          parameter.fallback ? fmt::format(" (default: {})", *parameter.fallback) : "";
      const std::string meaning = fmt::format("{}{}", parameter.summary, fallback);
      const auto same = std::find_if(meanings.begin(), meanings.end(),
                                     [&](const auto& known) { return known.first == meaning; });
      if (same == meanings.end())
        meanings.emplace_back(meaning, generator->name);
      else
        same->second += fmt::format(", {}", generator->name);
    }
  std::string help;
  for (const auto& [meaning, names] : meanings)
    help += fmt::format("{}{}: {}", help.empty() ? "" : "; ", names, meaning);
  if (name == "seed") help += "; with --random-faults: of the faults";
  return help;
}

TopologySpec import_spec(const NetworkOptions& options, Imported& found) {
  found = import_files(options.operands, options.format);
  if (!options.name.empty()) {
    if (found.spec.family != "graph")
      refuse("--name", "a {} is called by its sizes; only a graph has a name", found.spec.family);
    if (valid_utf8(options.name) != options.name)
      refuse("--name", "{} is not UTF-8", in_quotes(options.name));
    NamedValues& generator = found.spec.generator;
    std::erase_if(generator, [](const auto& entry) { return entry.first == "network"; });  // its name so far
    generator.insert(generator.begin(), {"network", options.name});
  }
  keep_groups(found, options.groups);
  return std::move(found.spec);
}

/// "8", or several sizes as in "8x8"; what is no number is refused as the whole operand.
void append_sizes(const std::string& operand, std::vector<std::uint64_t>& sizes) {
  const bool several = operand.find_first_not_of("0123456789x") == std::string::npos &&
                       operand.find("xx") == std::string::npos && !operand.starts_with('x') &&
                       !operand.ends_with('x');
  try {
    for (const std::string_view size :
         several ? parts_of(operand, 'x') : std::vector<std::string_view>{operand})
      sizes.push_back(whole_number_operand("SIZES", std::string(size)));
  } catch (const InputError& error) {
    if (operand.find_first_of(",xX*=") == std::string::npos) throw;
    refuse("SIZES", "{} is not a size; sizes are written 8 8 or 8x8", in_quotes(operand));
  }
}

/// Generators take options: the sizes are shown as those that they are likely to stand for, in their order.
[[noreturn]] void refuse_sizes(const Generator& generator, const std::vector<std::string>& operands) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& operand : operands) append_sizes(operand, sizes);
  std::string call(generator.name);
  std::size_t next = 0;
  for (const GeneratorParameter& parameter : generator.parameters)
    if (next < sizes.size())
      call += fmt::format(" --{} {}", parameter.name, sizes[next++]);
    else if (!parameter.fallback)
      call += fmt::format(" --{} N", parameter.name);
  refuse("SIZES", "{} takes options, no sizes: gen-topology {} (see --list)", generator.name, call);
}

/// Sizes in place of the first parameters.
void take_sizes(const Generator& generator, const std::vector<std::string>& operands,
                std::vector<GivenParameter>& given) {
  if (operands.empty()) return;
  if (generator.sizes == 0) refuse_sizes(generator, operands);
  std::vector<std::uint64_t> sizes;
  for (const std::string& operand : operands) append_sizes(operand, sizes);
  if (sizes.size() != generator.sizes)
    refuse("SIZES", "{} are given, {} has {}", sizes.size(), generator.name, generator.sizes);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string_view name = generator.parameters[i].name;
    if (std::any_of(given.begin(), given.end(), [&](const auto& one) { return one.name == name; }))
      refuse("SIZES", "--{} says the same", name);
    given.push_back({name, sizes[i]});
  }
}

/// A name that is no family and no generator: perhaps a format's, a file, or another program's word.
[[noreturn]] void refuse_family(const std::string& name, const std::vector<std::string>& operands) {
  const NameList networks = known_networks();
  std::vector<std::string_view> known;
  for (const auto& [network, summary] : networks.entries) known.push_back(network);
  std::string message = unknown_name_message("network", name, known, "gen-topology --list");
  const std::string_view here = network_by_other_word(name);
  if (!here.empty())
    message += fmt::format("; {}", here);
  else if (is_import_format(name))
    message += fmt::format(
        "; it is a format: gen-topology import {}",
        operands.empty() || whole_number<std::uint64_t>(operands.front()) ? "FILE" : operands.front());
  else if (name.find_first_of("./") != std::string::npos)
    message += fmt::format("; a file is read by gen-topology import {}", name.substr(0, 100));
  throw InputError("FAMILY", message);
}

TopologySpec specify_network(const NetworkOptions& options, bool seed_elsewhere, Imported& imported) {
  std::vector<GivenParameter> given;
  const Generator* generator = find_generator(options.family);
  const bool takes_seed =
      generator != nullptr && std::any_of(generator->parameters.begin(), generator->parameters.end(),
                                          [](const GeneratorParameter& one) { return one.name == "seed"; });
  for (const auto& [name, value] : options.parameters)
    if (value && (takes_seed || name != "seed" || !seed_elsewhere)) given.push_back({name, *value});
  if (options.family == "import") {
    if (!given.empty())
      refuse(fmt::format("--{}", given.front().name), "an import does not take this option");
    return import_spec(options, imported);
  }
  refuse_stated({{"--format", !options.format.empty()},
                 {"--name", !options.name.empty()},
                 {"--group", !options.groups.empty()}},
                "only an import takes this option");
  if (generator != nullptr) {
    take_sizes(*generator, options.operands, given);
    return generate(*generator, given);
  }
  const TopologyFamily* family = find_topology_family(options.family);
  if (family == nullptr) refuse_family(options.family, options.operands);
  if (family->sizes_key.empty())
    refuse("FAMILY", "a {} is written by a generator or an import (see --list)", family->name);
  if (!given.empty())
    refuse(fmt::format("--{}", given.front().name), "a {0} does not take this option: gen-topology {0} {1}",
           family->name, family->usage);
  if (options.operands.empty())
    refuse("SIZES", "none given: gen-topology {} {}", family->name, family->usage);
  TopologySpec spec;
  spec.family = options.family;
  for (const std::string& operand : options.operands) append_sizes(operand, spec.sizes);
  return spec;
}

/// Has the links of a class say so: those of hosts ("hosts/NAME": whose names begin so), those between
/// groups, or those of routers whose numbers differ by `of.every`. False if there is none.
bool set_links(GraphSpec& graph, std::string_view which, const LinkClass& of) {
  bool any = false;
  const auto set = [&](LinkValues& own, bool down) {
    for (std::size_t i = 0; i < own.of.size(); ++i)
      if (const LinkValues::Both& said = of.own.of[i]; said[0] != 0) own.of[i] = {said[down], said[!down]};
  };
  if (which.starts_with("hosts")) {
    const std::string_view name = which.substr(std::min(which.size(), std::string_view("hosts/").size()));
    graph.host_links.resize(graph.hosts.size());
    for (std::size_t h = 0; h < graph.hosts.size(); ++h) {
      if (!name.empty() && (graph.host_names.empty() || !graph.host_names[h].starts_with(name))) continue;
      set(graph.host_links[h].own, false);
      any = true;
    }
    return any;
  }
  for (GraphLink& link : graph.links) {
    const auto [a, b] = link.ends;
    if (which == "groups" ? graph.groups.empty() || graph.groups[a] == graph.groups[b]
                          : std::max(a, b) - std::min(a, b) != of.every)
      continue;
    set(link.own, a > b);
    any = true;
  }
  return any;
}

}  // namespace

void add_link_class(TopologySpec& spec, std::string_view text) {
  constexpr const char* option = "--link-class";
  const auto number = [&](std::string_view part, std::uint64_t least) {
    const std::optional<std::uint64_t> value = whole_number<std::uint64_t>(part);
    if (!value || *value < least || *value > UINT32_MAX)
      refuse(option, "{} in {} is not a number from {}", in_quotes(part), in_quotes(text), least);
    return static_cast<std::uint32_t>(*value);
  };
  const std::string_view which = text.substr(0, text.find(','));
  const std::size_t slash = which.find('/');
  const std::string_view kind = which.substr(0, slash);
  LinkClass result;
  const bool grid = spec.family != "graph", apart = kind == "apart" && slash != which.npos;
  const bool hosts = !grid && kind == "hosts";
  if (!grid && !apart && !hosts && which != "groups")
    refuse(option, "{} in {} is none of a graph's hosts, hosts/NAME, groups and apart/N", in_quotes(which),
           in_quotes(text));
  if (grid) result.dimension = number(kind, 0);
  if (slash != which.npos && !hosts) result.every = number(which.substr(slash + 1), 1);
  std::string_view rest = text.substr(std::min(which.size() + 1, text.size()));
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t cut = part.find('=');
    const std::string_view behind = cut == part.npos ? "" : part.substr(cut + 1);
    std::string key(part.substr(0, cut));
    std::replace(key.begin(), key.end(), '-', '_');
    const auto found = std::find(link_value_keys.begin(), link_value_keys.end(), key);
    if (found == link_value_keys.end() || behind.empty())
      refuse(option,
             "{} in {} is none of hop-cycles=N, flit-cycles=N, buffer-flits=N and virtual-channels=N, or N:M "
             "for up and down",
             in_quotes(part), in_quotes(text));
    const std::size_t colon = behind.find(':');
    const std::uint32_t up = number(behind.substr(0, colon), 1);
    result.own.of[static_cast<std::size_t>(found - link_value_keys.begin())] = {
        up, colon == behind.npos ? up : number(behind.substr(colon + 1), 1)};
  }
  if (!result.own.stated()) refuse(option, "{} says nothing of its links", in_quotes(text));
  if (grid)
    spec.link_classes.push_back(result);
  else if (hosts && result.own[LinkValue::virtual_channels][0] != 0)
    refuse(option, "{}: links of hosts have no virtual channels of their own", in_quotes(text));
  else if (!set_links(spec.graph, which, result))
    refuse(option, "{} names no link", in_quotes(text));
}

bool NetworkOptions::any_parameter() const {
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const auto& parameter) { return parameter.second.has_value(); });
}

std::optional<std::uint64_t> NetworkOptions::parameter(std::string_view name_of_it) const {
  for (const auto& [known, value] : parameters)
    if (known == name_of_it) return value;
  return std::nullopt;
}

void add_network_options(CommandLine& line, NetworkOptions& options, CommonOptions& common) {
  common.lists.push_back(known_networks());
  line.add_option("FAMILY", options.family, "FAMILY", "What network");
  line.add_option("SIZES", options.operands,
                  "Its sizes, the fastest dimension first, as 8 8 or 8x8; or the files");
  line.group("Generator options");
  for (const Generator* generator : generators())
    for (const GeneratorParameter& parameter : generator->parameters) {
      const std::string flag = fmt::format("--{}", parameter.name);
      if (line.has(flag)) continue;
      options.parameters.emplace_back(parameter.name, std::nullopt);
      line.add_option(flag, options.parameters.back().second, "UINT", parameter_help(parameter.name));
    }
  line.group();
}

void add_file_options(CommandLine& line, NetworkOptions& options) {
  line.add_option("--format", options.format, "import, export: format of the files (default: auto)");
  line.add_option("--name", options.name, "import: name of the network (default: its format)");
  line.add_option("--group", options.groups, "MLID|MGID",
                  "import: only this multicast group of forwarding tables; an MGID needs group records, too; "
                  "may be repeated (default: all groups)")
      .one_value_each();
}

std::unique_ptr<const Topology> given_network(const NetworkOptions& options, bool seed_elsewhere,
                                              Imported& imported) {
  TopologySpec spec = specify_network(options, seed_elsewhere, imported);
  return build_imported(std::move(spec),
                        options.family == "import" ? options.operands : std::vector<std::string>());
}

// Choosing among the multicast groups of imported tables.
//
// Tables know a group by its MLID, as "0xC000". An MGID is an IPv6 address, so it has many spellings, and
// ibdiagnet writes it as 32 hexadecimal digits: two are the same if their 16 bytes are. OpenSM may give
// several MGIDs one MLID. They then share its tree, so each of them names that tree.

namespace {

using Mgid = std::array<std::uint8_t, 16>;
constexpr std::size_t most_shown = 20;

std::optional<Mgid> mgid_of(std::string text) {
  if (text.starts_with("0x") && text.size() == 34) {
    std::string address;
    for (std::size_t at = 2; at < text.size(); at += 4)
      address += (address.empty() ? "" : ":") + text.substr(at, 4);
    text = address;
  }
  Mgid mgid{};
  if (inet_pton(AF_INET6, text.c_str(), mgid.data()) != 1) return std::nullopt;
  return mgid;
}

/// "0xc000" and "0xC000" are one MLID.
std::string in_tables(const std::string& text) {
  if (!text.starts_with("0x")) return text;
  const char* const end = text.data() + text.size();
  std::uint32_t lid = 0;
  const auto [read, error] = std::from_chars(text.data() + 2, end, lid, 16);
  return error == std::errc() && read == end ? fmt::format("0x{:04X}", lid) : text;
}

/// "0xC000 (ff12::1), 0xC001": what can be named.
std::string listed(const std::set<std::string>& names, const std::map<std::string, std::string>& aliases) {
  std::string list;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown++ == most_shown) return list + fmt::format(" and {} others", names.size() - most_shown);
    list += (list.empty() ? "" : ", ") + name;
    for (const auto& [mgid, group] : aliases)
      if (group == name) list += fmt::format(" ({})", mgid);
  }
  return list;
}

const std::string& group_named(const std::string& text, const std::set<std::string>& names,
                               const std::map<std::string, std::string>& aliases) {
  auto found = names.find(in_tables(text));
  if (found != names.end()) return *found;
  std::string reason = "is not a group of these files";
  if (const auto mgid = mgid_of(text)) {
    const auto alias = std::find_if(aliases.begin(), aliases.end(),
                                    [&](const auto& one) { return mgid_of(one.first) == mgid; });
    if (alias != aliases.end()) {
      found = names.find(alias->second);
      if (found != names.end()) return *found;
      reason = fmt::format("has MLID {}, which has no tree in these files", alias->second);
    } else if (aliases.empty()) {
      reason =
          "is an MGID, and these files do not say which MLID it has: import group records too (saquery -g)";
    }
  }
  refuse("--group", "{} {}; there are {}", in_quotes(text), reason, listed(names, aliases));
}

}  // namespace

void keep_groups(Imported& found, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return;
  std::set<std::string> names, kept;
  for (const RouterTable& table : found.tables)
    for (const RouterTable::Group& group : table.multicast) names.insert(group.name);
  if (names.empty())
    refuse("--group", "the files have no multicast groups (OpenSM writes them to opensm.mcfdbs)");
  for (const std::string& text : wanted) kept.insert(group_named(text, names, found.group_aliases));
  for (RouterTable& table : found.tables)
    std::erase_if(table.multicast,
                  [&](const RouterTable::Group& group) { return !kept.contains(group.name); });
  std::erase_if(found.tables, [](const RouterTable& table) {
    return table.unicast.empty() && table.multicast.empty() && table.sl2vl.empty() &&
           table.service_levels.empty();
  });
  if (kept.size() < names.size())
    found.spec.generator.emplace_back("left-out-groups", std::to_string(names.size() - kept.size()));
}

}  // namespace wormcast::io
