// time-planners: times planners on multicast records, without reading and writing. For benchmarks.
//
// Usage: time-planners [--runs N] FILE PLANNER[:option=value]... Prints a line for each multicast and
// planner: id, planner, destinations, least CPU milliseconds of some runs, traffic_channels,
// longest_path_hops. "copy" is no planner: it only writes the stops of one worm, which is what memory costs.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/records/multicast_record.hpp"
#include "io/records/record_stream.hpp"
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
  if (text == "copy") return choice;
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

/// CPU milliseconds since an earlier call's count.
double milliseconds(std::clock_t since) {
  return 1000.0 * static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC;
}

/// Runs `work` so many times, or for 0 some times, once if it takes long; the least time.
double least_milliseconds(int runs, const std::function<void()>& work) {
  double least = 0;
  double all = 0;
  for (int run = 0; runs > 0 ? run < runs : run < 9 && (run < 1 || all < 2000); ++run) {
    const std::clock_t start = std::clock();
    work();
    const double time = milliseconds(start);
    least = run == 0 ? time : std::min(least, time);
    all += time;
  }
  return least;
}

/// Writes the stops of one worm, the least that any path-based plan writes.
double copy_milliseconds(int runs, const Request& request) {
  std::size_t written = 0;
  const double least = least_milliseconds(runs, [&] {
    const std::vector<HostId> destinations = request.destinations;
    std::vector<Stop> stops;
    stops.reserve(destinations.size());
    for (const HostId host : destinations)
      stops.push_back({host.value, static_cast<std::int32_t>(stops.size()) - 1, StopAction::deliver});
    written = stops.size();
  });
  return written == request.destinations.size() ? least : -1;
}

void time_all(const std::string& file, int runs, const std::vector<Choice>& choices) {
  io::RecordStream in({file});
  std::shared_ptr<const Topology> topology;
  Request request;
  in.for_each([&](const io::Record& record) {
    if (record.kind == io::Kind::topology) topology = in.topology();
    if (record.kind != io::Kind::multicast) return;
    io::read_multicast_record(record.value, *topology, request);
    for (const Choice& choice : choices) {
      if (choice.planner == nullptr) {
        fmt::print("{} {} {} {:.4f} 0 0\n", request.id, choice.text, request.destinations.size(),
                   copy_milliseconds(runs, request));
        continue;
      }
      const BoundPlanner bound(*choice.planner, *topology, choice.options);
      Plan plan;
      const double least = least_milliseconds(runs, [&] { plan = bound.plan(request); });
      fmt::print("{} {} {} {:.4f} {} {}\n", request.id, choice.text, request.destinations.size(), least,
                 *plan.traffic_channels, *plan.longest_path_hops);
      std::fflush(stdout);
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    std::size_t next = 0;
    int runs = 0;
    if (words.size() > 1 && words[0] == "--runs") {
      runs = std::stoi(words[1]);
      next = 2;
    }
    if (words.size() < next + 2)
      throw InputError("usage", "time-planners [--runs N] FILE PLANNER[:option=value]...");
    std::vector<Choice> choices;
    for (std::size_t i = next + 1; i < words.size(); ++i) choices.push_back(parse(words[i]));
    time_all(words[next], runs, choices);
  } catch (const InputError& error) {
    fmt::print(stderr, "time-planners: {}: {}\n", error.field, error.what());
    return 2;
  }
}
