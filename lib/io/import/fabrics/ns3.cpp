// Import of topologies of ns-3 simulators of RDMA (HPCC and what came of it): numbers of nodes, switches and
// links, the numbers of the switches, then a line for each link: `SOURCE TARGET RATE DELAY ERROR_RATE`.
// SimAI's files begin with nodes, GPUs a server, NVSwitches, switches, links and the type of the GPUs,
// perhaps GPUs a node; the NVSwitches come before the other switches.
//
// What is no switch is a host; one with several links is a host for each, as at adapters with several ports,
// and as a GPU is on the network of its NVSwitch and on that of its NIC.
// Rates become speeds; delays and error rates are left out and counted. As in ns-3, ends of lines are blanks.
// cite: alibaba-edu/High-Precision-Congestion-Control, simulation/scratch/third.cc; aliyun/SimAI,
// astra-sim-alibabacloud, network_frontend/ns3/common.h.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "io/import/fabrics/cabling.hpp"
#include "io/import/text.hpp"
#include "topology/error.hpp"

namespace wormcast::io::import_ns3 {
namespace {

constexpr std::size_t words_of_link = 5;

/// Five numbers and a type such as A100; perhaps a number more.
bool is_head_of_gpus(const std::vector<std::string_view>& words) {
  if ((words.size() != 6 && words.size() != 7) || whole_number(words[5])) return false;
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string_view& word) { return &word == &words[5] || whole_number(word); });
}

class Reader {
 public:
  explicit Reader(const ImportFile& file) : lines_(file) {}

  Imported read() {
    const std::uint64_t nodes = number("nodes", UINT32_MAX);
    const bool of_gpus = is_head_of_gpus(words_);
    if (of_gpus) number("GPUs a server", UINT32_MAX);
    std::uint64_t switches = of_gpus ? number("NVSwitches", nodes) : 0;
    switches += number("switches", nodes - switches);
    const std::uint64_t links = number("links", UINT32_MAX);
    if (of_gpus) at_ = words_.size();  // what follows is for people and for placing work
    for (std::uint64_t i = 0; i < switches; ++i) {
      const std::uint32_t node = cabling_.node(std::to_string(number("switch", nodes - 1)));
      if (cabling_.kind_known(node)) lines_.fail("switch", in_quotes(word_) + " is named twice");
      cabling_.set_kind(node, true);
    }
    for (std::uint64_t i = 0; i < links; ++i) read_link(nodes);
    if (next_word()) lines_.fail("", fmt::format("{} follows the {} links", in_quotes(word_), links));
    return build(nodes);
  }

 private:
  bool next_word() {
    while (at_ == words_.size()) {
      const auto line = lines_.next();
      if (!line) return false;
      words_ = words_of(*line, " \t\r");
      at_ = 0;
    }
    word_ = words_[at_++];
    return true;
  }
  void expect_word(const std::string& field) {
    if (!next_word()) lines_.fail(field, "the file ends before it");
  }
  std::uint64_t number(const std::string& field, std::uint64_t most) {
    expect_word(field);
    return lines_.number_in(word_, field, 0, most);
  }

  void read_link(std::uint64_t nodes) {
    std::array<Cabling::Port, 2> ends{};
    for (Cabling::Port& end : ends) {
      end.node = cabling_.node(std::to_string(number("link", nodes - 1)));
      if (!cabling_.kind_known(end.node)) cabling_.set_kind(end.node, false);
      end.port = ++ports_[end.node];  // told apart; none is stated
    }
    Cabling::Attributes attributes;
    expect_word("rate");
    if (!word_.ends_with("bps")) lines_.fail("rate", in_quotes(word_) + " is not a rate such as 100Gbps");
    attributes.speed = valid_utf8(word_);
    expect_word("delay");
    if (!word_.ends_with('s')) lines_.fail("delay", in_quotes(word_) + " is not a time such as 1000ns");
    ++delays_;
    expect_word("error rate");
    if (word_.find_first_not_of("0.") != std::string_view::npos) ++errors_;
    cabling_.add(ends[0], ends[1], attributes, lines_);
  }

  Imported build(std::uint64_t nodes) {
    Imported result = cabling_.build(lines_);
    for (GraphLink& link : result.spec.graph.links) link.ports.reset();
    for (HostLink& link : result.spec.graph.host_links) link.ports.reset();
    result.note("left-out-unconnected-hosts", nodes - cabling_.nodes());
    result.note("left-out-delays", delays_);
    result.note("left-out-error-rates", errors_);
    return result;
  }

  ImportLines lines_;
  Cabling cabling_;
  std::vector<std::string_view> words_;  ///< of the line
  std::size_t at_ = 0;
  std::string_view word_;
  std::map<std::uint32_t, std::uint32_t> ports_;  ///< of each node so far
  std::uint64_t delays_ = 0;
  std::uint64_t errors_ = 0;
};

/// A head, numbers, and a link whose third word is a rate.
bool detect(const ImportFile& file) {
  ImportLines lines(file);
  bool first = true;
  while (const auto line = lines.next()) {
    const std::vector<std::string_view> words = words_of(*line);
    if (words.empty()) continue;
    if (!first && words.size() == words_of_link && words[2].ends_with("bps")) return true;
    if (first && words.size() != 3 && !is_head_of_gpus(words)) return false;
    const bool head_of_gpus = std::exchange(first, false) && words.size() != 3;
    if (head_of_gpus) continue;
    for (const std::string_view word : words)
      if (!whole_number(word)) return false;
  }
  return false;
}

}  // namespace

extern const ImportFormat entry;
const ImportFormat entry = {
    .name = "ns3",
    .summary = "ns-3: topologies of RDMA simulators (HPCC, SimAI), links with rates, delays and error rates",
    .cite = "Li et al. 2019",
    .detect = detect,
    .one = "topology of ns-3",
    .read_one = [](const ImportFile& file) { return Reader(file).read(); },
};

}  // namespace wormcast::io::import_ns3
