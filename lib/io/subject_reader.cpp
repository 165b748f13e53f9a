// From records of any kind to what the report adds up.
// SPDX-License-Identifier: MIT
#include "io/subject_reader.hpp"

#include <algorithm>
#include <cstdint>

#include "io/multicast_record.hpp"
#include "io/record_stream.hpp"

namespace wormcast::io {
namespace {

/// Turns the records of one stream into subjects, in buffers that are kept between them.
class Reader {
 public:
  Reader(const RecordStream& in, std::string stream, std::uint64_t& segment)
      : in_(in), stream_(std::move(stream)), segment_(segment) {}

  /// The record as a subject; nothing for topology and end.
  const Subject* read(const Record& record);

 private:
  void metric(std::string_view name, std::uint64_t value) {
    subject_.metrics.push_back({name, static_cast<std::int64_t>(value), 0});
  }
  void add_request();
  void add_plan();
  void add_extras(const Value& record);

  const RecordStream& in_;
  std::string stream_;
  std::uint64_t& segment_;
  Subject subject_;
  Plan plan_;
  Routes routes_;
};

void Reader::add_request() {
  const Request& request = subject_.plan->request;
  metric("destination_count", request.destinations.size());
  metric("length_flits", request.length_flits);
  metric("start_cycle", request.start_cycle);
}

void Reader::add_plan() {
  const Plan& plan = *subject_.plan;
  add_request();
  if (!plan.worms.empty()) metric("worms", plan.worms.size());
  if (plan.traffic_channels) metric("traffic_channels", *plan.traffic_channels);
  if (plan.longest_path_hops) metric("longest_path_hops", *plan.longest_path_hops);
  if (plan.longest_chain_hops) metric("longest_chain_hops", *plan.longest_chain_hops);
}

/// x_ keys: texts, booleans and numbers can be grouped by, integers added up as well.
void Reader::add_extras(const Value& record) {
  record.members([&](std::string_view key, const Value& value) {
    if (!key.starts_with("x_")) return;
    switch (value.type()) {
      case JsonType::string:
        subject_.attributes.push_back({key, std::string(value.text())});
        break;
      case JsonType::integer: {
        const auto most = static_cast<std::int64_t>(max_integer);
        subject_.metrics.push_back({key, value.signed_integer(-most, most), 0});
        subject_.attributes.push_back({key, value.shown()});
        break;
      }
      case JsonType::boolean:
      case JsonType::fraction:
        subject_.attributes.push_back({key, value.shown()});
        break;
      case JsonType::null:
      case JsonType::key:
      case JsonType::array:
      case JsonType::object:
        break;
    }
  });
}

const Subject* Reader::read(const Record& record) {
  if (record.kind == Kind::topology) ++segment_;
  if (record.kind == Kind::topology || record.kind == Kind::end) return nullptr;
  subject_ = Subject{};
  subject_.kind = kind_name(record.kind);
  subject_.stream = stream_;
  subject_.segment = segment_;
  subject_.topology = in_.topology().get();
  switch (record.kind) {
    case Kind::multicast:
      plan_ = Plan{};
      read_multicast_record(record.value, *in_.topology(), plan_.request);
      subject_.plan = &plan_;
      add_request();
      break;
    case Kind::plan:
      read_plan_record(record.value, *in_.topology(), plan_);
      subject_.plan = &plan_;
      add_plan();
      break;
    case Kind::routes:
      read_routes_record(record.value, *in_.topology(), routes_);
      subject_.plan = &routes_.plan;
      subject_.routes = &routes_;
      add_plan();
      break;
    default:
      refuse_kind(record, "multicast, plan and routes records");
  }
  add_extras(record.value);
  return &subject_;
}

}  // namespace

void read_subjects(const std::vector<std::string>& files, const std::function<void(const Subject&)>& take) {
  std::vector<std::string> streams = files;
  if (streams.empty()) streams.emplace_back("-");
  std::uint64_t segment = 0;
  for (const std::string& stream : streams) {
    RecordStream in({stream});
    Reader reader(in, stream, segment);
    in.for_each([&](const Record& record) {
      if (const Subject* subject = reader.read(record)) take(*subject);
    });
  }
}

}  // namespace wormcast::io
