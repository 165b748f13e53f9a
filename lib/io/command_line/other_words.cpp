// The words of BookSim2, Garnet, OpenSM and of habit. They are hints in errors: records and commands have one
// word for one thing. Other words that are taken themselves are the ALIAS lines of patterns and routing
// functions.
// SPDX-License-Identifier: MIT
#include "io/command_line/command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "topology/error.hpp"

namespace wormcast::io {
namespace {

struct OtherWord {
  std::string_view word;
  std::string_view here;
};

constexpr std::string_view lanes = "the network says it: gen-topology --virtual-channels";
constexpr std::string_view buffers = "it is simulate-wormhole --buffer-flits";
constexpr std::string_view length = "it is gen-multicast --length-flits";
constexpr std::string_view count = "it is gen-multicast --count";
constexpr std::string_view sizes = "sizes are operands: gen-topology mesh 8 8";

constexpr OtherWord option_words[] = {
    {"--virtual-channels", lanes},
    {"--num-vcs", lanes},
    {"--vcs", lanes},
    {"--vc", lanes},
    {"--vc-buf-size", buffers},
    {"--buffers", buffers},
    {"--buffer-size", buffers},
    {"--buffer-depth", buffers},
    {"--packet-size", length},
    {"--length", length},
    {"--size", length},
    {"--bytes", length},
    {"--multicasts", count},
    {"--num", count},
    {"--number", count},
    {"--dests", "it is gen-multicast --destinations"},
    {"--traffic", "it is gen-multicast --pattern"},
    {"--injection-rate", "it is gen-multicast --rate"},
    {"--load", "it is gen-multicast --rate"},
    {"--planner", "planners are an operand: plan-multicast ocms,xy-tree"},
    {"--planners", "planners are an operand: plan-multicast ocms,xy-tree"},
    {"--routing-function", "it is plan-multicast --routing"},
    {"--warmup", "it is simulate-wormhole --warmup-cycles"},
    {"--warmup-periods", "it is simulate-wormhole --warmup-cycles"},
    {"--sample-period", "it is simulate-wormhole --measure-cycles"},
    {"--watch-out", "it is simulate-wormhole --trace"},
    {"--topology", "the network is an operand: gen-topology mesh 8 8"},
    {"--k", sizes},
    {"--n", sizes},
    {"--concentration",
     "it is --tile-width and --tile-height of gen-topology cmesh, --hosts of other networks"},
    {"--faults", "it is gen-topology --random-faults"},
    {"--remove-link", "it is gen-topology --without-link"},
    {"--remove-node", "it is gen-topology --without-node"},
    {"--heatmap", "it is report --dot, of what simulate-wormhole --channel-loads writes"},
    {"--histogram", "it is report --statistics, such as p50,p95,p99"},
    {"--mtu", "packets are as long as gen-multicast --length-flits says"},
    {"--mgid", "it is gen-topology import --group"},
    {"--mlid", "it is gen-topology import --group"},
    {"--group", "it is gen-topology import --group"},
};

constexpr OtherWord network_words[] = {
    {"grid", "a grid is a mesh"},
    {"2d-mesh", "as in mesh 8 8"},
    {"3d-mesh", "as in mesh 4 4 4"},
    {"2d-torus", "as in torus 8 8"},
    {"3d-torus", "as in torus 4 4 4"},
    {"ring", "a ring of 8 is torus 8"},
    {"line", "a line of 8 is mesh 8"},
    {"kncube", "a k-ary n-cube is a torus"},
    {"flatfly", "it is flattened-butterfly"},
    {"dragonflynew", "it is dragonfly"},
    {"clos", "it is fat-tree"},
    {"leaf-spine", "it is fat-tree --levels 2"},
    {"complete", "of 8 routers it is flattened-butterfly --arity 8 --hosts 1"},
    {"fully-connected", "of 8 routers it is flattened-butterfly --arity 8 --hosts 1"},
    {"fly", "a k-ary n-fly is butterfly --arity k --stages n"},
    {"k-ary-n-fly", "it is butterfly --arity k --stages n"},
    {"star", "any graph is an import, a sketch such as 'graph { a -- b }' too: gen-topology import FILE"},
    {"tree", "it is fat-tree, or an import of a sketch such as 'graph { a -- b }': gen-topology import FILE"},
    {"list", "it is gen-topology --list"},
    {"help", "it is gen-topology --help"},
};

template <std::size_t N>
std::string_view here_called(const OtherWord (&words)[N], std::string_view word) {
  const auto* found = std::find_if(std::begin(words), std::end(words),
                                   [&](const OtherWord& one) { return one.word == word; });
  return found == std::end(words) ? std::string_view{} : found->here;
}

}  // namespace

std::string_view option_by_other_word(std::string_view option) { return here_called(option_words, option); }

std::string_view network_by_other_word(std::string_view network) {
  return here_called(network_words, network);
}

void refuse_names_as_files(const std::vector<std::string>& files,
                           std::string (*meant)(std::string_view name)) {
  for (const std::string& file : files) {
    const std::string thing = meant(std::string_view(file).substr(0, file.find_first_of(":,")));
    std::error_code no_such_name;
    if (!thing.empty() && !std::filesystem::exists(file, no_such_name))
      throw InputError("FILE", "'" + file + "' is " + thing);
  }
}

}  // namespace wormcast::io
