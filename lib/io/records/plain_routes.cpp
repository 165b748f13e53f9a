// One pass over the text of a routes record, with every check that the full reader makes.
//
// Text between numbers is compared, not parsed. What is compared as a whole, from the workload to the
// routing function, has been parsed by the full reader in an earlier record with the same bytes. Each
// "return false" leaves the decision and the words of a refusal to the full reader, so this one only has to
// be right about what it takes.
// SPDX-License-Identifier: MIT
#include "io/records/plain_routes.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "io/records/multicast_record.hpp"
#include "io/text/json_text.hpp"
#include "io/text/named_values.hpp"
#include "multicast/header.hpp"

namespace wormcast::io {
namespace {

constexpr char worms_key[] = ",\"worms\":[";

bool covers(std::vector<HostId>& hosts, const std::vector<HostId>& wanted) {
  if (hosts.size() > 1) std::sort(hosts.begin(), hosts.end());
  return hosts == wanted;
}

}  // namespace

void PlainRoutes::begin_segment(const Topology& topology) {
  topology_ = &topology;
  ends_ = {};
}

/// In line, so that a literal is compared in a few instructions.
inline bool PlainRoutes::text(std::string_view expected) {
  if (static_cast<std::size_t>(end_ - at_) < expected.size() ||
      std::memcmp(at_, expected.data(), expected.size()) != 0)
    return false;
  at_ += expected.size();
  return true;
}

/// Up to seven digits without a loop: eight bytes are taken as one number, and how many of them are digits is
/// counted. cite: D. Lemire: Quickly parsing eight digits (2018).
inline bool PlainRoutes::number(std::uint64_t& value) {
  std::uint64_t bytes = 0;
  if (std::endian::native != std::endian::little || end_ - at_ < std::ptrdiff_t{sizeof bytes})
    return long_number(value);
  std::memcpy(&bytes, at_, sizeof bytes);
  const std::uint64_t digits = bytes ^ 0x3030303030303030U;  // 0 to 9 in a byte that is one
  // Carries come from bytes that are none, and change only those behind.
  const std::uint64_t others = (digits | (digits + 0x7676767676767676U)) & 0x8080808080808080U;
  if (others == 0) return long_number(value);
  const int count = std::countr_zero(others) / 8;
  if (count == 0 || (count > 1 && *at_ == '0')) return false;
  std::uint64_t part = digits << (64 - 8 * count);  // as many zeros in front
  part = part * 10 + (part >> 8);                   // pairs of digits, in every second byte
  part = ((part & 0x000000ff000000ffU) * (100 + (std::uint64_t{1000000} << 32)) +
          (part >> 16 & 0x000000ff000000ffU) * (1 + (std::uint64_t{10000} << 32))) >>
         32;
  at_ += count;
  value = part;
  return true;
}

bool PlainRoutes::long_number(std::uint64_t& value) {
  constexpr int most_digits = 18;
  const char* const first = at_;
  std::uint64_t result = 0;
  while (at_ != end_ && static_cast<unsigned char>(*at_ - '0') <= 9)
    result = result * 10 + static_cast<unsigned char>(*at_++ - '0');
  value = result;
  const auto digits = at_ - first;
  return digits == 1 || (digits > 1 && digits <= most_digits && *first != '0' && result <= max_integer);
}

bool PlainRoutes::number_below(std::uint64_t bound, std::uint32_t& value) {
  std::uint64_t wide = 0;
  if (!number(wide) || wide >= bound) return false;
  value = static_cast<std::uint32_t>(wide);
  return true;
}

/// The elements of an array and its end; its beginning has been read.
template <class Take>
bool PlainRoutes::numbers(Take take) {
  if (at_ != end_ && *at_ == ']') return false;  // an empty one is rare
  while (take()) {
    if (at_ == end_) return false;
    const char c = *at_++;
    if (c == ']') return true;
    if (c != ',') return false;
  }
  return false;
}

bool PlainRoutes::read_head(Request& request) {
  std::uint64_t length = 0;
  request.destinations.clear();
  return text("{\"kind\":\"routes\",\"id\":") && number(request.id) && text(",\"source\":") &&
         number_below(topology_->hosts(), request.source.value) && text(",\"destinations\":[") &&
         numbers([&] {
           HostId host;
           if (!number_below(topology_->hosts(), host.value)) return false;
           request.destinations.push_back(host);
           return true;
         }) &&
         text(",\"length_flits\":") && number(length) && (request.length_flits = length) > 0 &&
         text(",\"start_cycle\":") && number(request.start_cycle);
}

bool PlainRoutes::read_shared(Plan& plan) {
  if (shared_.empty() || !text(shared_) || !text(worms_key)) return false;
  Request& request = plan.request;
  request.depends_on.clear();
  request.extras.clear();
  if (request.workload != plan_.request.workload) request.workload = plan_.request.workload;
  if (plan.planner != plan_.planner) plan.planner = plan_.planner;
  if (plan.options != plan_.options) plan.options = plan_.options;
  if (plan.routing != plan_.routing) plan.routing = plan_.routing;
  plan.front.clear();
  plan.certificate.clear();
  plan.facts.clear();
  return true;
}

/// Looks the channel up, once; false where there is none.
bool PlainRoutes::find_ends(std::uint32_t channel, Ends& ends) const {
  if (ends.state == Ends::unknown) {
    const auto found = topology_->ends(ChannelId{channel});
    ends.state = found ? Ends::valid : Ends::absent;
    if (found) {
      ends.from = found->from.value;
      ends.to = found->to.value;
    }
  }
  return ends.state == Ends::valid;
}

/// The chain of hops, each where the one before it leads, with a consumption channel at the end.
bool PlainRoutes::read_hops(WormRoute& route) {
  std::uint32_t node = topology_->router_of(route.source).value;
  std::int32_t last_channel = -1;
  bool consumed = false;  // by the hop before
  route.hops.clear();
  ++worm_;
  repeats_ = false;
  const bool read = numbers([&] {
    RouteHop hop;
    hop.parent = last_channel;
    if (at_ != end_ && *at_ == '-') {
      ++at_;
      std::uint32_t number = 0;
      if (consumed || !number_below(std::uint64_t{topology_->hosts()} + 1, number) || number == 0)
        return false;
      hop.target = number - 1;
      hop.kind = RouteHop::Kind::deliver;
      if (topology_->router_of(HostId{hop.target}).value != node) return false;
      deliveries_.push_back(HostId{hop.target});
    } else {
      if (!number_below(topology_->channel_bound(), hop.target)) return false;
      Ends& channel = ends_[hop.target];
      if (channel.state != Ends::valid && !find_ends(hop.target, channel)) return false;
      if (channel.from != node) return false;
      node = channel.to;
      repeats_ = repeats_ || channel.worm == worm_;
      channel.worm = worm_;
      last_channel = static_cast<std::int32_t>(route.hops.size());
    }
    consumed = !hop.is_channel();
    route.hops.push_back(hop);
    return true;
  });
  return read && consumed;
}

bool PlainRoutes::read_vcs(WormRoute& route) {
  const std::uint32_t limit = topology_->virtual_channel_bound();
  std::size_t index = 0;
  return numbers([&] {
           if (index == route.hops.size()) return false;
           RouteHop& hop = route.hops[index++];
           return number_below(limit, hop.vc) && (hop.is_channel() || hop.vc == 0);
         }) &&
         index == route.hops.size();
}

/// No channel is used twice on the same virtual channel, if at all.
bool PlainRoutes::check_hops(const WormRoute& route) {
  std::vector<std::uint64_t> used;
  for (const RouteHop& hop : route.hops)
    if (hop.is_channel()) used.push_back(std::uint64_t{hop.vc} << 32 | hop.target);
  std::sort(used.begin(), used.end());
  return std::adjacent_find(used.begin(), used.end()) == used.end();
}

bool PlainRoutes::read_worm(const Request& request, Worm& worm, WormRoute& route) {
  worm.source = route.source = request.source;
  worm.after = route.after = -1;
  worm.first_port.reset();
  worm.vc_class = 0;
  worm.replication = route.replication = Replication::unstated;
  worm.header_flits.reset();
  route.header_flits.reset();
  worm.stops.clear();
  const bool stops = text("{\"stops\":[") && numbers([&] {
                       Stop stop;
                       if (!number_below(topology_->hosts(), stop.node)) return false;
                       stop.parent = static_cast<std::int32_t>(worm.stops.size()) - 1;
                       worm.stops.push_back(stop);
                       stops_.push_back(HostId{stop.node});
                       return true;
                     });
  if (!stops || !text(",\"hops\":[") || !read_hops(route)) return false;
  if (text(",\"vcs\":[") && !read_vcs(route)) return false;
  return text("}") && (!repeats_ || check_hops(route));
}

bool PlainRoutes::read_measures(Plan& plan) {
  const auto measure = [&](const auto& key, std::optional<std::uint64_t>& measured) {
    measured.reset();
    return !text(key) || number(measured.emplace());
  };
  return measure(",\"traffic_channels\":", plan.traffic_channels) &&
         measure(",\"longest_path_hops\":", plan.longest_path_hops) &&
         measure(",\"longest_chain_hops\":", plan.longest_chain_hops) && text("}") && at_ == end_;
}

bool PlainRoutes::check_request(const Request& request) const {
  const std::vector<HostId>& hosts = request.destinations;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    if ((i > 0 && hosts[i] <= hosts[i - 1]) || (hosts[i] == request.source && hosts.size() > 1)) return false;
  return true;
}

bool PlainRoutes::read(std::string_view line, Routes& routes) {
  at_ = line.data();
  end_ = line.data() + line.size();
  Plan& plan = routes.plan;
  if (!read_head(plan.request) || !check_request(plan.request) || !read_shared(plan)) return false;
  stops_.clear();
  deliveries_.clear();
  std::size_t worms = 0;
  while (true) {
    if (routes.worms.size() == worms) routes.worms.emplace_back();
    if (plan.worms.size() == worms) plan.worms.emplace_back();
    if (!read_worm(plan.request, plan.worms[worms], routes.worms[worms])) return false;
    ++worms;
    if (text("]")) break;
    if (!text(",")) return false;
  }
  routes.worms.resize(worms);
  plan.worms.resize(worms);
  return read_measures(plan) && covers(stops_, plan.request.destinations) &&
         covers(deliveries_, plan.request.destinations);
}

void PlainRoutes::learn(std::string_view line, const Routes& routes) {
  const Request& request = routes.plan.request;
  if (!request.extras.empty() || !request.depends_on.empty()) return;
  // Header flits, which the full reader counts again, are to stand in every worm.
  for (const auto& [name, value] : routes.plan.options)
    if (name == header_encoding_option) return;
  Request same;
  at_ = line.data();
  end_ = line.data() + line.size();
  if (!read_head(same)) return;
  if (!shared_.empty() && text(shared_) && text(worms_key)) return;
  // What its values are written as, if that is what stands there.
  line_.begin_object();
  if (!request.workload.empty()) line_.key("workload").values(request.workload);
  write_planner_members(routes.plan, line_);
  std::string_view written = line_.end_object();
  written = written.substr(1, written.size() - 2);
  if (written.empty() || !text(",") || !text(written) || !text(worms_key)) return;
  shared_ = ",";
  shared_ += written;
  plan_.request.workload = request.workload;
  plan_.planner = routes.plan.planner;
  plan_.options = routes.plan.options;
  plan_.routing = routes.plan.routing;
}

}  // namespace wormcast::io
