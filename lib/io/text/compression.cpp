// The first bytes of each sort of compressed file, and the command that unpacks it.
// SPDX-License-Identifier: MIT
#include "io/text/compression.hpp"

namespace wormcast::io {
namespace {

using namespace std::string_view_literals;

struct Packer {
  std::string_view begin;
  std::string_view name;
  std::string_view command;
};

constexpr Packer packers[] = {
    {"\x1f\x8b"sv, "gzip", "gzip -dc"},
    {"\x1f\x9d"sv, "compress", "gzip -dc"},
    {"\xfd"
     "7zXZ\0"sv,
     "xz", "xz -dc"},
    {"\x5d\0\0"sv, "lzma", "xz -dc"},
    {"LZIP\x01"sv, "lzip", "lzip -dc"},
    {"\x28\xb5\x2f\xfd"sv, "zstd", "zstd -dc"},
    {"\x04\x22\x4d\x18"sv, "lz4", "lz4 -dc"},
    {"PK\x03\x04"sv, "zip", "unzip -p"},
    {"7z\xbc\xaf\x27\x1c"sv, "7-Zip", "7z x -so"},
};

const Packer* packer_of(std::string_view begin) {
  static constexpr Packer bzip2 = {"BZh", "bzip2", "bzip2 -dc"};  // then the size of its blocks, a digit
  if (begin.starts_with(bzip2.begin) && begin.substr(4).starts_with("1AY&SY")) return &bzip2;
  for (const Packer& packer : packers)
    if (begin.starts_with(packer.begin)) return &packer;
  return nullptr;
}

}  // namespace

std::string compressed(std::string_view begin, std::string_view name) {
  const Packer* packer = begin.size() < 4 ? nullptr : packer_of(begin);
  if (packer == nullptr) return "";
  return "compressed by " + std::string(packer->name) +
         "; unpack it in the pipe: " + std::string(packer->command) + " " +
         (name.empty() ? "FILE" : std::string(name)) + " | ...";
}

}  // namespace wormcast::io
