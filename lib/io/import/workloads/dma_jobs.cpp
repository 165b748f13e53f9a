// A job copies bytes from one address to another: ten numbers, one a line (length, addresses, protocols, most
// beats of a read and of a write burst, two flags, errors). The DMA reads what is not its own node's and
// writes what goes to another. Both are cut into AXI bursts: none crosses a multiple of 4096 bytes, of 256
// beats, or of the beats that the job allows, rounded up to a power of two. Where reads and writes are not
// decoupled, each is cut where the other is, too. A burst that sends on what was read waits for the reads of
// these bytes. Requests and responses without data are no bursts here; so a write's address is none that
// could come early (aw_decoupled). cite: pulp-platform/FlooNoC, floogen/model/traffic.py, hw/test;
// pulp-platform/iDMA, idma_legalizer and its page splitter.
// SPDX-License-Identifier: MIT
#include "io/import/workloads/dma_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <utility>

#include "io/import/text.hpp"
#include "multicast/workload/arguments.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

constexpr std::uint64_t most_job_bursts = std::uint64_t{1} << 20;
constexpr std::uint64_t most_burst_beats = 256;
constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint32_t first_narrow = 100;  ///< number of the first file of narrow jobs

struct DmaJob {
  std::uint64_t line = 0;
  std::uint64_t length = 0;
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint64_t read_beats = 0;  ///< of a burst, at most
  std::uint64_t write_beats = 0;
  bool decoupled = false;  ///< reads and writes are cut apart
};

/// The jobs of a file, one after the other; those of no bytes are left out, as the testbench does.
class DmaJobFile {
 public:
  explicit DmaJobFile(const ImportFile& file) : lines_(file) {}

  std::optional<DmaJob> next() {
    DmaJob job;
    while (job.length == 0) {
      if (!fill()) return std::nullopt;
      job.line = lines_.number();
      job.length = lines_.number_in(take("length"), "length", 0, UINT32_MAX);
      job.source = address("src_addr");
      job.destination = address("dst_addr");
      for (const char* field : {"src_protocol", "dst_protocol"})
        if (lines_.number_in(take(field), field, 0, UINT32_MAX) != 0)
          lines_.fail(field, "only 0 (AXI) goes over the network");
      job.read_beats = lines_.number_in(take("max_src_len"), "max_src_len", 1, most_burst_beats);
      job.write_beats = lines_.number_in(take("max_dst_len"), "max_dst_len", 1, most_burst_beats);
      lines_.number_in(take("aw_decoupled"), "aw_decoupled", 0, 1);
      job.decoupled = lines_.number_in(take("rw_decoupled"), "rw_decoupled", 0, 1) == 1;
      if (lines_.number_in(take("num_errors"), "num_errors", 0, UINT32_MAX) != 0)
        lines_.fail("num_errors", "errors of memories are not simulated: only 0 is read");
    }
    return job;
  }
  [[noreturn]] void fail_at(std::uint64_t line, const std::string& field, const std::string& message) const {
    lines_.fail_at(line, field, message);
  }

 private:
  /// Whether there is one more word.
  bool fill() {
    while (words_.empty()) {
      const auto line = lines_.next();
      if (!line) return false;
      words_ = words_of(*line);
      std::reverse(words_.begin(), words_.end());
    }
    return true;
  }
  std::string_view take(const char* field) {
    if (!fill()) lines_.fail(field, "the file ends within a job");
    const std::string_view word = words_.back();
    words_.pop_back();
    return word;
  }
  std::uint64_t address(const char* field) {
    const std::string_view word = take(field);
    if (!word.starts_with("0x"))
      lines_.fail(field, fmt::format("{} is no address such as 0x8000", in_quotes(word)));
    return lines_.number_in(word.substr(2), field, 0, INT64_MAX, 16);
  }

  ImportLines lines_;
  std::vector<std::string_view> words_;  ///< of the line, the next one last
};

