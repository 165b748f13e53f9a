// Converters that stand beside the tools, in share/wormcast/converters, are run by the import: what one
// writes is read as if it had been piped in. Cost: that of the converter, and its output in memory.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include "io/import/format.hpp"
#include "io/text/output.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

/// As one word of a shell command.
std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// A file in memory that a converter inherits.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("converter", 0)) {
    if (descriptor_ < 0) throw cannot_read("memory");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }
  void take_place_of_stdin(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0) throw cannot_read("standard input");
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::lseek(descriptor_, 0, SEEK_SET) < 0 || ::dup2(descriptor_, 0) < 0)
      throw cannot_read("standard input");
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> result;
    std::array<char, 1 << 12> chunk;
    std::string text;
    for (off_t at = 0;;) {
      const ssize_t got = ::pread(descriptor_, chunk.data(), chunk.size(), at);
      if (got <= 0) break;
      text.append(chunk.data(), static_cast<std::size_t>(got));
      at += got;
    }
    for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
      result.push_back(text.substr(begin, end - begin));
    return result;
  }

 private:
  int descriptor_;
};

/// What the command prints, and its status as wait() says it. Throws InputError for more than is imported.
std::pair<std::string, int> output_of(const std::string& command) {
  FILE* const pipe = ::popen(command.c_str(), "re");
  if (pipe == nullptr) throw cannot_read("the converter");
  std::string text;
  std::array<char, 1 << 16> chunk;
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), pipe)) {
    text.append(chunk.data(), got);
    if (text.size() > max_import_bytes) break;
  }
  const int status = ::pclose(pipe);
  if (text.size() > max_import_bytes)
    throw InputError("FILE", fmt::format("the converter writes more than {} bytes", max_import_bytes));
  return {std::move(text), status};
}

}  // namespace

std::optional<ImportFile> converted(const ImportFormat& format, std::span<const ImportFile> files,
                                    bool named) {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path tools = fs::read_symlink("/proc/self/exe", none).parent_path();
  const std::string program(format.command.substr(0, format.command.find(' ')));
  const fs::path converter = tools.parent_path() / "share/wormcast/converters" / program;
  // What is written for the shell is a whole experiment, of which the network is a part.
  if (program.empty() || format.command.ends_with("| sh") || !fs::exists(converter, none))
    return std::nullopt;

  const MemoryFile said, given;
  std::string command = "{ " + shell_word(converter.string());
  if (!named && format.detect == nullptr) command += " --guess";
  ImportFile result{{}, {}, true};
  for (const ImportFile& file : files) {
    if (file.name.empty()) given.take_place_of_stdin(file.text);
    const std::string name = file.name.starts_with('-') ? "./" + file.name : file.name;
    command += " " + shell_word(name.empty() ? "-" : name);
    result.name += (result.name.empty() ? "" : ", ") + (name.empty() ? "standard input" : file.name);
  }
  command += fmt::format("; }} 2>/proc/self/fd/{}", said.descriptor());
  int status = 0;
  std::tie(result.text, status) = output_of(command);
  const bool ran = WIFEXITED(status) && WEXITSTATUS(status) != 126 && WEXITSTATUS(status) != 127;
  if (!ran) return std::nullopt;  // no Python, or none that it can use
  std::vector<std::string> lines = said.lines();
  for (std::string& line : lines)  // its own name, in whose place the tool's stands
    if (line.starts_with(program + ": ")) line.erase(0, program.size() + 2);
  if (status != 0 || result.text.empty())
    throw InputError("", lines.empty() ? program + " writes nothing" : lines.back());
  for (const std::string& line : lines) diagnose("gen-topology", line);
  return result;
}

}  // namespace wormcast::io
