// The traces of all ranks as one list of operations.
//
// The k-th collective of a communicator in each rank's file is the same operation, and the k-th receive from
// a rank with a tag takes what the k-th send to it with that tag sends, as message passing has it. What ranks
// do is then one graph, which is put into an order by how far on each node stands in its file. cite:
// MPI 4.1, 3.5 and 6.12 (order).
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "io/import/workloads/collective_files.hpp"
#include "io/import/workloads/protobuf.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

/// Nodes of all traces, with the ranks that their operations have.
constexpr std::uint64_t most_trace_parts = std::uint64_t{1} << 22;

class RankTraces {
 public:
  RankTraces(std::span<const ImportFile> files, Communicators& communicators)
      : files_(files), communicators_(communicators) {}

  std::vector<Operation> read() {
    for (std::uint32_t rank = 0; rank < files_.size(); ++rank) {
      traces_.push_back(read_chakra(files_[rank], rank));
      for (const Communicator& one : traces_.back().communicators) add_communicator(rank, one);
    }
    for (std::uint32_t rank = 0; rank < files_.size(); ++rank) {
      parts_.emplace_back();
      std::map<std::string, std::uint32_t> met;  // of each communicator, how many operations
      for (std::uint32_t index = 0; index < traces_[rank].nodes.size(); ++index) take(rank, index, met);
    }
    check_members();
    match_messages();
    add_dependencies();
    return in_order();
  }

 private:
  /// Where an operation was met first, and which of its ranks have been.
  struct Origin {
    std::uint32_t rank;
    std::uint32_t index;
    std::uint32_t members = 1;
  };
  using Channel = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< from, to, tag

  const ChakraNode& node(const Origin& at) const { return traces_[at.rank].nodes[at.index]; }
  [[noreturn]] void fail(const Origin& at, std::string_view field, const std::string& message) const {
    const std::size_t byte = node(at).byte;
    ProtobufMessage(files_[at.rank], byte, byte)
        .fail(field, fmt::format("node {}: {}", node(at).id, message));
  }

  void add_communicator(std::uint32_t rank, const Communicator& one) {
    try {
      communicators_.add(one);
    } catch (const InputError& error) {
      throw InputError(error.field, error.what(), files_[rank].name);
    }
  }

  std::uint32_t fresh(const Origin& at, Collective kind, std::vector<std::uint32_t> ranks) {
    used_ += ranks.size();
    if (used_ > most_trace_parts) fail(at, "", fmt::format("more than {} nodes in all", most_trace_parts));
    Operation operation;
    operation.kind = kind;
    operation.bytes = node(at).bytes;
    operation.after.resize(ranks.size());
    operation.ranks = std::move(ranks);
    operations_.push_back(std::move(operation));
    origins_.push_back(at);
    return static_cast<std::uint32_t>(operations_.size() - 1);
  }

  void take(std::uint32_t rank, std::uint32_t index, std::map<std::string, std::uint32_t>& met) {
    const Origin at{rank, index};
    const ChakraNode& one = node(at);
    switch (one.type) {
      case ChakraNode::Type::collective:
        parts_[rank].push_back(take_collective(at, met));
        break;
      case ChakraNode::Type::send:
        if (one.peer >= files_.size()) fail(at, "comm_dst", fmt::format("rank {} has no file", one.peer));
        parts_[rank].push_back({fresh(at, Collective::send, {rank, one.peer}), 0});
        sends_[{rank, one.peer, one.tag}].push_back(parts_[rank].back().operation);
        break;
      default:
        parts_[rank].push_back({fresh(at, Collective::local, {rank}), 0});
        if (one.type == ChakraNode::Type::receive)
          receives_[{one.peer, rank, one.tag}].push_back(parts_[rank].back().operation);
    }
  }

  Part take_collective(const Origin& at, std::map<std::string, std::uint32_t>& met) {
    const ChakraNode& one = node(at);
    const std::vector<std::uint32_t>* ranks = communicators_.find(one.communicator);
    if (ranks == nullptr)
      fail(at, "pg_name",
           fmt::format("communicator {} is neither in the trace nor in --communicators",
                       in_quotes(one.communicator)));
    const auto place = std::find(ranks->begin(), ranks->end(), at.rank);
    if (place == ranks->end())
      fail(at, "pg_name",
           fmt::format("rank {} is not in communicator {}", at.rank, in_quotes(one.communicator)));
    const auto position = static_cast<std::uint32_t>(place - ranks->begin());
    // "" and "0" can be the same.
    const std::string name = ranks == communicators_.find("") ? std::string() : one.communicator;
    const auto key = std::pair(name, met[name]++);
    const auto known = collectives_.find(key);
    if (known == collectives_.end()) {
      const std::uint32_t made = fresh(at, one.collective, *ranks);
      operations_[made].communicator = one.communicator.empty() ? "world" : one.communicator;
      collectives_.emplace(key, made);
      return {made, position};
    }
    const Operation& operation = operations_[known->second];
    Origin& first = origins_[known->second];
    if (operation.kind != one.collective || operation.bytes != one.bytes)
      fail(
          at, "comm_type",
          fmt::format(
              "{} of {} bytes, but node {} of rank {}, which is the same operation of communicator {}, is {} "
              "of {}",
              name_of(one.collective), one.bytes, node(first).id, first.rank,
              in_quotes(operation.communicator), name_of(operation.kind), operation.bytes));
    ++first.members;
    return {known->second, position};
  }