/// The number in NAME_12.txt.
std::optional<std::uint32_t> number_in_name(std::string_view name) {
  constexpr std::string_view ending = ".txt";
  if (!name.ends_with(ending)) return std::nullopt;
  name.remove_suffix(ending.size());
  const std::size_t bar = name.rfind('_');
  if (bar == std::string_view::npos) return std::nullopt;
  const auto number = whole_number(name.substr(bar + 1));
  if (!number || *number > UINT16_MAX || std::to_string(*number) != name.substr(bar + 1)) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

/// Where the endpoints of a description are in the network that was made from it.
class EndpointPlaces {
 public:
  EndpointPlaces(const FloogenAddresses& addresses, const Topology& topology)
      : addresses_(addresses), topology_(topology), names_(topology) {}

  /// Throws InputError where it is not in the network.
  HostId host(std::uint32_t endpoint) const {
    const FloogenAddresses::Endpoint& one = addresses_.endpoints[endpoint];
    const Grid* grid = topology_.grid();
    if (grid == nullptr) return names_.find("--addresses", one.name);
    if (addresses_.mesh.size() != 2 || grid->dimensions() != 2 || grid->dims()[0] != addresses_.mesh[0] ||
        grid->dims()[1] != addresses_.mesh[1])
      throw InputError("--addresses", fmt::format("endpoint {} is not in {}: the network is another one",
                                                  one.name, topology_.name()));
    const auto height = static_cast<std::uint32_t>(addresses_.mesh[1]);
    return HostId{one.router / height * grid->stride(0) + one.router % height * grid->stride(1)};
  }

 private:
  const FloogenAddresses& addresses_;
  const Topology& topology_;
  HostNames names_;
};

/// One DMA's jobs.
struct Dma {
  DmaJobFile jobs;
  std::string number;
  std::optional<HostId> at;
  bool wide = true;
  std::uint64_t bytes = 0;  ///< of a beat
};

/// Bytes of a job that a burst brings to the DMA.
struct ReadBytes {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t burst = 0;
};

class BurstsOfJobs {
 public:
  BurstsOfJobs(const FloogenAddresses& addresses, const Topology& topology)
      : addresses_(addresses), places_(addresses, topology) {}

  Dma dma_of(const ImportFile& file) const {
    Dma dma{DmaJobFile(file), {}, {}};
    const std::optional<std::uint32_t> number = number_in_name(file.name);
    dma.wide = number ? *number < first_narrow : addresses_.wide_bits > 0;
    if (number) {
      dma.number = std::to_string(*number);
      dma.at = node_of(file, dma.wide ? *number : *number - first_narrow);
    }
    const std::uint32_t bits = dma.wide ? addresses_.wide_bits : addresses_.narrow_bits;
    if (bits == 0)
      throw InputError("--addresses", fmt::format("the description has no {} link for the jobs of {}",
                                                  dma.wide ? "wide" : "narrow", file.name));
    dma.bytes = bits / 8;
    return dma;
  }

  void add(const Dma& dma, const DmaJob& job, std::uint64_t index) {
    const HostId at = dma.at ? *dma.at : host_of(dma, job, "src_addr", job.source);
    DmaBurst model;
    model.job = index;
    model.dma = dma.number;
    model.wide = dma.wide;
    std::vector<ReadBytes> read;
    const Side source{job.source, part_bytes(dma, job.read_beats)};
    const Side destination{job.destination, part_bytes(dma, job.write_beats)};
    each_part(dma, job, source, destination,
              [&](std::uint64_t offset, std::uint64_t size, std::uint64_t beats) {
                model.source = host_of(dma, job, "src_addr", job.source + offset);
                model.destination = at;
                model.beats = beats;
                if (model.source != at) read.push_back({offset, offset + size, add(model)});
              });
    model.write = true;
    auto first = read.begin();
    each_part(dma, job, destination, source,
              [&](std::uint64_t offset, std::uint64_t size, std::uint64_t beats) {
                model.source = at;
                model.destination = host_of(dma, job, "dst_addr", job.destination + offset);
                model.beats = beats;
                model.after.clear();
                while (first != read.end() && first->end <= offset) ++first;
                for (auto one = first; one != read.end() && one->begin < offset + size; ++one)
                  model.after.push_back(one->burst);
                if (model.destination != at) add(model);
              });
  }
  std::vector<DmaBurst> take() { return std::move(bursts_); }

 private:
  HostId node_of(const ImportFile& file, std::uint32_t dma) const {
    if (addresses_.array.size() != 2)
      throw InputError("--addresses", "its first routers are no array of two sizes, by which DMAs count");
    if (addresses_.array[0] * addresses_.array[1] > first_narrow)
      throw InputError(file.name,
                       fmt::format("of {}x{} routers floogen gives wide and narrow jobs the same numbers",
                                   addresses_.array[0], addresses_.array[1]));
    const auto endpoint =
        dma < addresses_.array[0] * addresses_.array[1] ? addresses_.local_endpoint(dma) : std::nullopt;
    if (!endpoint)
      throw InputError(file.name, fmt::format("DMA {} has no router with an endpoint among {}x{}", dma,
                                              addresses_.array[0], addresses_.array[1]));
    return places_.host(*endpoint);
  }

  HostId host_of(const Dma& dma, const DmaJob& job, const char* field, std::uint64_t address) const {
    const auto endpoint = addresses_.endpoint_of(address);
    if (!endpoint)
      dma.jobs.fail_at(job.line, field, fmt::format("{:#x} is the address of no endpoint", address));
    return places_.host(*endpoint);
  }

  /// Where a job's bytes are read, or written.
  struct Side {
    std::uint64_t address = 0;
    std::uint64_t part = 1;  ///< bytes, of whose multiples no burst crosses one

    std::uint64_t left(std::uint64_t done) const { return part - (address + done) % part; }
  };
  static std::uint64_t part_bytes(const Dma& dma, std::uint64_t beats) {
    return std::min(page_bytes, std::bit_ceil(beats) * dma.bytes);
  }

  template <class Visit>
  void each_part(const Dma& dma, const DmaJob& job, const Side& side, const Side& other, const Visit& visit) {
    for (std::uint64_t done = 0; done < job.length;) {
      if (parts_++ == most_job_bursts)
        dma.jobs.fail_at(job.line, "length",
                         fmt::format("more than {} bursts in all, to the own node too", most_job_bursts));
      const std::uint64_t begin = side.address + done;
      std::uint64_t size = std::min(job.length - done, side.left(done));
      if (!job.decoupled) size = std::min(size, other.left(done));
      visit(done, size, (begin + size - 1) / dma.bytes - begin / dma.bytes + 1);
      done += size;
    }
  }

  std::uint64_t add(const DmaBurst& burst) {
    bursts_.push_back(burst);
    return bursts_.size() - 1;
  }

  const FloogenAddresses& addresses_;
  EndpointPlaces places_;
  std::vector<DmaBurst> bursts_;
  std::uint64_t parts_ = 0;  ///< bursts so far, and what stays at its node
};

}  // namespace

