// Collectives of ranks as multicasts and unicasts that wait for each other.
//
// What one rank sends to several without a change is a multicast; what differs by destination, or is added up
// on its way, is unicasts. Of n ranks, each of which puts in B bytes:
//   broadcast       a multicast of the root to all others
//   all-gather      a multicast of every rank to all others
//   reduce          a binomial tree of n − 1 unicasts: a rank sends to its parent when its children have sent
//                   to it
//   all-reduce      reduce to the first rank, which then multicasts to all others
//   reduce-scatter, all-to-all   n(n − 1) unicasts of B/n bytes
//   gather, scatter n − 1 unicasts of B to the root, of B/n from it
//   barrier         reduce and multicast of nothing
// Summing says how else data are added up. chunks, ring: all-reduce is reduce-scatter, and all-gather of B/n
// bytes each; round a ring both take n − 1 steps, in which a rank sends to the next what has just come to it.
// two_trees: each half of an all-reduce goes up and down a binary tree; of even n leaves of one are none of
// the other. joined: what is added up is a reduction, of reduce-scatter one to each rank. disjoint: an
// all-reduce has one for each half, to the first and to the last rank. Adding up takes no time. What is
// nothing takes a flit.
//
// A rank begins an operation when it has done those before: each message waits for all messages that its
// sender had to receive by then. Most of them are implied by others, and leaving these out is what keeps a
// run of k operations from k² dependencies: an id that can be reached from another of the set, over what
// messages wait for, says nothing. The search for them has a budget, after which the rest stays: more than
// needed is not wrong. cite: Thakur, Rabenseifner, Gropp 2005 (binomial trees; reduce-scatter and
// all-gather; rings); Sanders, Speck, Träff 2009 (two trees).
// SPDX-License-Identifier: MIT
#include "multicast/workload/collectives.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "topology/error.hpp"

namespace wormcast {
namespace {

/// Ids of messages in all sets of a workload, and in all its multicasts: 8 bytes each.
constexpr std::uint64_t most_kept = std::uint64_t{1} << 25;
/// Multicasts and unicasts, of some 300 bytes each.
constexpr std::uint64_t most_messages = std::uint64_t{1} << 21;

struct CollectiveName {
  Collective kind;
  std::string_view name;
};
constexpr std::array<CollectiveName, 11> collective_names = {{{Collective::local, "local"},
                                                              {Collective::send, "send"},
                                                              {Collective::broadcast, "broadcast"},
                                                              {Collective::reduce, "reduce"},
                                                              {Collective::all_reduce, "all-reduce"},
                                                              {Collective::gather, "gather"},
                                                              {Collective::all_gather, "all-gather"},
                                                              {Collective::scatter, "scatter"},
                                                              {Collective::reduce_scatter, "reduce-scatter"},
                                                              {Collective::all_to_all, "all-to-all"},
                                                              {Collective::barrier, "barrier"}}};

constexpr std::array<std::string_view, 6> summing_names_in_order = {"tree",      "chunks", "ring",
                                                                    "two-trees", "joined", "disjoint"};

/// In a binary tree of the numbers below `count`, with 0 as the root and odd numbers as leaves. It ends in
/// more zero bits than its children.
std::uint32_t parent_in_tree(std::uint32_t number, std::uint32_t count) {
  const std::uint32_t low = number & (~number + 1);
  const std::uint32_t parent = (number ^ low) | low << 1;
  return parent < count ? parent : number ^ low;
}

}  // namespace

std::span<const std::string_view> summing_names() { return summing_names_in_order; }

std::string_view name_of(Collective kind) {
  for (const CollectiveName& one : collective_names)
    if (one.kind == kind) return one.name;
  return "";
}

std::optional<Collective> collective_named(std::string_view name) {
  for (const CollectiveName& one : collective_names)
    if (one.name == name && one.kind != Collective::local) return one.kind;
  return std::nullopt;
}

/// An operation while its messages are made.
struct CollectiveSchedule::Running {
  const Operation* operation;
  std::vector<Ids> before;                           ///< by position
  std::vector<std::vector<std::uint64_t>> received;  ///< by position, so far
  SharedValues workload;                             ///< of the step that runs

