// Router presets and the options that change them, as the command line gives them.
// SPDX-License-Identifier: MIT
#include "io/command_line/router_options.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "io/records/verdict_record.hpp"
#include "topology/error.hpp"

namespace wormcast::router_options_test {

namespace {

RouterModel parse(std::vector<std::string> arguments) {
  io::CommandLine line({"test", "", ""});
  io::RouterOptions options;
  io::add_router_options(line, options);
  line.parse(std::move(arguments));
  return io::router_model(options);
}

std::string record(const RouterModel& model) {
  io::RecordLine line;
  line.begin("model");
  io::write_members<io::router_rows>(model, line);
  return std::string(line.end());
}

}  // namespace

TEST_CASE("router options: the default is the papers' ideal router") {
  CHECK(record(parse({})) == record(RouterModel{}));
  CHECK(record(RouterModel{}) ==
        "{\"kind\":\"model\",\"hop_cycles\":1,\"flit_cycles\":1,\"credit_cycles\":1,\"buffer_flits\":4,"
        "\"startup_cycles\":0,\"relay_startup_cycles\":0,\"overhead_cycles\":0,\"header_flits\":0,"
        "\"injection_channels\":\"all\",\"consumption_channels\":\"per-input\",\"shared_links\":false,"
        "\"vc_reuse\":\"drained\",\"allocation\":\"incremental\"}\n");
}

TEST_CASE("router options: every option changes its parameter, and only that of the preset") {
  const RouterModel model = parse({"--hop-cycles",
                                   "2",
                                   "--preset",
                                   "booksim-minimal",
                                   "--routing-cycles",
                                   "3",
                                   "--consumption-cycles",
                                   "4",
                                   "--flit-cycles",
                                   "3",
                                   "--credit-cycles",
                                   "4",
                                   "--startup-cycles",
                                   "6",
                                   "--relay-startup-cycles",
                                   "7",
                                   "--overhead-cycles",
                                   "0",
                                   "--header-flits",
                                   "9",
                                   "--injection-channels",
                                   "all",
                                   "--consumption-channels",
                                   "2",
                                   "--vc-reuse",
                                   "early",
                                   "--allocation",
                                   "atomic"});
  CHECK(record(model) ==
        "{\"kind\":\"model\",\"hop_cycles\":2,\"flit_cycles\":3,\"credit_cycles\":4,\"buffer_flits\":8,"
        "\"startup_cycles\":6,\"relay_startup_cycles\":7,\"overhead_cycles\":0,\"header_flits\":9,"
        "\"injection_channels\":\"all\",\"consumption_channels\":2,\"shared_links\":true,"
        "\"vc_reuse\":\"early\",\"allocation\":\"atomic\",\"routing_cycles\":3,\"consumption_cycles\":4}\n");
  CHECK(record(parse({"--replication", "per-flit", "--output-arbitration", "round-robin"})) ==
        record(RouterModel{}).substr(0, record(RouterModel{}).size() - 2) +
            ",\"replication\":\"per-flit\",\"output_arbitration\":\"round-robin\"}\n");
  CHECK(record(parse({"--preset", "floonoc", "--replication", "as-planned", "--output-arbitration",
                      "first-come", "--vc-reuse", "drained", "--injection-channels", "all",
                      "--consumption-channels", "per-input", "--buffer-flits", "4"})) ==
        record(RouterModel{}));
  const auto states_consumption = [](const RouterModel& m) {
    return record(m).find("consumption_cycles") != std::string::npos;
  };
  CHECK_FALSE(states_consumption(parse({"--consumption-cycles", "1"})));  // F is what omission means
  CHECK(states_consumption(parse({"--consumption-cycles", "2"})));
  CHECK(states_consumption(parse({"--flit-cycles", "2", "--consumption-cycles", "1"})));
  CHECK_FALSE(states_consumption(parse({"--flit-cycles", "2", "--consumption-cycles", "2"})));
  CHECK(parse({"--buffer-flits", "17", "--shared-links"}).buffer_flits == 17);
  CHECK(parse({"--buffer-flits", "17", "--shared-links"}).shared_links);
  CHECK_FALSE(parse({"--own-links", "--preset", "booksim-minimal"}).shared_links);
  CHECK(parse({"--preset", "infiniband", "--consumption-channels", "per-input"}).consumption_channels == 0);
  CHECK(parse({"--preset", "booksim-minimal", "--hop-cycles", "1"}).consumption_cycles == 3);
}

TEST_CASE("router options: what is out of range is refused with the option's name") {
  CHECK_THROWS_WITH_AS(parse({"--hop-cycles", "0"}), "0 is not between 1 and 4294967295", InputError);
  CHECK_THROWS_WITH_AS(parse({"--buffer-flits", "4294967296"}), "4294967296 is not between 1 and 4294967295",
                       InputError);
  CHECK_THROWS_WITH_AS(parse({"--injection-channels", "0"}), "'0' is neither 'all' nor a number from 1",
                       InputError);
  CHECK_THROWS_WITH_AS(parse({"--consumption-channels", "all"}),
                       "'all' is neither 'per-input' nor a number from 1", InputError);
  CHECK_THROWS_WITH_AS(parse({"--consumption-cycles", "3"}), "3 is more than 2, the hop and credit cycles",
                       InputError);
  CHECK_THROWS_WITH_AS(parse({"--vc-reuse", "late"}), "'late' is neither 'drained' nor 'early'", InputError);
  CHECK_THROWS_WITH_AS(parse({"--output-arbitration", "x"}),
                       "'x' is neither 'first-come' nor 'round-robin' nor 'rotating'", InputError);
  for (const std::vector<std::string>& rule : {std::vector<std::string>{"--replication", "per-flit"},
                                               {"--output-arbitration", "round-robin"},
                                               {"--output-arbitration", "rotating"}}) {
    CHECK_THROWS_AS(parse({rule[0], rule[1], "--allocation", "atomic"}), InputError);
    CHECK_THROWS_AS(parse({rule[0], rule[1], "--path-reservation"}), InputError);
  }
  CHECK_THROWS_WITH_AS(parse({"--preset", "papers"}),
                       "unknown preset 'papers'; did you mean 'paper'? (known: paper booksim-minimal "
                       "booksim-iq infiniband floonoc esp pronoc aie-stream-switch)",
                       InputError);
}

TEST_CASE("presets: each is listed as the options that make it out of the first") {
  const std::string list = io::list_router_presets();
  CHECK(router_presets().front().name == io::RouterOptions().preset);
  CHECK(router_presets().front().options.empty());
  for (const RouterPreset& preset : router_presets()) {
    CAPTURE(preset.name);
    std::istringstream words{std::string(preset.options)};
    CHECK(record(parse({"--preset", std::string(preset.name)})) ==
          record(parse({std::istream_iterator<std::string>(words), {}})));
    CHECK(list.find(std::string(preset.options) + "\n") != std::string::npos);
    CHECK(list.find(std::string(preset.name) + "\n") != std::string::npos);
    CHECK(list.find(std::string(preset.cite) + "\n") != std::string::npos);
  }
}

TEST_CASE("router parameters: a record says every one that is not as usual") {
  for (const RouterParameter& parameter : router_parameters) {
    CAPTURE(parameter.key);
    RouterModel model;
    if (parameter.key == "vc_selection" || parameter.key == "vc_allocation_cycles")
      model.vc_allocation = VcAllocation::islip;
    const std::uint64_t other = parameter.get(model) == 1 ? 2 : 1;
    parameter.set(model, parameter.key == "consumption_cycles" ? 2 : other);
    const std::string said = record(model);
    CHECK(said.find("\"" + std::string(parameter.key) + "\":") != std::string::npos);
    io::JsonText json;
    json.parse(said);
    RouterModel read;
    io::read_record_rows<io::router_rows>(json.root(), read, {});
    CHECK(record(read) == said);
    CHECK(parameter.get(read) == parameter.get(model));
  }
}

}  // namespace wormcast::router_options_test
