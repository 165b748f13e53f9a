// Collectives of ranks as multicasts and unicasts that wait for each other.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "multicast/request.hpp"
#include "topology/ids.hpp"

namespace wormcast {

/// `local`: nothing is sent, but others can wait for it; `send`: from the first rank to the second.
enum class Collective : std::uint8_t {
  local,
  send,
  broadcast,
  reduce,
  all_reduce,
  gather,
  all_gather,
  scatter,
  reduce_scatter,
  all_to_all,
  barrier
};
/// "all-reduce"
std::string_view name_of(Collective kind);
/// All but `local`, by that name; nothing for other names.
std::optional<Collective> collective_named(std::string_view name);

/// What an operation is to one of its ranks.
struct Part {
  std::uint32_t operation = 0;  ///< number, in the order in which they are added
  std::uint32_t position = 0;   ///< in its ranks
};

struct Operation {
  Collective kind = Collective::local;
  std::vector<std::uint32_t> ranks;      ///< each once
  std::uint32_t root = 0;                ///< position of the rank that has, or gets, all
  std::uint64_t bytes = 0;               ///< that a rank puts in
  std::string communicator;              ///< for the record; may be empty
  std::vector<std::vector<Part>> after;  ///< by position: what this rank must have done first; earlier ones
};

/// How what is added up goes, and what ring alone has for all-gather.
enum class Summing : std::uint8_t { tree, chunks, ring, two_trees, joined, disjoint };
/// In the order of the enumeration.
std::span<const std::string_view> summing_names();

/// How the multicasts are made.
struct CollectiveModel {
  std::vector<HostId> hosts;    ///< by rank
  std::uint64_t flit_bits = 1;  ///< ≥ 1
  Summing summing = Summing::tree;
  Cycle start_cycle = 0;
  std::string from;  ///< what the operations were read from, for the record
};

class CollectiveSchedule {
 public:
  using Emit = std::function<void(Request)>;
  CollectiveSchedule(CollectiveModel model, Emit emit) : model_(std::move(model)), emit_(std::move(emit)) {}

  /// Emits what it sends, with ids from 0 on. Throws InputError where that becomes too much.
  void add(const Operation& operation);

 private:
  /// Ids of messages to one rank, ascending; shared by all that wait for the same. nullptr: none.
  using Ids = std::shared_ptr<const std::vector<std::uint64_t>>;
  struct Running;

  void count(std::uint64_t ids);
  Ids united(std::vector<Ids> sets);
  Ids without_implied(std::vector<std::uint64_t> ids);
  std::uint64_t emit(const Running& running, Request request, std::uint64_t bytes, Ids waits);
  std::uint64_t send(Running& running, std::uint32_t from, const std::vector<std::uint32_t>& to,
                     std::uint64_t bytes, std::vector<std::uint64_t> received);
  void send_to_others(Running& running, std::uint32_t from, std::uint64_t bytes,
                      std::vector<std::uint64_t> received);
  std::uint64_t join(Running& running, std::uint32_t root, std::uint64_t bytes);
  void reduce(Running& running, std::uint64_t bytes);
  void reduce_and_broadcast(Running& running);
  void all_reduce(Running& running);
  void reduce_by_two_trees(Running& running, std::uint64_t bytes);
  std::vector<std::uint64_t> pass_round(Running& running, std::uint64_t bytes,
                                        std::vector<std::uint64_t> received);
  void exchange(Running& running, std::uint64_t bytes);
  void run(Running& running);

  CollectiveModel model_;
  Emit emit_;
  std::vector<std::vector<Ids>> done_;  ///< by operation and position: what the rank has received by its end
  std::vector<Ids> waits_;              ///< by message: what it waits for
  std::uint64_t kept_ = 0;              ///< ids in all sets
  std::vector<std::uint64_t> seen_;     ///< by message: the last search that met it
  std::uint64_t searches_ = 0;
};

}  // namespace wormcast
