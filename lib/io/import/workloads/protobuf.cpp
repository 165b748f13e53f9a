// The wire format: a key (field number and form) before each value.
// cite: protobuf.dev, Encoding.
// SPDX-License-Identifier: MIT
#include "io/import/workloads/protobuf.hpp"

#include <fmt/format.h>

#include "topology/error.hpp"

namespace wormcast::io {
namespace {

constexpr std::uint64_t most_field = (std::uint64_t{1} << 29) - 1;

}  // namespace

void ProtobufMessage::fail(std::string_view name, const std::string& message) const {
  const std::size_t at = field_at_ == std::string_view::npos ? begin_ : field_at_;
  throw InputError(
      std::string(name), message,
      file_->name.empty() ? fmt::format("byte {}", at) : fmt::format("{}: byte {}", file_->name, at));
}

std::uint64_t ProtobufMessage::read_varint(std::string_view name) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at_ == end_) fail(name, "ends within a number");
    const auto byte = static_cast<unsigned char>(file_->text[at_++]);
    if (shift == 63 && byte > 1) break;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail(name, "a number of more than 64 bits");
}

void ProtobufMessage::pass(std::uint64_t bytes, std::string_view name) {
  if (bytes > end_ - at_) fail(name, fmt::format("{} bytes, but {} are left", bytes, end_ - at_));
  at_ += static_cast<std::size_t>(bytes);
}

bool ProtobufMessage::next() {
  if (pending_) {
    pending_ = false;
    if (form_ == varint) read_varint("");
    if (form_ == eight_bytes) pass(8, "");
    if (form_ == four_bytes) pass(4, "");
    if (form_ == counted) pass(read_varint(""), "");
  }
  if (at_ == end_) return false;
  field_at_ = at_;
  const std::uint64_t key = read_varint("");
  if (key >> 3 == 0 || key >> 3 > most_field) fail("", fmt::format("there is no field {}", key >> 3));
  const std::uint64_t form = key & 7;
  if (form != varint && form != eight_bytes && form != counted && form != four_bytes)
    fail("", fmt::format("field {} in form {}: no message of protobuf 3", key >> 3, form));
  field_ = static_cast<std::uint32_t>(key >> 3);
  form_ = static_cast<Form>(form);
  pending_ = true;
  return true;
}

void ProtobufMessage::expect(Form form, std::string_view name) const {
  if (form_ != form) fail(name, fmt::format("field {} in form {} instead of {}", field_, +form_, +form));
}

std::uint64_t ProtobufMessage::integer(std::string_view name) {
  expect(varint, name);
  pending_ = false;
  return read_varint(name);
}

ProtobufMessage ProtobufMessage::message(std::string_view name) {
  expect(counted, name);
  pending_ = false;
  const std::uint64_t bytes = read_varint(name);
  const std::size_t begin = at_;
  pass(bytes, name);
  return {*file_, begin, at_};
}

std::string_view ProtobufMessage::text(std::string_view name) {
  const ProtobufMessage part = message(name);
  return std::string_view(file_->text).substr(part.begin_, part.end_ - part.begin_);
}

ProtobufMessage ProtobufMessage::framed(const ImportFile& file, std::size_t& at) {
  ProtobufMessage rest(file, at, file.text.size());
  rest.field_at_ = at;
  const std::uint64_t bytes = rest.read_varint("message");
  const std::size_t begin = rest.at_;
  rest.pass(bytes, "message");
  at = rest.at_;
  return {file, begin, at};
}

}  // namespace wormcast::io
