// Scripts that stand beside the tools, in share/wormcast/converters, run as filters.
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wormcast::io {

/// One run of a script: it reads while it is written to. What it writes stays in memory until it has ended,
/// and no more than a tool imports of a file.
class Script {
 public:
  /// `arguments` of its command line. Where there is none of that name nothing runs.
  Script(std::string_view name, const std::vector<std::string>& arguments);
  ~Script();
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  /// To its standard input; what it does not read any more is lost.
  void write(std::string_view bytes);
  /// Waits for its end: what it wrote, or nothing where it could not be run. What it says on stderr is said
  /// behind the name of `tool`. Throws InputError with what it refuses.
  std::optional<std::string> finish(std::string_view tool);
  /// The same of one that is needed: throws InputError on `field`, too, where it could not be run.
  std::string needed(std::string_view tool, const std::string& field);

 private:
  /// A file in memory that the script inherits.
  struct MemoryFile {
    MemoryFile();
    ~MemoryFile();
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    std::string text() const;
    int descriptor;
  };

  void send();
  void close_input();

  std::string name_;
  MemoryFile written_, said_;
  std::string buffer_;
  int input_ = -1;
  pid_t process_ = -1;
};

}  // namespace wormcast::io
