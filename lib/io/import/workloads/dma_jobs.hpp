// Job files of the DMA engines in FlooNoC's testbenches, as floogen writes them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/import/floogen/floogen_addresses.hpp"
#include "io/import/format.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// One burst of data on its way: from a memory to the DMA that reads, or from the DMA that writes.
struct DmaBurst {
  HostId source;
  HostId destination;
  std::uint64_t beats = 0;
  std::uint64_t job = 0;             ///< how many jobs of the same DMA come before
  std::vector<std::uint64_t> after;  ///< bursts before it, by index, that bring what it sends on
  std::string dma;                   ///< the number in its file's name, or empty
  bool wide = false;
  bool write = false;
};

/// Whether the file begins as a job: a number, then two addresses, one a line.
bool is_dma_jobs(const ImportFile& file);
/// NAME_0.txt and so on, by number, where there is no file NAME; empty where there are none either.
std::vector<std::string> dma_job_file_names(const std::string& name);
/// The bursts of all files, the first jobs of all DMAs first. A file NAME_12.txt holds the wide jobs of DMA
/// 12, which is at router (x, y) with 12 = x · height + y, NAME_112.txt its narrow ones. Of a file without a
/// number the DMA is where what it reads is. Throws InputError with file and line.
std::vector<DmaBurst> read_dma_jobs(std::span<const ImportFile> files, const FloogenAddresses& addresses,
                                    const Topology& topology);

}  // namespace wormcast::io
