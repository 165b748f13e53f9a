// Lines of a stream: read in chunks, checked to be records of whole segments, refused with their place.
// SPDX-License-Identifier: MIT
#include "io/records/record_stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "io/records/topology_record.hpp"
#include "io/text/fields.hpp"
#include "io/text/output.hpp"
#include "io/text/shapes.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

constexpr const char* standard_input = "standard input";
constexpr const char* empty_file = "it is empty; a stream has at least a topology and an end record";
// In a pipe that is what another tool's error leaves behind.
constexpr const char* empty_pipe =
    "it is empty; did the command before fail? (a stream has at least a topology and an end record)";
/// Read at once as long as the stream is short.
constexpr std::size_t first_chunk_bytes = std::size_t{1} << 16;
/// Then half of what a widened pipe holds: its writer sleeps seldom, and long enough to be worth a switch.
constexpr std::size_t chunk_bytes = std::size_t{1} << 19;
constexpr std::size_t usual_line_bytes = std::size_t{1} << 12;
constexpr std::array<std::string_view, 13> kind_names = {
    "topology", "multicast",    "reduction", "plan",    "routes",  "tables", "delivery",
    "steps",    "channel-load", "summary",   "verdict", "program", "end"};
constexpr std::string_view head = "{\"kind\":\"";
struct SegmentEnd {
  std::uint64_t unrouted = 0;
};
constexpr auto end_rows = table(
    where_stated<&SegmentEnd::unrouted, Number<>>("unrouted_pairs",
                                                  "pairs of hosts, or multicasts, of forwarding tables that "
                                                  "the segment has no routes of, since they do not "
                                                  "arrive; omitted: 0"));

void append_without_blanks(std::string& text, std::string_view json) {
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') in_string = !in_string;
    if (!in_string && (c == ' ' || c == '\t' || c == '\r')) continue;
    text += c;
    if (in_string && c == '\\') text += json[++i];
  }
}

/// The record as the tools write it, with its newline: blanks stand in strings alone. Its x_ members stay as
/// they are.
std::string forwarded(const Value& record) {
  std::string text;
  record.members([&](std::string_view key, const Value& value) {
    const char* const begin = value.json().member_begin();
    const std::string_view raw = value.raw();
    const std::string_view member(begin, static_cast<std::size_t>(raw.data() + raw.size() - begin));
    text += text.empty() ? '{' : ',';
    key.starts_with("x_") ? void(text += member) : append_without_blanks(text, member);
  });
  return text + "}\n";
}

/// What makes something that the tool reads of a record that it does not; empty where nothing does.
std::string_view hint_for(Kind kind, std::string_view reads) {
  const auto read = [&](std::string_view word) { return reads.find(word) != std::string_view::npos; };
  if (kind == Kind::multicast && read("plan")) return "; plan-multicast makes plans of multicasts";
  if (kind == Kind::multicast && read("routes"))
    return "; plan-multicast and route-expand make routes of multicasts";
  if (kind == Kind::plan && read("routes")) return "; route-expand makes routes of plans";
  if (kind == Kind::tables && read("routes")) return "; route-expand makes routes of tables";
  if (kind == Kind::tables && read("multicast"))
    return "; route-expand routes multicasts by them, planners take the network without (.fdbs, .mcfdbs)";
  return "";
}

}  // namespace

