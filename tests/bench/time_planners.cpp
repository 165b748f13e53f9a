// time-planners: times planners on multicast records, without reading and writing. For benchmarks.
//
// Usage: time-planners FILE PLANNER[:option=value]... Prints a line for each multicast and planner:
// id, planner, destinations, median milliseconds of some runs, traffic_channels, longest_path_hops.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "io/multicast_record.hpp"
#include "io/record_stream.hpp"
#include "multicast/planner.hpp"
#include "topology/error.hpp"

using namespace wormcast;

namespace {

struct Choice {
  std::string text;
  const Planner* planner = nullptr;
  PlanOptions options;
};

Choice parse(const std::string& text) {
  Choice choice;
  choice.text = text;
  std::size_t colon = text.find(':');
  choice.planner = find_planner(text.substr(0, colon));
  if (choice.planner == nullptr) throw InputError("PLANNER", "unknown planner in " + text);
  while (colon != std::string::npos) {
    const std::size_t end = text.find(':', colon + 1);
    const std::string pair = text.substr(colon + 1, end == std::string::npos ? end : end - colon - 1);
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) throw InputError("PLANNER", pair + " is not option=value");
    choice.options.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
    colon = end;
  }
  return choice;
}

double milliseconds(const BoundPlanner& bound, const Request& request, Plan& plan) {
  const auto start = std::chrono::steady_clock::now();
  plan = bound.plan(request);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void time_all(const std::string& file, const std::vector<Choice>& choices) {
  io::RecordStream in({file});
  std::shared_ptr<const Topology> topology;
  Request request;
  in.for_each([&](const io::Record& record) {
    if (record.kind == io::Kind::topology) topology = in.topology();
    if (record.kind != io::Kind::multicast) return;
    io::read_multicast_record(record.value, *topology, request);
    for (const Choice& choice : choices) {
      const BoundPlanner bound(*choice.planner, *topology, choice.options);
      Plan plan;
      std::vector<double> times{milliseconds(bound, request, plan)};
      // Once is enough for what takes long.
      while (times.size() < 7 && times.front() < 500) times.push_back(milliseconds(bound, request, plan));
      std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                       times.end());
      fmt::print("{} {} {} {:.4f} {} {}\n", request.id, choice.text, request.destinations.size(),
                 times[times.size() / 2], *plan.traffic_channels, *plan.longest_path_hops);
      std::fflush(stdout);
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw InputError("usage", "time-planners FILE PLANNER[:option=value]...");
    std::vector<Choice> choices;
    for (int i = 2; i < argc; ++i) choices.push_back(parse(argv[i]));
    time_all(argv[1], choices);
  } catch (const InputError& error) {
    fmt::print(stderr, "time-planners: {}: {}\n", error.field, error.what());
    return 2;
  }
}
