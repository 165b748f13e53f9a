// Traces of the networks of Tenstorrent chips, as tt-metal's profiler writes them, and tt-npe's workloads.
//
// A trace is an array of events by core, processor and time. Reads and writes move data: of a read it flows
// from the node that is read to the one that asks, on the same network. A read or write WITH_STATE goes where
// the last one of that processor that SET_STATE said. Barriers, flushes, semaphores, atomics and zones of
// time move none (barriers name a destination of -1), what FABRIC events send leaves the chip, and events
// without bytes are none. A multicast names the corners of its box in the order in which the channels run: on
// NoC 1 the far corner comes first. A workload says all that plainly: its boxes are from the corner nearest
// to (0, 0). cite: tenstorrent/tt-npe, tt_npe/doc/noc_trace_format.md; tt-isa-documentation (Coordinates).
// SPDX-License-Identifier: MIT
#include "io/import/workloads/noc_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "io/import/json.hpp"

namespace wormcast::io {
namespace {

constexpr std::int64_t most_coordinate = 1 << 20;
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
/// Packets that are kept, of some 600 bytes each with the multicasts made of them.
constexpr std::size_t most_transfers = std::size_t{1} << 21;

/// What events and transfers say, as far as they do; -1: they do not.
struct Said {
  std::string_view proc, noc, type;
  std::int64_t sx = -1, sy = -1, dx = -1, dy = -1, bytes = 0, packets = 1, cycle = -1, chip = -1;
  std::array<std::int64_t, 4> box = {-1, -1, -1, -1};  ///< x and y of the first corner named, then the second
};

struct SaidKey {
  std::string_view key;
  std::int64_t Said::*field;
  std::int64_t most;
};
constexpr std::array<SaidKey, 14> number_keys = {
    {{"sx", &Said::sx, most_coordinate},
     {"sy", &Said::sy, most_coordinate},
     {"src_x", &Said::sx, most_coordinate},
     {"src_y", &Said::sy, most_coordinate},
     {"dx", &Said::dx, most_coordinate},
     {"dy", &Said::dy, most_coordinate},
     {"dst_x", &Said::dx, most_coordinate},
     {"dst_y", &Said::dy, most_coordinate},
     {"num_bytes", &Said::bytes, most_bytes},
     {"packet_size", &Said::bytes, most_bytes},
     {"num_packets", &Said::packets, most_bytes},
     {"timestamp", &Said::cycle, std::int64_t{max_integer}},
     {"phase_cycle_offset", &Said::cycle, std::int64_t{max_integer}},
     {"src_device_id", &Said::chip, most_coordinate}}};
constexpr std::array<std::string_view, 4> box_keys = {"mcast_start_x", "mcast_start_y", "mcast_end_x",
                                                      "mcast_end_y"};

Said read_said(const Value& object) {
  Said said;
  object.members([&](std::string_view key, const Value& value) {
    for (const SaidKey& number : number_keys)
      if (key == number.key) said.*number.field = value.signed_integer(-1, number.most);
    for (std::size_t i = 0; i < box_keys.size(); ++i)
      if (key == box_keys[i]) said.box[i] = value.signed_integer(-1, most_coordinate);
    if (key == "proc") said.proc = value.text();
    if (key == "noc" || key == "noc_type") said.noc = value.text();
    if (key == "type" || key == "noc_event_type") said.type = value.text();
  });
  return said;
}

ChipNode node_of(const Value& object, std::int64_t x, std::int64_t y, std::string_view what) {
  if (x < 0 || y < 0) object.fail(fmt::format("a transfer of data without {}", what));
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)};
}

std::uint32_t noc_of(const Value& object, std::string_view noc) {
  if (noc != "NOC_0" && noc != "NOC_1")
    object.fail(fmt::format("the network is \"{}\", neither NOC_0 nor NOC_1", noc.substr(0, 40)));
  return noc == "NOC_0" ? 0 : 1;
}

class Transfers {
 public:
  /// `box`: the destination is its corners, in the order of the channels.
  void add(const Value& object, const Said& said, bool box) {
    NocTransfer one;
    one.noc = noc_of(object, said.noc);
    one.source = node_of(object, said.sx, said.sy, "a source");
    const auto& [ax, ay, bx, by] = said.box;
    one.first = box ? node_of(object, ax, ay, "the first corner of its box")
                    : node_of(object, said.dx, said.dy, "a destination");
    one.last = box ? node_of(object, bx, by, "the last corner of its box") : one.first;
    one.cycle = static_cast<std::uint64_t>(said.cycle);
    one.bytes = static_cast<std::uint64_t>(said.bytes);
    one.event = said.type;
    if (static_cast<std::uint64_t>(said.packets) > most_transfers - all_.size())
      object.fail(fmt::format("more than {} packets", most_transfers));
    all_.insert(all_.end(), static_cast<std::size_t>(said.packets), one);
  }