std::string_view kind_name(Kind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

LineReader::LineReader(std::vector<std::string> files) : files_(std::move(files)) {
  if (files_.empty()) files_.emplace_back("-");
  next_file();
}

LineReader::~LineReader() {
  if (descriptor_ > 0) ::close(descriptor_);
}

bool LineReader::next_file() {
  if (descriptor_ > 0) ::close(descriptor_);
  descriptor_ = -1;
  if (next_file_ == files_.size()) return false;
  name_ = files_[next_file_++];
  if (name_ == "-") {
    name_.clear();
    if (::isatty(0) == 1)
      throw SystemError("standard input is a terminal; pipe records in or name a file (see --help)");
    descriptor_ = 0;
  } else {
    descriptor_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw cannot_read(name_);
  }
  at_end_ = false;
  line_ = 0;
  begin_ = filled_ = 0;  // a last line without a newline may have been left there
  return true;
}

bool LineReader::fill() {
  if (at_end_) return false;
  const std::size_t kept = filled_ - begin_;
  if (kept > max_line_bytes) {
    ++line_;
    refuse("", "the line is longer than {} bytes", max_line_bytes);
  }
  // A long line doubles the chunk, so that it is not moved again and again.
  const std::size_t wanted = kept + std::max(full_ ? chunk_bytes : first_chunk_bytes, kept);
  if (size_ <= wanted) {
    size_ = wanted + 1 + usual_line_bytes;
    // Not cleared; libc++ 14 has no name for that.
    std::unique_ptr<char[]> larger(new char[size_ + readable_behind]);
    if (kept > 0) std::memcpy(larger.get(), buffer_.get() + begin_, kept);
    buffer_ = std::move(larger);
  } else if (kept > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, kept);
  }
  begin_ = 0;
  filled_ = kept;
  const std::size_t asked = size_ - 1 - kept;
  ssize_t got = 0;
  do {
    got = ::read(descriptor_, buffer_.get() + kept, asked);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw cannot_read(name_);
  if (line_ == 0 && kept == 0)
    if (const std::string reason = compressed({buffer_.get(), static_cast<std::size_t>(got)}, name_);
        !reason.empty())
      throw InputError("", reason);
  filled_ += static_cast<std::size_t>(got);
  std::memset(buffer_.get() + filled_, 0, readable_behind);
  full_ = static_cast<std::size_t>(got) == asked;
  at_end_ = got == 0;
  return got > 0;
}

/// The line from begin_ to `end`, behind which its newline stands.
inline std::string_view LineReader::line_to(const char* end) {
  const char* const begin = buffer_.get() + begin_;
  begin_ = static_cast<std::size_t>(end - buffer_.get()) + 1;
  ++line_;
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::optional<std::string_view> LineReader::next() {
  if (begin_ == filled_) return next_behind(begin_);
  const void* const found = std::memchr(buffer_.get() + begin_, '\n', filled_ - begin_);
  return found == nullptr ? next_behind(filled_) : line_to(static_cast<const char*>(found));
}

/// The next line, which has no end before `searched`.
std::optional<std::string_view> LineReader::next_behind(std::size_t searched) {
  for (std::size_t unfinished = searched - begin_; fill(); unfinished = filled_ - begin_) {
    const void* const found = std::memchr(buffer_.get() + unfinished, '\n', filled_ - unfinished);
    if (found != nullptr) return line_to(static_cast<const char*>(found));
  }
  if (begin_ == filled_) return std::nullopt;
  buffer_[filled_] = '\n';  // fill() has left room for it
  const std::string_view line = line_to(buffer_.get() + filled_);
  begin_ = filled_;
  return line;
}

std::string LineReader::place() const {
  if (line_ == 0) return name_.empty() ? standard_input : name_;
  return name_.empty() ? fmt::format("line {}", line_) : fmt::format("{}: line {}", name_, line_);
}

void MulticastOrder::check(const Request& request) {
  for (std::size_t i = 0; i < request.depends_on.size(); ++i)
    if (!ids_.contains(request.depends_on[i]))
      refuse(fmt::format("depends_on[{}]", i), "multicast {} does not come earlier in the segment",
             request.depends_on[i]);
  check_id(request.id);
  check_start(request.start_cycle);
}

void MulticastOrder::check_id(std::uint64_t id) {
  if (!ids_.insert(id)) refuse("id", "multicast {} appears twice", id);
}

void MulticastOrder::check_start(Cycle start) {
  if (start < last_) refuse("start_cycle", "{} is before {}, the start of an earlier record", start, last_);
  last_ = start;
}

void RecordStream::add_place(InputError& error) const {
  if (error.place.empty()) error.place = lines_.place();
}

/// What is wrong with the text goes before what is wrong with what it says.
void RecordStream::check_text() {
  try {
    json_.check();
  } catch (const InputError& error) {
    // The first line of a record that some program has broken over several.
    if (std::string_view(error.what()).find(json_ends) == std::string_view::npos) throw;
    refuse("", "{}; a record stands on one line (jq -c .)", error.what());
  }
}

void RecordStream::refuse_record(InputError& error) {
  try {
    check_text();
  } catch (InputError& of_text) {
    add_place(of_text);
    throw;
  }
  add_place(error);
}

bool RecordStream::next() {
  try {
    while (true) {
      const std::optional<std::string_view> line = lines_.next();
      if (line) {
        parse(*line);
        return true;
      }
      if (open_) refuse("", "the input stops here without an 'end' record: it was truncated");
      if (!any_) throw InputError("", lines_.place() == standard_input ? empty_pipe : empty_file);
      if (!lines_.next_file()) return false;
      any_ = false;
    }
  } catch (InputError& error) {
    add_place(error);
    throw;
  }
}

void RecordStream::parse(std::string_view line) {
  // Most records are of the kind of the one before.
  const std::string_view name = kind_name(record_.kind),
                         said = line.substr(std::min(head.size(), line.size()));
  if (open_ && record_.kind != Kind::topology && line.starts_with(head) && said.starts_with(name) &&
      said.substr(name.size()).starts_with('"')) {
    json_.read(line);
    record_ = {record_.kind, json_.root(), line};
    return;
  }
  if (line.find_first_not_of(" \t\r") == std::string_view::npos)
    refuse("", "an empty line where a record should be");
  try {
    json_.read(line);
    begin(line);
  } catch (const InputError&) {
    try {
      check_text();
    } catch (const InputError& of_text) {
      const bool foreign = !any_ && line.size() > 1 && line.find("kind") == std::string_view::npos &&
                           std::string_view(of_text.what()).starts_with("not valid JSON");
      if (!foreign) throw;
      refuse("", "{}; gen-topology import reads files of other programs", of_text.what());
    }
    throw;
  }
}

/// Sees to the segment, and to the records that open and close it.
void RecordStream::begin(std::string_view line) {
  const Value root = json_.root();
  root.expect_object();
  const auto first = json_.first_member();
  if (!first || first->first != "kind") refuse("kind", "a record must begin with the key \"kind\"");
  const std::string_view name = first->second.text();
  const Kind kind = static_cast<Kind>(place_of_name("kind", "kind of record", name, kind_names));
  any_ = true;
  if (kind == Kind::topology) {
    if (open_) refuse("kind", "a topology inside an open segment: the 'end' record before it is missing");
    topology_ = build_topology(read_topology_record(root));
    route_check_.emplace(*topology_);
    order_ = {};
    topology_line_ = forwarded(root);
    open_ = true;
  } else {
    if (!open_) refuse("kind", "a record of kind '{}' outside a segment: a topology must come first", name);
    if (kind == Kind::end) {
      SegmentEnd end;
      read_record_rows<end_rows>(root, end, {});
      unrouted_ = end.unrouted;
      end_line_ = forwarded(root);
      open_ = false;
    }
  }
  record_ = {kind, root, line};
}

std::string RecordStream::end_line(std::uint64_t unrouted) const {
  std::string line = end_line_;
  if (unrouted != 0 && unrouted_ == 0)
    line.insert(line.rfind('}'), fmt::format(",\"unrouted_pairs\":{}", unrouted));
  return line;
}

RecordForm end_form() { return {"end", "Closes a segment", row_forms<end_rows>()}; }

void refuse_kind(const Record& record, std::string_view reads) {
  refuse("kind", "a record of kind '{}'; this tool reads {}{}", kind_name(record.kind), reads,
         hint_for(record.kind, reads));
}

}  // namespace wormcast::io
