// Converters are run by the import: what one writes is read as if it had been piped in. Cost: that of the
// converter, and its output in memory.
// SPDX-License-Identifier: MIT
#include <utility>

#include "io/import/format.hpp"
#include "io/scripts/script.hpp"

namespace wormcast::io {

std::optional<ImportFile> converted(const ImportFormat& format, std::span<const ImportFile> files,
                                    bool named) {
  // What is written for the shell is a whole experiment, of which the network is a part.
  if (format.command.ends_with("| sh")) return std::nullopt;
  std::vector<std::string> arguments;
  if (!named && format.detect == nullptr) arguments.emplace_back("--guess");
  ImportFile result{{}, {}, true};
  std::string_view given;
  for (const ImportFile& file : files) {
    if (file.name.empty()) given = file.text;
    const std::string name = file.name.starts_with('-') ? "./" + file.name : file.name;
    arguments.push_back(name.empty() ? "-" : name);
    result.name += (result.name.empty() ? "" : ", ") + (name.empty() ? "standard input" : file.name);
  }
  const std::string program(format.command.substr(0, format.command.find(' ')));
  Script script(program, arguments);
  script.write(given);
  std::optional<std::string> text = script.finish("gen-topology");
  if (!text) return std::nullopt;
  if (text->empty()) throw InputError("", program + " writes nothing");
  result.text = std::move(*text);
  return result;
}

}  // namespace wormcast::io