  HostId host(std::uint32_t position, const CollectiveModel& model) const {
    return model.hosts[operation->ranks[position]];
  }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(operation->ranks.size()); }
  /// Names the step that comes next.
  void next_step(std::string_view name, const CollectiveModel& model) {
    NamedValues values{{"from", model.from}, {"collective", std::string(name_of(operation->kind))}};
    if (!operation->communicator.empty()) values.emplace_back("communicator", operation->communicator);
    if (!name.empty()) values.emplace_back("step", name);
    values.emplace_back("flit-bits", std::to_string(model.flit_bits));
    workload = SharedValues(std::move(values));
  }
};

/// `ids` without those that others of them wait for.
CollectiveSchedule::Ids CollectiveSchedule::without_implied(std::vector<std::uint64_t> ids) {
  ++searches_;
  seen_.resize(waits_.size(), 0);
  std::uint64_t budget = 1024 + 16 * static_cast<std::uint64_t>(ids.size());
  std::vector<std::uint64_t> stack;
  for (std::size_t i = ids.size(); i-- > 0 && budget > 0;) {
    stack.push_back(ids[i]);
    while (!stack.empty() && budget > 0) {
      const Ids& waits = waits_[stack.back()];
      stack.pop_back();
      if (!waits) continue;
      for (auto id = waits->rbegin(); id != waits->rend() && *id >= ids.front() && budget > 0;
           ++id, --budget) {
        if (seen_[*id] == searches_) continue;
        seen_[*id] = searches_;
        stack.push_back(*id);
      }
    }
  }
  std::erase_if(ids, [&](std::uint64_t id) { return seen_[id] == searches_; });
  return std::make_shared<const std::vector<std::uint64_t>>(std::move(ids));
}

