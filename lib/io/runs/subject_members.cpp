// Members of records as metrics and parameters; files that report reads beside records.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "io/records/delivery_record.hpp"
#include "io/records/record_stream.hpp"
#include "io/records/verdict_record.hpp"
#include "io/runs/subject_reader.hpp"
#include "router/router_parameters.hpp"
#include "topology/refuse.hpp"

namespace wormcast::io {
namespace {

struct EnergyFile {
  std::string name, cite;
  EventCounts attojoules;
};
constexpr auto energy_rows =
    table(always<&EnergyFile::name, Text>("name", "of the router and its links"),
          always<&EnergyFile::cite, Text>("cite", "where the numbers are from"),
          always<&EnergyFile::attojoules, Object<event_rows>>("attojoules", "that each event costs"));

std::string content_of(const std::string& path) {
  LineReader lines({path == "-" ? "./-" : path});  // standard input is for records
  std::string content;
  while (const std::optional<std::string_view> line = lines.next()) content.append(*line) += '\n';
  return content;
}

}  // namespace

void add_members(const Value& object, Subject& subject, bool model) {
  object.members([&](std::string_view key, const Value& value) {
    if (key == "kind" || key == "planner" || key == "routing" || key.starts_with("x_")) return;
    if (key == "model") return add_members(value, subject, true);
    const bool router = std::any_of(router_parameters.begin(), router_parameters.end(),
                                    [&](const RouterParameter& parameter) { return parameter.key == key; });
    const bool run = model || key == "stop_on_deadlock" || key == "outcome";
    const Attribute::Of of = router ? Attribute::Of::routers
                             : run  ? Attribute::Of::run
                                    : Attribute::Of::record;
    const JsonType type = value.type();
    if (type == JsonType::integer && of == Attribute::Of::record)
      subject.metrics.push_back({key, static_cast<std::int64_t>(value.integer(0)), 0});
    else if (type == JsonType::string)
      subject.attributes.push_back({key, std::string(value.text()), of});
    else if (type == JsonType::integer || type == JsonType::boolean)
      subject.attributes.push_back({key, value.shown(), of});
  });
}

void add_usual(const RouterModel& model, Subject& subject) {
  RouterModel meant = model;
  if (meant.consumption_cycles == 0) meant.consumption_cycles = meant.flit_cycles;
  for (const RouterParameter& parameter : router_parameters) {
    if (parameter.stated == nullptr || parameter.stated(model)) continue;
    RecordLine line;
    write_router_parameter(meant, parameter, line.begin_object());
    std::string text(line.written().substr(1));
    std::erase(text, '"');
    subject.attributes.push_back({parameter.key, std::move(text), Attribute::Of::routers});
  }
}

void decimal_metric(Subject& subject, std::string_view name, std::string_view text) {
  std::int64_t value = 0;
  for (const char c : text)
    if (c != '.') value = value * 10 + (c - '0');
  const std::size_t point = text.find('.');
  const std::size_t digits = point == std::string_view::npos ? 0 : text.size() - point - 1;
  subject.metrics.push_back({name, value, static_cast<unsigned>(digits)});
}

void add_extras(const Value& record, Subject& subject) {
  record.members([&](std::string_view key, const Value& value) {
    if (!key.starts_with("x_")) return;
    const JsonType type = value.type();
    if (type == JsonType::string) subject.attributes.push_back({key, std::string(value.text())});
    if (type == JsonType::integer) {
      const auto most = static_cast<std::int64_t>(max_integer);
      subject.metrics.push_back({key, value.signed_integer(-most, most), 0});
    }
    if (type == JsonType::integer || type == JsonType::boolean || type == JsonType::fraction)
      subject.attributes.push_back({key, value.shown()});
  });
}

std::vector<Expectation> read_expectations(const std::string& path) {
  std::vector<Expectation> all = parse_expectations(content_of(path), path);
  if (all.empty()) refuse("--expect", "{} has no expectation", path);
  return all;
}

Energy read_energy(const std::string& path) {
  JsonText json;
  try {
    json.parse(content_of(path));
    EnergyFile file;
    read_object<energy_rows>(json.root(), file, {});
    return {file.attojoules};
  } catch (InputError& error) {
    error.place = path;
    throw;
  }
}

}  // namespace wormcast::io
