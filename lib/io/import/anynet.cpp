// Import of BookSim's anynet: `router 0 node 0 node 1 router 1 10` names what router 0 is joined to.
//
// The latency after a name is that of the channel towards it; the channel back has one cycle unless it
// is named too, from its own end. Where no latency stands either way, the record leaves it to the model. Ids
// are any numbers; routers and hosts are numbered in ascending order of theirs. A pair of routers has one
// link, as in BookSim. cite: Jiang et al. 2013 (BookSim 2), src/networks/anynet.cpp.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>

#include "io/import/text.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_anynet {
namespace {

constexpr std::uint64_t max_id = std::uint64_t{1} << 31;
constexpr std::uint64_t max_latency = std::uint64_t{1} << 31;

class Reader {
 public:
  explicit Reader(const ImportFile& file) : lines_(file) {}

  Imported read() {
    while (const auto line = lines_.next()) read_line(words_of(*line));
    if (hosts_.empty()) lines_.fail("", "no node is attached to a router");
    return build();
  }

 private:
  struct End {
    bool router = false;
    std::uint64_t id = 0;
  };

  /// Latencies of both ways, of which some may have been named.
  struct Ways {
    std::array<std::uint32_t, 2> cycles{1, 1};
    bool timed = false;
    void take(std::size_t way, std::optional<std::uint32_t> latency) {
      cycles[way] = latency.value_or(1);
      timed = timed || latency;
    }
    std::optional<std::array<std::uint32_t, 2>> hop_cycles() const {
      return timed ? std::optional(cycles) : std::nullopt;
    }
  };

  struct Host {
    std::uint64_t router = 0;
    Ways ways{};  ///< to the router, to the host
  };

  void read_line(const std::vector<std::string_view>& words) {
    if (words.empty()) return;
    std::size_t at = 0;
    const End subject = take_end(words, at);
    if (subject.router) routers_.emplace(subject.id, 0);
    if (at == words.size()) lines_.fail("router", "the line joins nothing");
    while (at < words.size()) {
      const End other = take_end(words, at);
      std::optional<std::uint32_t> latency;
      if (at < words.size() && words[at] != "router" && words[at] != "node") {
        latency = static_cast<std::uint32_t>(lines_.number_in(words[at], "latency", 1, max_latency));
        ++at;
      }
      join(subject, other, latency);
    }
  }

  End take_end(const std::vector<std::string_view>& words, std::size_t& at) {
    End end;
    end.router = words[at] == "router";
    if (!end.router && words[at] != "node")
      lines_.fail("router", in_quotes(words[at]) + " is neither 'router' nor 'node' (lower case)");
    if (++at == words.size()) lines_.fail(std::string(words[at - 1]), "the number is missing");
    end.id = lines_.number_in(words[at], std::string(words[at - 1]), 0, max_id);
    ++at;
    return end;
  }

  void join(End from, End to, std::optional<std::uint32_t> latency) {
    if (from.router && to.router) {
      if (from.id == to.id) lines_.fail("router", fmt::format("router {} is joined to itself", to.id));
      routers_.emplace(to.id, 0);
      const bool turned = from.id > to.id;
      links_[std::minmax(from.id, to.id)].take(turned ? 1 : 0, latency);
      return;
    }
    if (!from.router && !to.router)
      lines_.fail("node", "a node is joined to a node; nodes are joined to routers");
    const std::uint64_t host = from.router ? to.id : from.id;
    const std::uint64_t router = from.router ? from.id : to.id;
    routers_.emplace(router, 0);
    const auto [known, added] = hosts_.emplace(host, Host{router});
    if (!added && known->second.router != router)
      lines_.fail("node", fmt::format("node {} is on router {} already", host, known->second.router));
    known->second.ways.take(from.router ? 1 : 0, latency);
  }

  Imported build() {
    Imported result;
    GraphSpec& graph = result.spec.graph;
    bool timed = false;
    for (auto& [id, index] : routers_) {
      index = graph.routers++;
      graph.names.push_back(std::to_string(id));
    }
    for (const auto& [id, host] : hosts_) {
      graph.hosts.push_back(routers_.at(host.router));
      graph.host_names.push_back(std::to_string(id));
      graph.host_links.emplace_back().hop_cycles = host.ways.hop_cycles();
      timed = timed || host.ways.timed;
    }
    if (!timed) graph.host_links.clear();
    for (const auto& [ends, ways] : links_) {
      GraphLink& link = graph.links.emplace_back();
      link.ends = {routers_.at(ends.first), routers_.at(ends.second)};
      link.hop_cycles = ways.hop_cycles();
    }
    return result;
  }

  ImportLines lines_;
  std::map<std::uint64_t, std::uint32_t> routers_;  ///< id to index
  std::map<std::uint64_t, Host> hosts_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Ways> links_;
};

bool detect(const ImportFile& file) {
  const std::vector<std::string_view> words = words_of(first_line_of(file, ""));
  return words.size() >= 3 && (words[0] == "router" || words[0] == "node") && whole_number(words[1]) &&
         (words[2] == "router" || words[2] == "node");
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "anynet",
    .summary = "BookSim 2: routers, nodes and latencies",
    .cite = "Jiang et al. 2013",
    .detect = detect,
    .one = "anynet file",
    .read_one = [](const ImportFile& file) { return Reader(file).read(); },
};

}  // namespace wormcast::io::import_anynet
