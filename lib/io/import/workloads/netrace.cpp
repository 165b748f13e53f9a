// Netrace's traces of cache coherence: which packets ask for an invalidation.
//
// A file is a header (magic number, version, benchmark, nodes, cycles, packets, notes, regions), the notes,
// the regions, then packets of 21 bytes and 4 for each packet they depend on, all little-endian and
// usually compressed by bzip2, in one stream or in several (pbzip2). The packets come by cycle. Nothing is
// allocated by what the header says, nor by how often a packet is repeated: a few bytes of bzip2 are millions
// of equal ones, and those of a cycle that ask for the same are one. What is left has a limit. cite:
// Hestness, Grot, Keckler 2010 (Netrace).
// SPDX-License-Identifier: MIT
#include <bzlib.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <tuple>
#include <utility>

#include "io/import/text.hpp"
#include "io/import/workloads/workload_file.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

constexpr std::uint32_t magic = 0x484a5455;
constexpr std::uint8_t invalidate_request = 27;
constexpr std::size_t header_bytes = 72;
constexpr std::size_t region_bytes = 24;
constexpr std::size_t packet_bytes = 21;
/// Invalidations that are kept, of 24 bytes each.
constexpr std::size_t most_invalidations = std::size_t{1} << 26;

/// The bytes of the file, decompressed as they are asked for.
class Bytes {
 public:
  explicit Bytes(const ImportFile& file) : file_(file), compressed_(file.text.starts_with("BZh")) {
    if (!compressed_) return;
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
    // bzlib only reads through this pointer, which is not const.
    stream_.next_in = const_cast<char*>(file.text.data());
    stream_.avail_in = static_cast<unsigned>(file.text.size());
  }
  ~Bytes() {
    if (compressed_) BZ2_bzDecompressEnd(&stream_);
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  /// Fills `to`, or throws where the file ends before.
  void take(char* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (at_ == end_ && !fill()) fail("the file ends within it");
      to[i] = chunk_[at_++];
    }
  }
  bool at_end() { return at_ == end_ && !fill(); }
  void skip(std::uint64_t count) {
    char ignored = 0;
    for (; count > 0; --count) take(&ignored, 1);
  }
  [[noreturn]] void fail(const std::string& message) const { throw InputError(place_, message, file_.name); }
  void set_place(std::string place) { place_ = std::move(place); }

 private:
  bool fill() {
    at_ = end_ = 0;
    if (!compressed_) {
      end_ = std::min(chunk_.size(), file_.text.size() - read_);
      std::copy_n(file_.text.data() + read_, end_, chunk_.data());
      read_ += end_;
      return end_ > 0;
    }
    while (end_ == 0 && !ended_) {
      stream_.next_out = chunk_.data();
      stream_.avail_out = static_cast<unsigned>(chunk_.size());
      const int status = BZ2_bzDecompress(&stream_);
      end_ = chunk_.size() - stream_.avail_out;
      ended_ = status == BZ_STREAM_END;
      if (status != BZ_OK && !ended_) fail("the bzip2 data are damaged");
      if (ended_ && stream_.avail_in > 0) begin_next_stream();
      if (end_ == 0 && !ended_ && stream_.avail_in == 0) return false;
    }
    return end_ > 0;
  }

  /// What follows the end of a stream is one more.
  void begin_next_stream() {
    if (!std::string_view(stream_.next_in, stream_.avail_in).starts_with("BZh"))
      fail("something else follows the bzip2 data");
    BZ2_bzDecompressEnd(&stream_);
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
    ended_ = false;
  }

  const ImportFile& file_;
  bool compressed_;
  bz_stream stream_{};
  bool ended_ = false;
  std::size_t read_ = 0;
  std::array<char, 1 << 15> chunk_{};
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::string place_ = "header";
};

std::uint64_t little_endian(const char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Invalidations by (cycle, source, address, destination), each once.
class Invalidations {
 public:
  /// By ascending cycles; false where they are too many.
  bool add(const Invalidation& one) {
    if (!kept_.empty() && kept_.back().cycle != one.cycle) settle();
    kept_.push_back(one);
    if (kept_.size() - begin_ >= 2 * settled_ + 1024) sort_cycle();
    return kept_.size() <= most_invalidations;
  }
  std::vector<Invalidation> take() {
    settle();
    return std::move(kept_);
  }

 private:
  /// The cycle that is read now, without repetitions; done again when it has doubled.
  void sort_cycle() {
    const auto key = [](const Invalidation& one) {
      return std::tuple(one.source, one.address, one.destination);
    };
    const auto first = kept_.begin() + static_cast<std::ptrdiff_t>(begin_);
    std::sort(first, kept_.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    kept_.erase(std::unique(first, kept_.end()), kept_.end());
    settled_ = kept_.size() - begin_;
  }
  void settle() {
    sort_cycle();
    begin_ = kept_.size();
    settled_ = 0;
  }

  std::vector<Invalidation> kept_;
  std::size_t begin_ = 0;    ///< of the cycle that is read now
  std::size_t settled_ = 0;  ///< how many of it are sorted
};

}  // namespace

bool is_netrace(const ImportFile& file) {
  const bool plain = file.text.size() >= 4 && little_endian(file.text.data(), 4) == magic;
  return plain || file.text.starts_with("BZh");
}

std::vector<Invalidation> read_netrace(const ImportFile& file) {
  Bytes bytes(file);
  std::array<char, header_bytes> header{};
  bytes.take(header.data(), header.size());
  if (little_endian(header.data(), 4) != magic) bytes.fail("it does not begin as a netrace trace");
  const std::uint64_t packets = little_endian(header.data() + 48, 8);
  const std::uint64_t notes = little_endian(header.data() + 56, 4);
  const std::uint64_t regions = little_endian(header.data() + 60, 4);
  bytes.set_place("notes");
  bytes.skip(notes);
  bytes.set_place("regions");
  bytes.skip(regions * region_bytes);
  Invalidations found;
  std::uint64_t last_cycle = 0;
  for (std::uint64_t i = 0; i < packets; ++i) {
    if (i % 1024 == 0) bytes.set_place(fmt::format("packets from {}", i));
    std::array<char, packet_bytes> packet{};
    bytes.take(packet.data(), packet.size());
    const std::uint64_t cycle = little_endian(packet.data(), 8);
    bytes.skip(4 * little_endian(packet.data() + 20, 1));
    if (cycle < last_cycle)
      bytes.fail(fmt::format("packet {} of cycle {} comes after cycle {}", i, cycle, last_cycle));
    last_cycle = cycle;
    if (static_cast<std::uint8_t>(packet[16]) != invalidate_request) continue;
    if (!found.add({cycle, static_cast<std::uint32_t>(little_endian(packet.data() + 12, 4)),
                    static_cast<std::uint32_t>(little_endian(packet.data() + 17, 1)),
                    static_cast<std::uint32_t>(little_endian(packet.data() + 18, 1))}))
      bytes.fail(fmt::format("more than {} invalidations", most_invalidations));
  }
  bytes.set_place("packets");
  if (!bytes.at_end()) bytes.fail(fmt::format("more follows the {} that the header counts", packets));
  return found.take();
}

}  // namespace wormcast::io
