// Where a tool's bytes go: standard output, or a file that appears whole or not at all; and what no
// tool can read.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wormcast::io {

/// A read or write that the system refused; what() says which file and why.
class SystemError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A line on stderr, with the tool's name.
void diagnose(std::string_view tool, std::string_view message);

/// The error of a read of `file` ("" = standard input) that has just failed: errno says why.
SystemError cannot_read(const std::string& file);

/// The name of a file that is not whole yet. It is removed unless it is kept, whatever ends the program short
/// of SIGKILL.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(std::string path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::string& path() const { return path_; }
  /// Renames it; false where the system refuses.
  bool keep_as(const std::string& target);

 private:
  std::string path_;
  bool kept_ = false;
};

/// A checked, buffered byte sink. Every failed write throws SystemError, so that lost bytes never
/// look like success.
class Output {
 public:
  /// Standard output for "", "-" and other names of it (/dev/stdout); otherwise `path`, or what it leads to
  /// as a symbolic link, written beside that and renamed by finish(); a file that was there keeps its mode.
  explicit Output(std::string path = {});
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view bytes) {
    if (bytes.size() > size_ - filled_) return write_behind_flush(bytes);
    filled_ += bytes.copy(buffer_.get() + filled_, bytes.size());
  }
  /// Flushes, closes, checks, and puts a named file in its place.
  void finish();
  /// What has been written so far, for -v: "85 bytes to standard output".
  std::string summary() const;

 private:
  void write_behind_flush(std::string_view bytes);
  void put(std::string_view bytes);
  void flush();

  std::string path_;                         // as it was named
  std::string target_;                       // what it leads to
  std::optional<UnfinishedFile> temporary_;  // none for standard output and special files
  int descriptor_ = 1;
  std::uint64_t flushed_ = 0;  // bytes that have left
  std::unique_ptr<char[]> buffer_;
  std::size_t size_ = 0;  // of that
  std::size_t filled_ = 0;
};

/// A file that an option names for a tool to write to.
struct NamedOutput {
  std::string_view option;  ///< "--trace"
  std::string_view path;    ///< "-": standard output; "": not asked for
};

/// Throws InputError on the option of the first of `others` that writes to the same place as one before it,
/// or as the records do (`records_path`, "" = standard output): one would be lost, or both in pieces.
/// Devices, such as /dev/null, take whatever comes.
void require_separate_outputs(const std::string& records_path, const std::vector<NamedOutput>& others);

/// An anonymous temporary file: bytes that must wait for others.
class Spool {
 public:
  Spool();
  void write(std::string_view bytes);
  /// Appends everything written so far to `output`, then empties the spool.
  void drain_to(Output& output);

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// Why a file that begins with that text cannot be read: "compressed by gzip; …"; empty where it can. `name`
/// is empty for standard input.
std::string compressed(std::string_view begin, std::string_view name);

}  // namespace wormcast::io
