// Networks from and to files. The formats of other programs are read by scripts in data/converters.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/output.hpp"
#include "routing/forwarding_tables.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// A file as a whole.
struct ImportFile {
  std::string name;  ///< empty for standard input
  std::string text;
  bool converted = false;  ///< a converter wrote it

  /// For a message.
  std::string shown() const { return name.empty() ? "standard input" : name; }
};

/// What a reader found.
struct Imported {
  TopologySpec spec;
  std::vector<RouterTable> tables;  ///< by router; empty where the files have none
  std::string flows;                ///< records of a program and of routes, as they stand there
  /// MGIDs of multicast groups → their names in the tables.
  std::map<std::string, std::string> group_aliases;
};

/// Largest file that is read, in bytes.
inline constexpr std::size_t max_import_bytes = std::size_t{1} << 28;

/// Reads the files whole, without a byte order mark of UTF-8; none or "-" is standard input. Throws
/// SystemError or InputError, of compressed files too.
std::vector<ImportFile> read_import_files(const std::vector<std::string>& names);
/// The network of a record stream, with its tables, program and routes.
Imported read_records(const ImportFile& file);

// What is no record stream is recognised and read by a script, read-network under share/wormcast/converters,
// that writes what these tools read.

/// True where a reader of networks has that name.
bool is_import_format(std::string_view name);
/// Throws InputError that names the converter, where the file is a workload of another program that has one.
void refuse_converted_workload(const ImportFile& file);

/// Reads the files (none: standard input); `format` names their format, or is empty or "auto".
Imported import_files(const std::vector<std::string>& names, const std::string& format);
/// The network that was read from those files, which stand in what it throws (InputError).
std::unique_ptr<const Topology> build_imported(TopologySpec spec, const std::vector<std::string>& names);
/// Writes a topology as another program's file: `operands` are the format and then the files with it
/// (none: standard input), read as by import_files.
void export_network(const std::vector<std::string>& operands, const std::string& format, Output& output);
/// Families, generators and formats, for --list.
void list_networks(Output& output);

// What readers of text share: lines with their place, words, strict numbers.

/// The lines of a file, one after the other, without their ends (\n or \r\n).
class ImportLines {
 public:
  explicit ImportLines(const ImportFile& file) : file_(&file) {}

  std::optional<std::string_view> next();
  /// The next that holds more than blanks and does not begin with one of `comments`, trimmed.
  std::optional<std::string_view> next_text(std::string_view comments = "");
  const ImportFile& file() const { return *file_; }
  /// Number of the line that next() gave last, from 1.
  std::uint64_t number() const { return number_; }
  /// Throws InputError with file and line.
  [[noreturn]] void fail(const std::string& field, const std::string& message) const;

  /// `text` of the line that next() gave last as a number in [least, most], with nothing after it.
  std::uint64_t number_in(std::string_view text, const std::string& field, std::uint64_t least,
                          std::uint64_t most) const;

 private:
  const ImportFile* file_;
  std::size_t begin_ = 0;
  std::uint64_t number_ = 0;
};

/// "net.txt: line 12", or "line 12" for standard input.
std::string import_place(const ImportFile& file, std::uint64_t line);
/// Throws InputError with that place.
[[noreturn]] void fail_import(const ImportFile& file, std::uint64_t line, const std::string& field,
                              const std::string& message);

/// The words of a line, separated by any of `separators`; none is empty.
std::vector<std::string_view> words_of(std::string_view line, std::string_view separators = " \t");
/// Without blanks, tabs and ends of lines at both ends.
std::string_view trimmed(std::string_view text);
/// `text` as UTF-8: bytes that are no part of a valid sequence become '?'.
std::string valid_utf8(std::string_view text);

}  // namespace wormcast::io
