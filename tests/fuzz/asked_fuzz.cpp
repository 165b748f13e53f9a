// Fuzz target of questions: the bytes choose a small network, a planner, the parameters of routers and the
// options of check-deadlock, whose main is run, as that of the tools before it. An answer has to come within
// 60 s of CPU (WORMCAST_SECONDS) and to be accepted by --verify, and a refusal is one line. What is refused
// is asked again without the option that the line names, or without the last, so that most inputs end with an
// answer. WORMCAST_SHOW=1 prints what is asked.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "multicast/planner.hpp"

int main_of_gen_topology(int argc, char** argv);
int main_of_gen_multicast(int argc, char** argv);
int main_of_plan_multicast(int argc, char** argv);
int main_of_route_expand(int argc, char** argv);
int main_of_check_deadlock(int argc, char** argv);

using namespace wormcast;

namespace {

/// Of CPU, for an answer; code that is instrumented takes longer.
double most_seconds() {
  const char* given = std::getenv("WORMCAST_SECONDS");
  return given == nullptr ? 60 : std::strtod(given, nullptr);
}

using Words = std::vector<std::string>;

Words split(std::string_view text) {
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), {}};
}

constexpr std::string_view networks[] = {
    "mesh 2 2",
    "mesh 3 2",
    "mesh 3 3",
    "mesh 4 3",
    "mesh 4",
    "mesh 3 2 2",
    "mesh 3 3 --random-faults 1",
    "mesh 4 3 --without-core 1",
    "torus 3",
    "torus 4",
    "torus 5",
    "torus 3 3",
    "torus 4 3",
    "torus 2 3",
    "torus 4 3 --open 0",
    "torus 3 3 --random-faults 2",
    "torus-forward 4",
    "torus-forward 3 3",
    "torus-backward 4 3",
    "hypercube 2",
    "hypercube 3",
    "ccc 3 --without-node 0",
    "irregular --switches 3 --hosts 2 --ports 4 --seed 3",
    "irregular --switches 4 --hosts 2 --ports 5 --seed 5",
    "irregular --switches 4 --hosts 1 --ports 4 --seed 8",
    "fat-tree --arity 2 --levels 2",
    "fat-tree --arity 2 --levels 3",
    "dragonfly --hosts 1 --group-routers 2 --global-links 1",
    "dragonfly --hosts 2 --group-routers 2 --global-links 1",
    "cmesh --width 2 --height 2 --tile-width 2 --tile-height 1",
    "butterfly --arity 2 --stages 3",
    "flattened-butterfly --arity 2 --dimensions 2 --hosts 1",
    "chiplets --columns 2 --rows 1 --width 2 --height 2 --side-links 1",
};
constexpr std::string_view further[] = {"",
                                        "",
                                        "",
                                        "--virtual-channels 1",
                                        "--virtual-channels 2",
                                        "--virtual-channels 3",
                                        "--link-class 0,hop-cycles=2",
                                        "--link-class 0,flit-cycles=2",
                                        "--link-class 0,buffer-flits=6",
                                        "--link-class hosts,hop-cycles=2"};
constexpr std::string_view routers[] = {"--preset booksim-minimal",
                                        "--preset booksim-iq",
                                        "--preset infiniband",
                                        "--preset floonoc",
                                        "--preset esp",
                                        "--preset pronoc",
                                        "--hop-cycles 3",
                                        "--flit-cycles 2",
                                        "--credit-cycles 3",
                                        "--buffer-flits 1",
                                        "--buffer-flits 2",
                                        "--buffer-flits 8",
                                        "--startup-cycles 9",
                                        "--relay-startup-cycles 4",
                                        "--overhead-cycles 2",
                                        "--header-flits 2",
                                        "--injection-channels 1",
                                        "--injection-channels 2",
                                        "--consumption-channels 1",
                                        "--consumption-channels 3",
                                        "--shared-links",
                                        "--own-links",
                                        "--vc-reuse early",
                                        "--allocation atomic",
                                        "--allocation two-step",
                                        "--arbitration first-come",
                                        "--path-reservation",
                                        "--routing-cycles 2",
                                        "--consumption-cycles 2",
                                        "--replication serial",
                                        "--replication per-flit",
                                        "--output-arbitration rotating",
                                        "--output-arbitration round-robin",
                                        "--consumption-release answered",
                                        "--vc-reuse early --ring-entry flit-bubble",
                                        "--vc-reuse early --ring-entry packet-bubble",
                                        "--vc-allocation islip",
                                        "--vc-allocation islip --vc-selection any",
                                        "--vc-allocation islip --vc-allocation-cycles 2"};