  /// By cycle, from the least that any event has on.
  std::vector<NocTransfer> take(std::uint64_t origin) {
    for (NocTransfer& one : all_) one.cycle -= origin;
    std::stable_sort(all_.begin(), all_.end(),
                     [](const NocTransfer& a, const NocTransfer& b) { return a.cycle < b.cycle; });
    return std::move(all_);
  }

 private:
  std::vector<NocTransfer> all_;
};

/// The events of a trace, one after the other.
class Events {
 public:
  void read(const Value& event) {
    const Said said = read_said(event);
    if (said.cycle >= 0) origin_ = std::min(origin_, static_cast<std::uint64_t>(said.cycle));
    if (said.chip >= 0 && chip_.value_or(said.chip) != said.chip)
      event.fail(fmt::format("chip {} after chip {}: a trace of several chips, cut it into one for each",
                             said.chip, *chip_));
    if (said.chip >= 0) chip_ = said.chip;
    const bool reads = said.type.starts_with("READ");
    if (!reads && !said.type.starts_with("WRITE")) return;
    const auto has = [&](std::string_view part) { return said.type.find(part) != std::string_view::npos; };
    if (has("BARRIER") || has("FLUSH")) return;
    if (said.cycle < 0) event.fail("a transfer of data without a timestamp");
    move(event, said, reads);
  }
  std::vector<NocTransfer> take() { return transfers_.take(origin_); }

 private:
  void move(const Value& event, Said said, bool reads) {
    const std::tuple key(std::string(said.proc), said.sx, said.sy, reads);
    if (said.type.ends_with("SET_STATE")) {
      states_.insert_or_assign(key, std::tuple(said.dx, said.dy, said.bytes));
      return;
    }
    if (said.type.find("WITH_STATE") != std::string_view::npos) {
      const auto state = states_.find(key);
      if (state == states_.end()) event.fail("no event of this processor has set the state before");
      const auto [dx, dy, bytes] = state->second;
      said.dx = dx;
      said.dy = dy;
      if (bytes > 0) said.bytes = bytes;
    }
    if (said.bytes <= 0) return;
    if (reads) {
      std::swap(said.sx, said.dx);
      std::swap(said.sy, said.dy);
    }
    said.packets = 1;
    transfers_.add(event, said, said.type == "WRITE_MULTICAST");
  }

  std::optional<std::int64_t> chip_;
  std::uint64_t origin_ = max_integer;
  /// What was set last, by processor, its node, and whether to read.
  std::map<std::tuple<std::string, std::int64_t, std::int64_t, bool>,
           std::tuple<std::int64_t, std::int64_t, std::int64_t>>
      states_;
  Transfers transfers_;
};

std::vector<NocTransfer> read_workload(const Value& root) {
  Transfers transfers;
  required_member(root, "phases").each([&](const Value& phase) {
    required_member(phase, "transfers").each([&](const Value& transfer) {
      Said said = read_said(transfer);
      if (said.cycle < 0) said.cycle = 0;
      if (said.packets < 1 || said.bytes < 1) transfer.fail("a transfer of no bytes");
      const bool box = said.dx < 0 && said.dy < 0;
      if (said.noc == "NOC_1") {  // whose channels run to the corner nearest to (0, 0)
        std::swap(said.box[0], said.box[2]);
        std::swap(said.box[1], said.box[3]);
      }
      transfers.add(transfer, said, box);
    });
  });
  return transfers.take(0);
}

}  // namespace

bool is_noc_trace(const ImportFile& file) {
  const std::size_t begin = file.text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return false;
  const auto has = [&](std::string_view key) { return file.text.find(key) != std::string::npos; };
  if (file.text[begin] == '[') return has("\"timestamp\"");
  return file.text[begin] == '{' && has("\"phases\"");
}

std::vector<NocTransfer> read_noc_trace(const ImportFile& file) {
  std::vector<NocTransfer> transfers;
  read_json(file, [&](const Value& root) {
    if (root.type() == JsonType::object) {
      transfers = read_workload(root);
      return;
    }
    Events events;
    root.each([&](const Value& event) { events.read(event); });
    transfers = events.take();
  });
  return transfers;
}

}  // namespace wormcast::io
