// Makes multicasts lazily: closed ones by counting, open ones by looking ahead to each node's next arrival.
//
// Open arrivals are Bernoulli trials, one a node and cycle, each one number of the node's stream
// against an integer threshold (Arrivals). Jumping over the gaps by a logarithm would be faster
// still, but libm differs between systems, and it would lose that a greater rate keeps every multicast
// of a smaller one, which makes the points of a load curve comparable.
// SPDX-License-Identifier: MIT
#include "multicast/workload/workload.hpp"

#include <utility>

#include "multicast/reply_tracker.hpp"
#include "multicast/workload/pattern.hpp"
#include "topology/refuse.hpp"

namespace wormcast {
Fraction start_probability(const Fraction& rate, std::uint64_t length_flits) {
  const Fraction probability = product("--rate", rate, {1, length_flits});
  if (Fraction{1, 1} < probability)
    refuse("--rate", "offers more than one multicast of {} flits a node and cycle; at most {}", length_flits,
           length_flits);
  return probability;
}

Shard parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) refuse("--shard", "'{}' is not of the form K/N, such as 3/8", text);
  const Shard shard{parse_integer("--shard", text.substr(0, slash)),
                    parse_integer("--shard", text.substr(slash + 1))};
  if (shard.index == 0 || shard.index > shard.count) refuse("--shard", "'{}': K of K/N is from 1 to N", text);
  return shard;
}

Workload::Workload(const WorkloadSpec& spec, const Topology& topology)
    : topology_(&topology),
      pattern_(bind_pattern(spec.pattern, topology, spec.options)),
      spec_(spec),
      source_streams_(spec.seed, "sources"),
      destination_streams_(spec.seed, "destinations") {
  if (spec.length_flits == 0 || spec.length_flits > max_integer)
    refuse("--length-flits", "{} is not between 1 and 2^53-1", spec.length_flits);
  refuse_for_groups(*find_destination_pattern(spec.pattern));
  choose_sources(spec.sources);
  describe();
  if (spec.open)
    start_open();
  else
    start_closed();
}

void Workload::refuse_for_groups(const PatternEntry& entry) const {
  const std::string pattern = "pattern '" + std::string(entry.name) + "' ";
  if (entry.grouped && spec_.shard)
    refuse("--shard", "{}makes several multicasts a start, which wait for each other", pattern);
  if (!entry.fixed_sources) return;
  if (!spec_.sources.empty()) refuse("--source", "{}has sources of its own", pattern);
  if (spec_.open) refuse("--rate", "{}says itself what starts when (--count, --interval)", pattern);
}

void Workload::choose_sources(const std::vector<std::string>& texts) {
  sources_ = parse_hosts(*topology_, "--source", texts);
  for (const HostId source : sources_)
    if (const auto why = pattern_.silence(source))
      refuse("--source", "node {} {} (pattern '{}')", source.value, *why, spec_.pattern);
  if (!sources_.empty()) return;
  for (const HostId host : topology_->host_ids())
    if (pattern_.sends(host)) sources_.push_back(host);
  if (sources_.empty())
    refuse("--pattern", "'{}': every node of {} {}", spec_.pattern, topology_->name(),
           *pattern_.silence(topology_->nth_host(0)));
}

void Workload::describe() {
  const PatternOptions& options = spec_.options;
  NamedValues description;
  std::string spots;
  for (const std::string& spot : options.hotspot) spots += (spots.empty() ? "" : " ") + spot;
  description.emplace_back("pattern", std::string(find_destination_pattern(spec_.pattern)->name));
  const auto given = [&](const char* name, const std::string& value) {
    if (!value.empty()) description.emplace_back(name, value);
  };
  given("destinations", options.destinations);
  given("radius", options.radius);
  given("rectangle", options.rectangle);
  given("layers", options.layers);
  given("hotspot", spots);
  given("hotspot-share", options.hotspot_share);
  given("permutation-seed", options.permutation_seed);
  given("rate", spec_.open ? spec_.open->rate : "");
  given("burst", spec_.open ? spec_.open->burst : "");
  const std::uint64_t bits = spec_.flit_bits.value_or(find_destination_pattern(spec_.pattern)->flit_bits);
  if (bits > 0) description.emplace_back(workload_flit_bits, std::to_string(bits));
  description.emplace_back("seed", std::to_string(spec_.seed));
  description_ = std::move(description);
}