constexpr std::string_view questions[] = {"--suggest",
                                          "--shrink",
                                          "--explain",
                                          "--cut-through",
                                          "--long-worms",
                                          "--length-flits 1",
                                          "--length-flits 3",
                                          "--list-dependencies",
                                          "--dot DOT",
                                          "--search-limit 100",
                                          "--search-limit 20000",
                                          "--state-limit 100",
                                          "--state-limit 2000",
                                          "--route-limit 3",
                                          "--subset-limit 5",
                                          "--witness WITNESS"};
constexpr std::string_view of_planners[] = {"--reductions", "--with-unicast UNICAST",
                                            "--with-unicast UNICAST --unicast-vc 1",
                                            "--with-unicast UNICAST --depends multicasts:unicasts",
                                            "--with-unicast UNICAST --depends unicasts:multicasts"};
constexpr std::string_view unicasts[] = {"dimension-order",
                                         "up-down",
                                         "shortest",
                                         "yx",
                                         "west-first",
                                         "odd-even",
                                         "negative-hop",
                                         "minimal-adaptive",
                                         "minimal-adaptive-return",
                                         "booksim-min-adapt",
                                         "fully-adaptive",
                                         "label-adaptive",
                                         "up-down-adaptive",
                                         "label",
                                         "o1turn",
                                         "valiant",
                                         "romm",
                                         "one-way"};
constexpr std::string_view patterns[] = {"--destinations 1",          "--destinations 2",
                                         "--destinations 3",          "--destinations 2 --reduce",
                                         "--destinations 3 --reduce", "--destinations 2 --answers 2",
                                         "--pattern broadcast"};

