// Reading records: lines, segments, line numbers, and the refusal of everything that is not whole.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/json_text.hpp"
#include "multicast/check.hpp"
#include "multicast/id_set.hpp"
#include "multicast/plan.hpp"
#include "topology/error.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

enum class Kind : std::uint8_t {
  topology,
  multicast,
  reduction,
  plan,
  routes,
  tables,
  delivery,
  steps,
  channel_load,
  summary,
  verdict,
  program,
  end
};
std::string_view kind_name(Kind kind);

struct RecordForm;
// The kinds as JSON Schemas and the reference describe them.
RecordForm topology_form(), multicast_form(), reduction_form(), plan_form(), routes_form(), tables_form(),
    program_form(), delivery_form(), steps_form(), channel_load_form(), summary_form(), verdict_form(),
    end_form();

/// Longest line that is read, in bytes.
inline constexpr std::size_t max_line_bytes = std::size_t{1} << 28;

/// One record; valid until the next is read.
struct Record {
  Kind kind = Kind::end;
  Value value;
  std::string_view line;  ///< the raw text, without its newline
};

/// The lines of some files, or of standard input, one after the other.
class LineReader {
 public:
  /// No file, or "-", means standard input.
  explicit LineReader(std::vector<std::string> files);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its newline, or nothing at the end of a file; then next_file(). A newline follows
  /// it in memory.
  std::optional<std::string_view> next();
  /// Goes on to the next file; false after the last.
  bool next_file();
  /// "line 12", with the file's name before it where files were named.
  std::string place() const;

 private:
  bool fill();
  std::optional<std::string_view> next_behind(std::size_t searched);
  std::string_view line_to(const char* end);

  std::vector<std::string> files_;
  std::size_t next_file_ = 0;
  std::string name_;  // "" for standard input
  int descriptor_ = -1;
  bool at_end_ = false;
  bool full_ = false;  // the last read gave all that it asked for
  std::uint64_t line_ = 0;
  std::unique_ptr<char[]> buffer_;
  std::size_t size_ = 0;    // of the buffer
  std::size_t begin_ = 0;   // of what has not been given out
  std::size_t filled_ = 0;  // its end; what lies behind means nothing
};

/// What the multicasts of a segment owe each other, in the order in which they come; every tool that reads
/// them checks it, the simulator's engines the ids themselves.
class MulticastOrder {
 public:
  /// Throws InputError where an earlier record has the id, `depends_on` names one that no earlier record has,
  /// or an earlier record starts later.
  void check(const Request& request);
  /// The same about the id alone.
  void check_id(std::uint64_t id);
  /// The same about the start alone.
  void check_start(Cycle start);

 private:
  IdSet ids_;
  Cycle last_ = 0;
};

/// The records of one or more whole streams. Segments are checked: a topology opens one, `end`
/// closes it, nothing stands outside, and input that stops before its `end` is refused as truncated.
class RecordStream {
 public:
  explicit RecordStream(std::vector<std::string> files = {}) : lines_(std::move(files)) {}

  /// Calls handle(record) for every record, topology and end included; an InputError that it
  /// throws is told the place. The topology of a segment is built before the handler sees it.
  template <class Handle>
  void for_each(Handle handle) {
    while (next()) {
      try {
        handle(record_);
        json_.check_rest();
      } catch (InputError& error) {
        refuse_record(error);
        throw;
      }
    }
  }

  /// The segment's network; shared so that it can outlive the segment.
  const std::shared_ptr<const Topology>& topology() const { return topology_; }
  /// Checks the segment's routes.
  RouteCheck& route_check() { return *route_check_; }
  /// Checks the segment's multicasts.
  MulticastOrder& order() { return order_; }
  /// The segment's topology record as it was read, without blanks outside its x_ members, and with a newline.
  const std::string& topology_line() const { return topology_line_; }
  /// The segment's end record, likewise.
  const std::string& end_line() const { return end_line_; }
  /// The same, saying how many pairs of tables the segment has no routes of.
  std::string end_line(std::uint64_t unrouted) const;
  /// Where the record stands that was read last: "line 12".
  std::string place() const { return lines_.place(); }
  /// What the end record says of that.
  std::uint64_t unrouted() const { return unrouted_; }

 private:
  /// Goes to the next record, or says that there is none.
  bool next();
  void parse(std::string_view line);
  void begin(std::string_view line);
  void check_text();
  void refuse_record(InputError& error);
  void add_place(InputError& error) const;

  LineReader lines_;
  JsonText json_;
  std::shared_ptr<const Topology> topology_;
  std::string topology_line_;
  std::string end_line_;
  std::uint64_t unrouted_ = 0;
  std::optional<RouteCheck> route_check_;
  MulticastOrder order_;
  Record record_{Kind::end, json_.root(), ""};
  bool open_ = false;
  bool any_ = false;
};

/// For kinds a tool does not read: throws InputError that says so. `reads` as in "plan records".
[[noreturn]] void refuse_kind(const Record& record, std::string_view reads);

}  // namespace wormcast::io