  void check_members() const {
    for (const auto& [key, number] : collectives_) {
      const Operation& operation = operations_[number];
      const Origin& first = origins_[number];
      if (first.members != operation.ranks.size())
        fail(first, "pg_name",
             fmt::format("{} of {} ranks of communicator {} take part", first.members, operation.ranks.size(),
                         in_quotes(operation.communicator)));
    }
  }

  void match_messages() {
    for (const auto& [channel, sends] : sends_) {
      const auto place = receives_.find(channel);
      const std::size_t received = place == receives_.end() ? 0 : place->second.size();
      if (received < sends.size())
        fail(origins_[sends[received]], "comm_dst", "what it sends is never received");
    }
    for (const auto& [channel, receives] : receives_) {
      const auto place = sends_.find(channel);
      for (std::size_t i = 0; i < receives.size(); ++i) {
        const Origin& at = origins_[receives[i]];
        if (place == sends_.end() || i >= place->second.size())
          fail(at, "comm_src", "what it waits for is never sent");
        const std::uint32_t send = place->second[i];
        if (operations_[send].bytes != node(at).bytes)
          fail(at, "comm_size",
               fmt::format("{} bytes, but {} are sent", node(at).bytes, operations_[send].bytes));
        operations_[receives[i]].after[0].push_back({send, 1});
      }
    }
  }

  void add_dependencies() {
    for (std::uint32_t rank = 0; rank < traces_.size(); ++rank)
      for (std::size_t i = 0; i < parts_[rank].size(); ++i) {
        const Part& part = parts_[rank][i];
        std::vector<Part>& after = operations_[part.operation].after[part.position];
        for (const std::uint32_t before : traces_[rank].nodes[i].after) after.push_back(parts_[rank][before]);
      }
  }

  std::vector<Operation> in_order() {
    std::vector<std::vector<std::uint32_t>> next(operations_.size());
    std::vector<std::uint64_t> open(operations_.size(), 0);
    for (std::uint32_t number = 0; number < operations_.size(); ++number)
      for (const std::vector<Part>& after : operations_[number].after)
        for (const Part& part : after) {
          next[part.operation].push_back(number);
          ++open[number];
        }
    using Ready = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // index, rank, number
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    const auto add = [&](std::uint32_t number) {
      ready.emplace(origins_[number].index, origins_[number].rank, number);
    };
    for (std::uint32_t number = 0; number < operations_.size(); ++number)
      if (open[number] == 0) add(number);
    std::vector<std::uint32_t> places(operations_.size(), 0);
    std::vector<Operation> ordered;
    while (!ready.empty()) {
      const std::uint32_t number = std::get<2>(ready.top());
      ready.pop();
      places[number] = static_cast<std::uint32_t>(ordered.size());
      for (std::vector<Part>& after : operations_[number].after)
        for (Part& part : after) part.operation = places[part.operation];
      ordered.push_back(std::move(operations_[number]));
      for (const std::uint32_t one : next[number])
        if (--open[one] == 0) add(one);
    }
    refuse_circle(open, ordered.size());
    return ordered;
  }

  void refuse_circle(const std::vector<std::uint64_t>& open, std::size_t ordered) const {
    if (ordered == operations_.size()) return;
    for (std::size_t number = 0; number < open.size(); ++number)
      if (open[number] != 0)
        fail(origins_[number], "data_deps", "it waits for itself, over other nodes or ranks");
  }

  std::span<const ImportFile> files_;
  Communicators& communicators_;
  std::vector<ChakraTrace> traces_;
  std::vector<std::vector<Part>> parts_;  ///< by rank and node
  std::vector<Operation> operations_;
  std::vector<Origin> origins_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> collectives_;
  std::map<Channel, std::vector<std::uint32_t>> sends_, receives_;
  std::uint64_t used_ = 0;
};

}  // namespace

std::vector<Operation> trace_operations(std::span<const ImportFile> files, Communicators& communicators) {
  return RankTraces(files, communicators).read();
}

}  // namespace wormcast::io
