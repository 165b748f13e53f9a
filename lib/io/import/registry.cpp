// The explicit list of import formats, reading whole files, and the choice of a format.
// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "io/import/format.hpp"
#include "io/import/text.hpp"
#include "io/text/compression.hpp"
#include "io/text/output.hpp"
#include "topology/error.hpp"
#include "topology/name_table.hpp"

namespace wormcast::io {

#define IMPORT(name)                 \
  namespace import_##name {          \
    extern const ImportFormat entry; \
  }
#include "io/import/importers.def"
#undef IMPORT

std::span<const ImportFormat* const> import_formats() {
  static constexpr std::array list = {
#define IMPORT(name) &import_##name::entry,
#include "io/import/importers.def"
#undef IMPORT
  };
  return list;
}

namespace {

/// Spreadsheets begin a file of UTF-8 with it; it is no part of the text.
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

ImportFile read_whole(const std::string& path) {
  ImportFile file;
  const bool standard_input = path == "-";
  if (!standard_input) file.name = path;
  const std::string shown = standard_input ? "standard input" : path;
  const int descriptor = standard_input ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw cannot_read(shown);
  std::array<char, 1 << 16> chunk;
  while (true) {
    const ssize_t got = ::read(descriptor, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const bool folder = errno == EISDIR;
      SystemError error = cannot_read(shown);
      if (folder) error = SystemError(fmt::format("{}; name the files in it", error.what()));
      if (!standard_input) ::close(descriptor);
      throw error;
    }
    if (got == 0) break;
    file.text.append(chunk.data(), static_cast<std::size_t>(got));
    if (file.text.size() > max_import_bytes) break;
  }
  if (!standard_input) ::close(descriptor);
  if (file.text.size() > max_import_bytes)
    throw InputError("FILE", fmt::format("{} has more than {} bytes", shown, max_import_bytes));
  if (const std::string reason = compressed(file.text, file.name); !reason.empty())
    throw InputError("FILE", fmt::format("{} is {}", shown, reason));
  if (file.text.starts_with(byte_order_mark)) file.text.erase(0, byte_order_mark.size());
  return file;
}

std::string shown_name(const ImportFile& file) { return file.name.empty() ? "standard input" : file.name; }

const ImportFormat& detected(std::span<const ImportFile> files) {
  for (const ImportFormat* format : import_formats())
    if (format->detect != nullptr && std::all_of(files.begin(), files.end(), format->detect)) return *format;
  for (const ImportFile& file : files) {
    if (first_line_of(file, "").empty()) throw InputError("FILE", shown_name(file) + " is empty");
    const auto known = [&](const ImportFormat* format) {
      return format->detect != nullptr && format->detect(file);
    };
    if (files.size() > 1 && std::none_of(import_formats().begin(), import_formats().end(), known))
      throw InputError("FILE", shown_name(file) + " is in none of the formats that are known by their looks");
  }
  if (files.size() > 1) throw InputError("FILE", "the files are not parts of one format");
  return *import_formats().back();
}

}  // namespace

std::vector<ImportFile> read_import_files(const std::vector<std::string>& names) {
  std::vector<ImportFile> files;
  for (const std::string& name : names.empty() ? std::vector<std::string>{"-"} : names)
    files.push_back(read_whole(name));
  return files;
}

const ImportFormat& format_of(std::span<const ImportFile> files, std::string_view name) {
  if (name == "auto") return detected(files);
  const ImportFormat* const format = find_by_name(import_formats(), name);
  if (format == nullptr)
    throw InputError("--format", unknown_name("format", name, import_formats(), "gen-topology --list"));
  return *format;
}

Imported import_network(std::span<const ImportFile> files, std::string_view name) {
  const ImportFormat* const format = &format_of(files, name);
  if (!format->command.empty())
    throw read_by_converter(files.front(),
                            name != "auto" || format->detect != nullptr
                                ? fmt::format("in format {}", format->name)
                                : fmt::format("perhaps in format {}", format->name),
                            format->command, format->hint);
  if (files.size() != 1) throw InputError("FILE", "one stream of records at a time");
  Imported found = format->read(files.front());
  if (found.spec.family.empty()) found.spec.family = "graph";
  if (found.spec.family == "graph" && found.spec.generator.empty())
    found.spec.generator = {{"name", std::string(format->name)}};
  return found;
}

}  // namespace wormcast::io
