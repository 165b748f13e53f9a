// Lists of the communicators of ranks and of what these do.
//
// A list has a line for each operation; `#` begins a comment:
//   communicator NAME RANK...      ranks and ranges such as 0-3, in their order; `world` is all ranks
//   OPERATION NAME BYTES [root RANK]   what every rank puts in; the root is the first rank unless it is named
//   barrier NAME
//   send RANK RANK BYTES
//   local RANK                     sends nothing; others can wait for it
// Each rank does its operations in the order of the lines, one after the other, as MPI's blocking calls do,
// but where a line ends with `after=`: then each of its ranks waits for what it does itself in the operations
// that are named by their numbers, from 0, or for a rank alone by RANK:NUMBER. A line `ranks N [from=NAME]`
// before all others says how many ranks there are, if fewer than nodes, and what the record names as the
// origin.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "io/import/text.hpp"
#include "io/import/workloads/workload_file.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

constexpr std::uint64_t most_bytes_put_in = std::uint64_t{1} << 40;
/// Ranks of all operations of a list, of some 50 bytes each.
constexpr std::uint64_t most_list_parts = std::uint64_t{1} << 23;

class CollectiveList {
 public:
  CollectiveList(const ImportFile& file, std::uint32_t ranks) : lines_(file) { set_ranks(ranks); }

  CollectiveListing read() {
    bool first = true;
    while (const auto line = lines_.next()) {
      words_ = words_of(line->substr(0, line->find('#')));
      if (words_.empty()) continue;
      if (words_[0] == "ranks" && first) {
        read_ranks();
      } else if (words_[0] == "communicator") {
        add_communicator();
      } else {
        add_operation();
      }
      first = false;
    }
    return std::move(listing_);
  }

 private:
  void set_ranks(std::uint64_t ranks) {
    last_.resize(ranks);
    world_.resize(ranks);
    std::iota(world_.begin(), world_.end(), 0);
  }

  std::uint32_t rank(std::string_view word) const {
    return static_cast<std::uint32_t>(lines_.number_in(word, "rank", 0, world_.size() - 1));
  }

  void read_ranks() {
    constexpr std::string_view origin = "from=";
    const bool stated = words_.size() == 3 && words_[2].starts_with(origin);
    if (words_.size() != 2 && !stated) lines_.fail("ranks", "ranks N [from=NAME] is wanted");
    set_ranks(lines_.number_in(words_[1], "ranks", 1, world_.size()));
    if (stated) listing_.from = valid_utf8(words_[2].substr(origin.size()));
  }

  void add_communicator() {
    if (words_.size() < 3) lines_.fail("communicator", "a name and its ranks are wanted");
    const std::string name(words_[1]);
    if (name == "world") lines_.fail("communicator", "'world' is all ranks already");
    std::vector<std::uint32_t> ranks;
    for (std::size_t i = 2; i < words_.size(); ++i) {
      const std::size_t dash = words_[i].find('-');
      const std::uint32_t first = rank(words_[i].substr(0, dash));
      const std::uint32_t last = dash == std::string_view::npos ? first : rank(words_[i].substr(dash + 1));
      if (last < first) lines_.fail("rank", fmt::format("{} runs down", in_quotes(words_[i])));
      if (last - first >= world_.size() - ranks.size()) lines_.fail("rank", "a rank appears twice");
      for (std::uint32_t r = first; r <= last; ++r) ranks.push_back(r);
    }
    std::vector<std::uint32_t> sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
      lines_.fail("rank", fmt::format("rank {} appears twice in communicator {}", *twice, in_quotes(name)));
    const auto [known, fresh] = communicators_.emplace(name, ranks);
    if (!fresh && known->second != ranks)
      lines_.fail("communicator", fmt::format("{} has other ranks before", in_quotes(name)));
  }

  /// All ranks for "world" and, where there is no other, "0".
  const std::vector<std::uint32_t>& ranks_of(const std::string& communicator) const {
    if (const auto found = communicators_.find(communicator); found != communicators_.end())
      return found->second;
    if (communicator != "0" && communicator != "world")
      lines_.fail("communicator", fmt::format("{} is not known here", in_quotes(communicator)));
    return world_;
  }

  void add_operation() {
    constexpr std::string_view stated = "after=";
    std::optional<std::string_view> after;
    if (words_.back().starts_with(stated)) {
      after = words_.back().substr(stated.size());
      words_.pop_back();
      if (words_.empty()) lines_.fail("operation", "its name is missing");
    }
    const bool local = words_[0] == name_of(Collective::local);
    const auto kind = local ? Collective::local : collective_named(words_[0]);
    if (!kind)
      lines_.fail("operation", fmt::format("{} is none of communicator, send, broadcast, reduce, all-reduce, "
                                           "gather, all-gather, scatter, reduce-scatter, all-to-all, barrier",
                                           in_quotes(words_[0])));
    Operation operation;
    operation.kind = *kind;
    if (*kind == Collective::send) {
      expect_words(4, "send RANK RANK BYTES");
      operation.ranks = {rank(words_[1]), rank(words_[2])};
      if (operation.ranks[0] == operation.ranks[1])
        lines_.fail("rank", fmt::format("rank {} sends to itself", operation.ranks[0]));
      operation.bytes = bytes(words_[3]);
    } else if (local) {
      expect_words(2, "local RANK");
      operation.ranks = {rank(words_[1])};
    } else {
      read_collective(operation);
    }
    parts_ += operation.ranks.size();
    if (parts_ > most_list_parts)
      lines_.fail("", fmt::format("the operations have more than {} ranks in all", most_list_parts));
    place(operation, after);
    listing_.operations.push_back(std::move(operation));
  }

