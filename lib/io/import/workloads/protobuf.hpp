// Messages in the wire format of Protocol Buffers, read field by field.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/import/format.hpp"

namespace wormcast::io {

/// A message within a file: bytes from `begin` to before `end`. Of a field it gives the number and the value,
/// which it refuses in another form than the one asked for; a field that is not asked for is passed over.
class ProtobufMessage {
 public:
  ProtobufMessage(const ImportFile& file, std::size_t begin, std::size_t end)
      : file_(&file), begin_(begin), at_(begin), end_(end) {}

  /// Goes to the next field; false at the end of the message.
  bool next();
  std::uint32_t field() const { return field_; }

  /// The field's value; `name` is for errors.
  std::uint64_t integer(std::string_view name);
  std::string_view text(std::string_view name);
  ProtobufMessage message(std::string_view name);
  /// visit(value) for each integer of a repeated field: one, or several packed.
  template <class Visit>
  void integers(std::string_view name, Visit visit) {
    if (form_ == varint) {
      visit(integer(name));
      return;
    }
    ProtobufMessage packed = message(name);
    while (packed.at_ < packed.end_) visit(packed.read_varint(name));
  }

  /// One that the file writes behind its length, as streams of messages do; moves `at` behind it.
  static ProtobufMessage framed(const ImportFile& file, std::size_t& at);

  std::size_t begin() const { return begin_; }
  /// Throws InputError with the file and byte of the field, or of the message before its first.
  [[noreturn]] void fail(std::string_view name, const std::string& message) const;

 private:
  enum Form : std::uint8_t { varint = 0, eight_bytes = 1, counted = 2, four_bytes = 5 };

  std::uint64_t read_varint(std::string_view name);
  void pass(std::uint64_t bytes, std::string_view name);
  void expect(Form form, std::string_view name) const;

  const ImportFile* file_;
  std::size_t begin_;
  std::size_t at_;
  std::size_t end_;
  std::uint32_t field_ = 0;
  Form form_ = varint;
  std::size_t field_at_ = std::string_view::npos;  ///< where the field's key begins
  bool pending_ = false;                           ///< the field's value has not been read
};

}  // namespace wormcast::io
