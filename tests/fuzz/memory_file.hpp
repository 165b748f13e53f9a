// A file in memory under a name that the readers can open.
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace wormcast {

class MemoryFile {
 public:
  explicit MemoryFile(const std::string& content) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (descriptor_ < 0 ||
        ::write(descriptor_, content.data(), content.size()) != static_cast<ssize_t>(content.size()))
      std::abort();
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace wormcast