  void read_collective(Operation& operation) {
    const bool barrier = operation.kind == Collective::barrier;
    const bool rooted = operation.kind == Collective::broadcast || operation.kind == Collective::reduce ||
                        operation.kind == Collective::gather || operation.kind == Collective::scatter;
    const std::size_t needed = barrier ? 2 : 3;
    if (words_.size() != needed && !(rooted && words_.size() == 5 && words_[3] == "root"))
      expect_words(needed, fmt::format("{} COMMUNICATOR{}{}", words_[0], barrier ? "" : " BYTES",
                                       rooted ? " [root RANK]" : ""));
    operation.communicator = words_[1];
    operation.ranks = ranks_of(operation.communicator);
    if (!barrier) operation.bytes = bytes(words_[2]);
    if (words_.size() != 5) return;
    const std::vector<std::uint32_t>& ranks = operation.ranks;
    const auto root = std::find(ranks.begin(), ranks.end(), rank(words_[4]));
    if (root == ranks.end())
      lines_.fail("root", fmt::format("rank {} is not in {}", words_[4], in_quotes(words_[1])));
    operation.root = static_cast<std::uint32_t>(root - ranks.begin());
  }

  void expect_words(std::size_t count, const std::string& wanted) const {
    if (words_.size() != count) lines_.fail("operation", fmt::format("{} is wanted", wanted));
  }
  std::uint64_t bytes(std::string_view word) const {
    return lines_.number_in(word, "bytes", 0, most_bytes_put_in);
  }

  /// Each rank does it after its last one, or after those that are stated.
  void place(Operation& operation, const std::optional<std::string_view>& stated) {
    const auto number = static_cast<std::uint32_t>(listing_.operations.size());
    operation.after.resize(operation.ranks.size());
    if (stated)
      for (const std::string_view entry : words_of(*stated, ",")) add_after(operation, entry);
    for (std::uint32_t position = 0; position < operation.ranks.size(); ++position) {
      std::optional<wormcast::Part>& last = last_[operation.ranks[position]];
      if (!stated && last) operation.after[position].push_back(*last);
      last = wormcast::Part{number, position};
    }
  }

  /// NUMBER: all ranks that take part in it wait for it; RANK:NUMBER: that one.
  void add_after(Operation& operation, std::string_view entry) {
    const std::size_t colon = entry.find(':');
    std::optional<std::uint32_t> only;
    if (colon != std::string_view::npos) {
      only = rank(entry.substr(0, colon));
      entry.remove_prefix(colon + 1);
    }
    if (listing_.operations.empty()) lines_.fail("after", "no operation comes before this one");
    const auto number =
        static_cast<std::uint32_t>(lines_.number_in(entry, "after", 0, listing_.operations.size() - 1));
    const std::vector<std::uint32_t>& others = listing_.operations[number].ranks;
    bool found = false;
    for (std::uint32_t position = 0; position < operation.ranks.size(); ++position) {
      const std::uint32_t one = operation.ranks[position];
      if (only && *only != one) continue;
      const bool same =
          position < others.size() && others[position] == one;  // mostly of the same communicator
      const auto there = same ? others.begin() + position : std::find(others.begin(), others.end(), one);
      if (there == others.end()) continue;
      operation.after[position].push_back({number, static_cast<std::uint32_t>(there - others.begin())});
      if (++parts_ > most_list_parts)
        lines_.fail("after", fmt::format("the operations have more than {} ranks in all", most_list_parts));
      found = true;
    }
    if (!found)
      lines_.fail("after", only ? fmt::format("rank {} does not take part in both operations", *only)
                                : fmt::format("none of its ranks takes part in operation {}", number));
  }

  ImportLines lines_;
  std::vector<std::uint32_t> world_;  ///< all ranks
  std::map<std::string, std::vector<std::uint32_t>> communicators_;
  std::vector<std::optional<wormcast::Part>> last_;  ///< by rank
  std::vector<std::string_view> words_;
  CollectiveListing listing_;
  std::uint64_t parts_ = 0;
};

}  // namespace

bool is_collective_list(const ImportFile& file) {
  ImportLines lines(file);
  while (const auto line = lines.next()) {
    const std::vector<std::string_view> words = words_of(line->substr(0, line->find('#')));
    if (!words.empty())
      return words[0] == "ranks" || words[0] == "communicator" || collective_named(words[0]).has_value();
  }
  return false;
}

CollectiveListing list_operations(const ImportFile& file, std::uint32_t ranks) {
  return CollectiveList(file, ranks).read();
}

}  // namespace wormcast::io
