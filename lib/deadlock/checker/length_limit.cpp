// The parts of a message are multicasts of their own: the verdict on them supposes that all of them can be
// under way at once, in any order. A shorter worm keeps less while it is blocked, but there are more of them,
// so no limit follows from another; the largest is found by halving between one that is proved and one that
// is not. Cost: a check for each limit tried, log2 of the longest message.
// SPDX-License-Identifier: MIT
#include "deadlock/checker/suggest.hpp"

#include <map>

namespace wormcast {

namespace {

constexpr std::uint64_t most_parts = 100'000;

}  // namespace

std::optional<std::vector<Routes>> in_parts(const std::vector<Routes>& routes, std::uint64_t most) {
  std::vector<Routes> result;
  std::map<std::uint64_t, std::vector<std::uint64_t>> parts_of;  // ids of what becomes of a multicast
  std::uint64_t worms = 0;
  for (const Routes& whole : routes) {
    const Request& request = whole.plan.request;
    const std::uint64_t parts = (request.length_flits + most - 1) / most;
    if (parts > most_parts || (worms += parts * whole.worms.size()) > most_parts) return std::nullopt;
    std::vector<std::uint64_t> depends_on;
    for (const std::uint64_t earlier : request.depends_on)
      if (const auto found = parts_of.find(earlier); found != parts_of.end())
        depends_on.insert(depends_on.end(), found->second.begin(), found->second.end());
    std::uint64_t left = request.length_flits;
    for (std::uint64_t part = 0; part < parts; ++part) {
      Routes one = whole;
      one.plan.request.id = result.size();
      one.plan.request.length_flits = std::min(left, most);
      one.plan.request.depends_on = depends_on;
      left -= one.plan.request.length_flits;
      parts_of[request.id].push_back(result.size());
      result.push_back(std::move(one));
    }
  }
  return result;
}

std::optional<std::uint64_t> longest_safe_message(
    const std::vector<Routes>& routes, const std::function<bool(const std::vector<Routes>&)>& proved) {
  const auto proved_in_parts = [&](std::uint64_t most) {
    const std::optional<std::vector<Routes>> parts = in_parts(routes, most);
    return parts && proved(*parts);
  };
  std::uint64_t unproved = 0;  // as long as the longest: nothing changes
  for (const Routes& multicast : routes) unproved = std::max(unproved, multicast.plan.request.length_flits);
  if (unproved < 2 || !proved_in_parts(1)) return std::nullopt;
  std::uint64_t safe = 1;
  while (unproved - safe > 1) {
    const std::uint64_t middle = safe + (unproved - safe) / 2;
    (proved_in_parts(middle) ? safe : unproved) = middle;
  }
  return safe;
}

}  // namespace wormcast
