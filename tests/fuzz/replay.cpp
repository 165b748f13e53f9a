// Runs a fuzz target without libFuzzer, under any compiler: every file of the named folders, and changes
// of it that are the same on every machine.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "topology/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr const char* help =
    "usage: %s FOLDER...\n"
    "Tries a fuzz target on every file of the folders, and on changes of each, WORMCAST_CHANGES or 400.\n"
    "Prints the number of inputs; a crash is the failure, and its input is kept in the program's name + "
    ".failed.\n";

/// Changes of each file: WORMCAST_CHANGES, or 400.
std::uint64_t changes_per_file() {
  const char* given = std::getenv("WORMCAST_CHANGES");
  return given == nullptr ? 400 : std::strtoull(given, nullptr, 10);
}

const std::string* now_tried = nullptr;
std::string kept;  // the file for the input of a crash

/// The program is lost: what it was trying is written, and the signal does what it does.
void keep_input(int signal) {
  std::signal(signal, SIG_DFL);
  if (std::FILE* file = std::fopen(kept.c_str(), "wb")) {
    std::fwrite(now_tried->data(), 1, now_tried->size(), file);
    std::fclose(file);
    std::fprintf(stderr, "the input is kept in %s\n", kept.c_str());
  }
  std::raise(signal);
}

void try_input(const std::string& bytes, std::uint64_t& tried) {
  now_tried = &bytes;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  ++tried;
}

/// Cuts, doubles, moves or overwrites a piece.
std::string changed(std::string bytes, wormcast::Random& random) {
  const std::uint64_t edits = 1 + random.below(3);
  for (std::uint64_t i = 0; i < edits && !bytes.empty(); ++i) {
    const auto begin = static_cast<std::size_t>(random.below(bytes.size()));
    const auto length =
        static_cast<std::size_t>(1 + random.below(std::min<std::uint64_t>(bytes.size() - begin, 40)));
    const std::string piece = bytes.substr(begin, length);
    const auto target = static_cast<std::size_t>(random.below(bytes.size()));
    switch (random.below(5)) {
      case 0:
        bytes.erase(begin, length);
        break;
      case 1:
        bytes.insert(target, piece);
        break;
      case 2:
        bytes[begin] = static_cast<char>(random.below(256));
        break;
      case 3:
        bytes[begin] = "0123456789{}[]\",:-\n"[random.below(19)];
        break;
      default:
        bytes.resize(begin);
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--help") {
    std::printf(help, argv[0]);
    return 0;
  }
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    std::error_code error;
    std::filesystem::directory_iterator entries(argv[i], error);
    if (error) {
      std::fprintf(stderr, "%s: %s: %s (see --help)\n", argv[0], argv[i], error.message().c_str());
      return 2;
    }
    for (const auto& entry : entries) files.push_back(entry.path());
  }
  if (files.empty()) {
    std::fprintf(stderr, "%s: no folder with files is named (see --help)\n", argv[0]);
    return 2;
  }
  std::sort(files.begin(), files.end());
  kept = std::string(argv[0]) + ".failed";
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL}) std::signal(signal, keep_input);
  std::uint64_t tried = 0;
  const std::uint64_t changes = changes_per_file();
  for (std::size_t f = 0; f < files.size(); ++f) {
    std::ifstream file(files[f], std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    try_input(bytes, tried);
    for (std::uint64_t i = 0; i < changes; ++i) {
      wormcast::Random random = wormcast::RandomStreams(i, "replay").stream(f);
      try_input(changed(bytes, random), tried);
    }
  }
  std::printf("%llu inputs tried, crashes 0\n", static_cast<unsigned long long>(tried));
  return 0;
}