bool is_dma_jobs(const ImportFile& file) {
  ImportLines lines(file);
  std::vector<std::string_view> begin;
  while (begin.size() < 3) {
    const auto line = lines.next();
    if (!line) return false;
    const std::string_view word = trimmed(*line);
    if (!word.empty()) begin.push_back(word);
  }
  return whole_number(begin[0]) && begin[1].starts_with("0x") && begin[2].starts_with("0x");
}

std::vector<std::string> dma_job_file_names(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code fault;
  if (fs::exists(name, fault)) return {};
  const fs::path path(name);
  const std::string begin = path.filename().string() + "_";
  std::map<std::uint32_t, std::string> found;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, fault), end; !fault && at != end; at.increment(fault)) {
    const std::string file = at->path().filename().string();
    const auto number = number_in_name(file);
    if (number && file == fmt::format("{}{}.txt", begin, *number))
      found.emplace(*number, fmt::format("{}_{}.txt", name, *number));
  }
  std::vector<std::string> names;
  for (auto& [number, file] : found) names.push_back(std::move(file));
  return names;
}

std::vector<DmaBurst> read_dma_jobs(std::span<const ImportFile> files, const FloogenAddresses& addresses,
                                    const Topology& topology) {
  BurstsOfJobs bursts(addresses, topology);
  std::vector<Dma> dmas;
  for (const ImportFile& file : files)
    if (!trimmed(file.text).empty()) dmas.push_back(bursts.dma_of(file));
  std::vector<bool> over(dmas.size(), false);
  for (std::uint64_t index = 0; std::find(over.begin(), over.end(), false) != over.end(); ++index)
    for (std::size_t i = 0; i < dmas.size(); ++i) {
      if (over[i]) continue;
      if (const auto job = dmas[i].jobs.next())
        bursts.add(dmas[i], *job, index);
      else
        over[i] = true;
    }
  return bursts.take();
}

}  // namespace wormcast::io