void Workload::start_closed() {
  const std::uint64_t last = spec_.closed.count == 0 ? 0 : spec_.closed.count - 1;
  if (spec_.start_cycle > max_integer) throw InputError("--start", "is above 2^53-1");
  if (spec_.closed.interval_cycles != 0 &&
      last > (max_integer - spec_.start_cycle) / spec_.closed.interval_cycles)
    throw InputError("--interval", "the last multicast would start after cycle 2^53-1");
  const Shard shard = spec_.shard.value_or(Shard{});
  const auto boundary = [&](std::uint64_t part) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(spec_.closed.count) * part /
                                      shard.count);
  };
  made_ = started_ = boundary(shard.index - 1);
  end_ = boundary(shard.index);
}

void Workload::start_open() {
  if (spec_.shard)
    throw InputError("--shard", "excludes --rate: multicasts of one window meet in the network");
  if (spec_.start_cycle > max_integer || spec_.open->cycles > max_integer - spec_.start_cycle)
    throw InputError("--cycles", "the window would end after cycle 2^53-1");
  if (spec_.open->cycles > ~std::uint64_t{0} / topology_->hosts())
    refuse("--cycles", "{} cycles of {} nodes are more than 2^64 trials", spec_.open->cycles,
           topology_->hosts());
  Fraction probability = start_probability(parse_decimal("--rate", spec_.open->rate), spec_.length_flits);
  const bool bursts = !spec_.open->burst.empty();
  BurstLengths lengths;
  if (bursts) {
    lengths = parse_burst(spec_.open->burst);
    probability = product("--burst", probability, {lengths.on + lengths.off, lengths.on});
    if (Fraction{1, 1} < probability)
      refuse("--burst",
             "bursts that make up for --rate offer more than one multicast of {} flits a node and cycle",
             spec_.length_flits);
  }
  const Bernoulli starts(probability);
  const auto of_sources = [&](std::string_view purpose) {
    const RandomStreams streams(spec_.seed, purpose);
    std::vector<Random> all;
    if (!starts.never())
      for (const HostId source : sources_) all.push_back(streams.stream(source.value));
    return all;
  };
  arrivals_.emplace(
      of_sources("arrivals"), starts, starts.never() ? 0 : spec_.open->cycles,
      bursts ? std::optional<Bursts>(std::in_place, of_sources("bursts"), lengths) : std::nullopt);
}

std::optional<Request> Workload::next() {
  if (next_member_ < group_.size()) return make_member();
  if (spec_.open) {
    const std::optional<Arrivals::Arrival> arrival = arrivals_->next();
    if (!arrival) return std::nullopt;
    const HostId source = sources_[arrival->source];
    return make(source, arrival->cycle * topology_->hosts() + source.value,
                spec_.start_cycle + arrival->cycle);
  }
  if (started_ == end_) return std::nullopt;
  const std::uint64_t index = started_++;
  Random random = source_streams_.stream(index);
  const HostId source = sources_[static_cast<std::size_t>(random.below(sources_.size()))];
  return make(source, index, spec_.start_cycle + index * spec_.closed.interval_cycles);
}

Request Workload::make(HostId source, std::uint64_t index, Cycle start) {
  Random random = destination_streams_.stream(index);
  if (pattern_.group) {
    group_ = pattern_.group(source, random);
    next_member_ = 0;
    group_id_ = made_;
    group_start_ = start;
    return make_member();
  }
  return {.id = made_++,
          .source = source,
          .destinations = pattern_.destinations(source, random),
          .length_flits = spec_.length_flits,
          .start_cycle = start,
          .workload = description_};
}

Request Workload::make_member() {
  GroupMember& member = group_[next_member_++];
  Request request{.id = made_++,
                  .source = member.source,
                  .destinations = std::move(member.destinations),
                  .length_flits = member.length_flits == 0 ? spec_.length_flits : member.length_flits,
                  .start_cycle = group_start_,
                  .workload = description_};
  for (const std::uint32_t before : member.after) request.depends_on.push_back(group_id_ + before);
  if (member.answers > 0) request.workload.add(std::string(workload_answers), std::to_string(member.answers));
  if (member.answer) request.workload.add(std::string(workload_answer), "true");
  return request;
}

}  // namespace wormcast