CollectiveSchedule::Ids CollectiveSchedule::united(std::vector<Ids> sets) {
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  std::erase(sets, nullptr);
  if (sets.size() < 2) return sets.empty() ? nullptr : sets.front();
  std::vector<std::uint64_t> ids;
  for (const Ids& set : sets) {
    count(set->size());
    ids.insert(ids.end(), set->begin(), set->end());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return without_implied(std::move(ids));
}

void CollectiveSchedule::count(std::uint64_t ids) {
  kept_ += ids;
  if (kept_ > most_kept)
    throw InputError("",
                     "its messages wait for each other in more than " + std::to_string(most_kept) + " ways");
}

/// A message between hosts that are known; returns its id.
std::uint64_t CollectiveSchedule::emit(const Running& running, Request request, std::uint64_t bytes,
                                       Ids waits) {
  if (waits_.size() >= most_messages)
    throw InputError("", "more than " + std::to_string(most_messages) + " multicasts and unicasts");
  request.id = waits_.size();
  std::sort(request.destinations.begin(), request.destinations.end());
  request.length_flits = std::max<std::uint64_t>(1, (bytes * 8 + model_.flit_bits - 1) / model_.flit_bits);
  request.start_cycle = model_.start_cycle;
  if (waits) request.depends_on = *waits;
  count(request.depends_on.size());
  request.workload = running.workload;
  waits_.push_back(std::move(waits));
  emit_(std::move(request));
  return waits_.size() - 1;
}

/// `received` by this rank in this operation goes before it.
std::uint64_t CollectiveSchedule::send(Running& running, std::uint32_t from,
                                       const std::vector<std::uint32_t>& to, std::uint64_t bytes,
                                       std::vector<std::uint64_t> received) {
  Ids waits = running.before[from];
  if (!received.empty())
    waits = united({waits, std::make_shared<const std::vector<std::uint64_t>>(std::move(received))});
  Request request;
  request.source = running.host(from, model_);
  for (const std::uint32_t position : to) request.destinations.push_back(running.host(position, model_));
  const std::uint64_t id = emit(running, std::move(request), bytes, std::move(waits));
  for (const std::uint32_t position : to) running.received[position].push_back(id);
  return id;
}

/// A reduction of all to the root, whose own part is joined there, as in routers that name sets by a mask. A
/// part waits for what goes to its node alone, so that what other parts wait for implies nothing.
std::uint64_t CollectiveSchedule::join(Running& running, std::uint32_t root, std::uint64_t bytes) {
  Request request;
  request.source = running.host(root, model_);
  std::vector<std::uint64_t> ids;
  for (std::uint32_t position = 0; position < running.ranks(); ++position) {
    request.destinations.push_back(running.host(position, model_));
    const Ids& before = running.before[position];
    if (before) ids.insert(ids.end(), before->begin(), before->end());
  }
  request.start_cycles.assign(request.destinations.size(), model_.start_cycle);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  count(request.destinations.size() + ids.size());
  Ids waits = ids.empty() ? nullptr : std::make_shared<const std::vector<std::uint64_t>>(std::move(ids));
  const std::uint64_t id = emit(running, std::move(request), bytes, std::move(waits));
  running.received[root].push_back(id);
  return id;
}

void CollectiveSchedule::send_to_others(Running& running, std::uint32_t from, std::uint64_t bytes,
                                        std::vector<std::uint64_t> received) {
  std::vector<std::uint32_t> others;
  for (std::uint32_t position = 0; position < running.ranks(); ++position)
    if (position != from) others.push_back(position);
  count(others.size());
  send(running, from, others, bytes, std::move(received));
}

/// Counted from the root on, rank r sends to r without its lowest bit; all that send to it come after it.
void CollectiveSchedule::reduce(Running& running, std::uint64_t bytes) {
  if (model_.summing >= Summing::joined) {
    join(running, running.operation->root, bytes);
    return;
  }
  const std::uint32_t count = running.ranks();
  const auto position = [&](std::uint32_t r) { return (r + running.operation->root) % count; };
  for (std::uint32_t r = count - 1; r > 0; --r)
    send(running, position(r), {position(r & (r - 1))}, bytes, running.received[position(r)]);
}

void CollectiveSchedule::reduce_and_broadcast(Running& running) {
  const std::uint32_t root = running.operation->root;
  running.next_step("reduce", model_);
  reduce(running, running.operation->bytes);
  running.next_step("broadcast", model_);
  send_to_others(running, root, running.operation->bytes, running.received[root]);
}

/// Up one tree and down again, for each half. The second is the first mirrored, or, where that would not make
/// leaves of what are none, moved on by one.
void CollectiveSchedule::reduce_by_two_trees(Running& running, std::uint64_t bytes) {
  const std::uint32_t count = running.ranks();
  std::vector<std::uint32_t> upwards(count - 1);
  std::iota(upwards.begin(), upwards.end(), 1);
  std::stable_sort(upwards.begin(), upwards.end(), [](std::uint32_t a, std::uint32_t b) {
    return std::countr_zero(a) < std::countr_zero(b);
  });
  for (const bool second : {false, true}) {
    const auto position = [&](std::uint32_t number) {
      if (!second) return number;
      return count % 2 == 0 ? count - 1 - number : (number + 1) % count;
    };
    std::vector<std::vector<std::uint64_t>> received(count);
    std::vector<std::vector<std::uint32_t>> children(count);
    running.next_step("reduce", model_);
    for (const std::uint32_t number : upwards) {
      const std::uint32_t parent = parent_in_tree(number, count);
      children[parent].push_back(position(number));
      received[parent].push_back(
          send(running, position(number), {position(parent)}, bytes, received[number]));
    }
    running.next_step("broadcast", model_);
    std::vector<std::uint64_t> down(count);
    for (std::uint32_t i = count; i-- > 0;) {
      const std::uint32_t number = i == count - 1 ? 0 : upwards[i];
      if (children[number].empty()) continue;
      down[number] = send(running, position(number), children[number], bytes,
                          number == 0 ? received[0] : std::vector{down[parent_in_tree(number, count)]});
    }
  }
}

/// Every rank sends to the next one, n − 1 times: first after `received`, by position, then what has come.
std::vector<std::uint64_t> CollectiveSchedule::pass_round(Running& running, std::uint64_t bytes,
                                                          std::vector<std::uint64_t> received) {
  const std::uint32_t count = running.ranks();
  for (std::uint32_t step = 1; step < count; ++step) {
    std::vector<std::uint64_t> sent(count);
    for (std::uint32_t from = 0; from < count; ++from) {
      const std::uint32_t to = (from + 1) % count;
      sent[to] = send(running, from, {to}, bytes,
                      received.empty() ? std::vector<std::uint64_t>{} : std::vector{received[from]});
    }
    received = std::move(sent);
  }
  return received;
}

void CollectiveSchedule::all_reduce(Running& running) {
  const std::uint32_t count = running.ranks();
  const std::uint64_t chunk = (running.operation->bytes + count - 1) / count;
  const std::uint64_t half = (running.operation->bytes + 1) / 2;
  switch (model_.summing) {
    case Summing::chunks: {
      running.next_step("reduce-scatter", model_);
      exchange(running, chunk);
      running.next_step("all-gather", model_);
      const std::vector<std::vector<std::uint64_t>> chunks = running.received;
      for (std::uint32_t from = 0; from < count; ++from) send_to_others(running, from, chunk, chunks[from]);
      break;
    }
    case Summing::ring: {
      running.next_step("reduce-scatter", model_);
      const std::vector<std::uint64_t> received = pass_round(running, chunk, {});
      running.next_step("all-gather", model_);
      pass_round(running, chunk, received);
      break;
    }
    case Summing::two_trees:
      reduce_by_two_trees(running, half);
      break;
    case Summing::disjoint:
      for (const std::uint32_t root : {0U, count - 1}) {
        running.next_step("reduce", model_);
        const std::uint64_t sum = join(running, root, half);
        running.next_step("broadcast", model_);
        send_to_others(running, root, half, {sum});
      }
      break;
    default:
      reduce_and_broadcast(running);
  }
}

/// Every rank to every other.
void CollectiveSchedule::exchange(Running& running, std::uint64_t bytes) {
  for (std::uint32_t from = 0; from < running.ranks(); ++from)
    for (std::uint32_t step = 1; step < running.ranks(); ++step)
      send(running, from, {(from + step) % running.ranks()}, bytes, {});
}

void CollectiveSchedule::run(Running& running) {
  const Operation& operation = *running.operation;
  const std::uint32_t count = running.ranks();
  const std::uint64_t chunk = (operation.bytes + count - 1) / count;
  running.next_step("", model_);
  switch (operation.kind) {
    case Collective::local:
      break;
    case Collective::send:
      send(running, 0, {1}, operation.bytes, {});
      break;
    case Collective::broadcast:
      send_to_others(running, operation.root, operation.bytes, {});
      break;
    case Collective::reduce:
      reduce(running, operation.bytes);
      break;
    case Collective::gather:
      for (std::uint32_t from = 0; from < count; ++from)
        if (from != operation.root) send(running, from, {operation.root}, operation.bytes, {});
      break;
    case Collective::scatter:
      for (std::uint32_t to = 0; to < count; ++to)
        if (to != operation.root) send(running, operation.root, {to}, chunk, {});
      break;
    case Collective::all_gather:
      if (model_.summing == Summing::ring)
        pass_round(running, operation.bytes, {});
      else
        for (std::uint32_t from = 0; from < count; ++from) send_to_others(running, from, operation.bytes, {});
      break;
    case Collective::reduce_scatter:
      if (model_.summing == Summing::ring)
        pass_round(running, chunk, {});
      else if (model_.summing >= Summing::joined)
        for (std::uint32_t root = 0; root < count; ++root) join(running, root, chunk);
      else
        exchange(running, chunk);
      break;
    case Collective::all_to_all:
      exchange(running, chunk);
      break;
    case Collective::all_reduce:
      all_reduce(running);
      break;
    case Collective::barrier:
      reduce_and_broadcast(running);
      break;
  }
}

void CollectiveSchedule::add(const Operation& operation) {
  Running running{&operation, {}, {}, {}};
  running.received.resize(operation.ranks.size());
  for (const std::vector<Part>& parts : operation.after) {
    std::vector<Ids> sets;
    for (const Part& part : parts) sets.push_back(done_[part.operation][part.position]);
    running.before.push_back(united(std::move(sets)));
  }
  if (operation.ranks.size() > 1) run(running);
  std::vector<Ids> done = running.before;
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (running.received[i].empty()) continue;
    done[i] =
        united({done[i], std::make_shared<const std::vector<std::uint64_t>>(std::move(running.received[i]))});
  }
  done_.push_back(std::move(done));
}

}  // namespace wormcast