class Choices {
 public:
  explicit Choices(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::size_t below(std::size_t bound) {
    if (bytes_.empty() || bound < 2) return 0;
    const std::size_t chosen = bytes_.front() % bound;
    bytes_ = bytes_.subspan(1);
    return chosen;
  }
  template <class Values>
  const auto& one_of(const Values& values) {
    return values[below(std::size(values))];
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// Files in a folder of this process.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / fmt::format("asked-{}", ::getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string at(std::string_view name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Done {
  int status = 0;
  std::string said;  ///< on stderr
  std::size_t lines() const { return static_cast<std::size_t>(std::count(said.begin(), said.end(), '\n')); }
};

[[noreturn]] void fail(const std::string& command, const std::string& what) {
  fmt::print(stderr, "{}: {}\n", command, what);
  std::abort();
}

struct Tool {
  const char* name;
  int (*main)(int, char**);
};

/// Runs a tool's main, and ends the program where that ends with something other than an answer or one line.
Done call(const Tool& tool, const Words& words) {
  Words arguments = {tool.name};
  arguments.insert(arguments.end(), words.begin(), words.end());
  const std::string command = fmt::format("{}", fmt::join(arguments, " "));
  static const bool shown = std::getenv("WORMCAST_SHOW") != nullptr;
  if (shown) fmt::print(stderr, "{}\n", command);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  char* said = nullptr;
  std::size_t size = 0;
  std::FILE* const kept = stderr;
  stderr = open_memstream(&said, &size);
  const std::clock_t begin = std::clock();
  Done done;
  done.status = tool.main(static_cast<int>(arguments.size()), argv.data());
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::fclose(stderr);
  stderr = kept;
  done.said.assign(said, size);
  std::free(said);
  if (shown) fmt::print(stderr, "  {} after {:.1f} s: {}\n", done.status, seconds, done.said);
  if (seconds > most_seconds()) fail(command, fmt::format("{:.0f} s", seconds));
  if (done.said.find("internal error") != std::string::npos || done.status < 0 || done.status > 2)
    fail(command, fmt::format("status {}: {}", done.status, done.said));
  return done;
}

constexpr Tool gen_topology = {"gen-topology", main_of_gen_topology};
constexpr Tool gen_multicast = {"gen-multicast", main_of_gen_multicast};
constexpr Tool plan_multicast = {"plan-multicast", main_of_plan_multicast};
constexpr Tool route_expand = {"route-expand", main_of_route_expand};
constexpr Tool check_deadlock = {"check-deadlock", main_of_check_deadlock};

/// A planner with some of its options, and perhaps a routing function of its own.
struct Chosen {
  std::string planner;
  Words routing;
};

Chosen choose_planner(Choices& choices, std::size_t at) {
  const Planner& planner = *planners()[at % planners().size()];
  Chosen chosen{std::string(planner.name), {}};
  for (const PlannerParameter& parameter : planner.parameters)
    if (choices.below(3) == 0 && parameter.name.find("header") == std::string_view::npos)
      chosen.planner +=
          fmt::format(":{}={}", parameter.name,
                      choices.one_of(std::span(parameter.values.begin(), parameter.values.size())));
  if (choices.below(4) == 0 && !planner.joined_by().empty())
    chosen.routing = {"--routing", std::string(choices.one_of(planner.joined_by()))};
  return chosen;
}

/// Routes of a few given requests of a planner that applies; an empty name where none of these do.
std::string given_routes(Choices& choices, const std::string& network, std::size_t planner,
                         const Folder& folder) {
  const std::string requests = folder.at("requests"), plans = folder.at("plans"),
                    routes = folder.at("routes");
  Words words = split(choices.one_of(patterns));
  for (const std::string_view word : {"--count", "4", "--seed"}) words.emplace_back(word);
  words.push_back(std::to_string(choices.below(256)));
  words.insert(words.end(),
               {"--length-flits", std::to_string(1 + choices.below(12)), network, "-o", requests});
  if (call(gen_multicast, words).status != 0) return "";
  const std::size_t answers_vc = choices.below(3);
  for (std::size_t i = 0; i < planners().size(); ++i) {
    const Chosen chosen = choose_planner(choices, planner + i);
    words = {chosen.planner, requests, "-o", plans};
    words.insert(words.end(), chosen.routing.begin(), chosen.routing.end());
    if (call(plan_multicast, words).status != 0) continue;
    words = {plans, "-o", routes};
    if (answers_vc == 1) words.insert(words.end(), {"--answers-vc", "1"});
    if (call(route_expand, words).status == 0) return routes;
  }
  return "";
}

/// The option that the line is about, or else the last.
std::size_t blamed(const std::vector<Words>& options, const std::string& said) {
  for (std::size_t i = options.size(); i-- > 0;)
    if (said.find(options[i].front()) != std::string::npos) return i;
  return options.size() - 1;
}

bool answered(const Done& done, const std::string& verdicts) {
  return done.status != 2 || read(verdicts).find("\"kind\":\"verdict\"") != std::string::npos;
}

/// Asks until there is an answer, without the options that are refused; false: the planner is.
bool ask(const Words& subject, std::vector<Words>& options, const Folder& folder) {
  const std::string verdicts = folder.at("verdicts");
  while (true) {
    Words words = subject;
    for (const Words& option : options) words.insert(words.end(), option.begin(), option.end());
    words.insert(words.end(), {"-o", verdicts});
    std::filesystem::remove(verdicts);
    const Done done = call(check_deadlock, words);
    if (answered(done, verdicts)) {
      const bool open = done.status == 2;
      const Done verified =
          call(check_deadlock, {"--verify", verdicts, subject.front(), "-o", folder.at("nothing")});
      if (verified.status == 1 || (verified.status == 2 && !open && verified.lines() != 1))
        fail(fmt::format("check-deadlock {}", fmt::join(words, " ")), "not verified: " + verified.said);
      return true;
    }
    if (done.lines() != 1)
      fail(fmt::format("check-deadlock {}", fmt::join(words, " ")), "refused: " + done.said);
    if (options.empty() || done.said.find(": planner: ") != std::string::npos) return false;
    options.erase(options.begin() + static_cast<std::ptrdiff_t>(blamed(options, done.said)));
  }
}

void add_options(Choices& choices, std::span<const std::string_view> from, std::size_t most,
                 const Folder& folder, std::vector<Words>& options) {
  for (std::size_t count = choices.below(most + 1); count > 0; --count) {
    Words words = split(choices.one_of(from));
    const auto same = [&](const Words& option) { return option.front() == words.front(); };
    if (std::any_of(options.begin(), options.end(), same)) continue;
    for (std::string& word : words) {
      if (word == "UNICAST") word = choices.one_of(unicasts);
      if (word == "DOT" || word == "WITNESS") word = folder.at(word);
    }
    options.push_back(std::move(words));
  }
}

void answer(Choices choices) {
  const Folder folder;
  const std::string network = folder.at("network");
  Words words = split(choices.one_of(networks));
  const Words more = split(choices.one_of(further));
  const auto make = [&](Words with, const Words& behind) {
    with.insert(with.end(), behind.begin(), behind.end());
    with.insert(with.end(), {"-o", network});
    return call(gen_topology, with).status == 0;
  };
  if (!make(words, more) && !make(words, {})) fail("gen-topology", "refuses a network of the list");
  const std::size_t planner = choices.below(planners().size());
  const bool all = choices.below(3) != 0;
  std::vector<Words> options;
  add_options(choices, routers, 5, folder, options);
  add_options(choices, questions, 4, folder, options);
  if (!all) {
    const std::string routes = given_routes(choices, network, planner, folder);
    if (!routes.empty()) ask({routes}, options, folder);
    return;
  }
  add_options(choices, of_planners, 1, folder, options);
  for (std::size_t i = 0; i < planners().size(); ++i) {
    const Chosen chosen = choose_planner(choices, planner + i);
    Words subject = {network, "--all-multicasts", chosen.planner};
    subject.insert(subject.end(), chosen.routing.begin(), chosen.routing.end());
    if (ask(subject, options, folder)) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  answer(Choices({data, size}));
  return 0;
}
