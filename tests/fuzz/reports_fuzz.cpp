// Fuzz target of the report: any bytes are a stream of records of every kind, tabulated, and made points of.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <functional>
#include <string>

#include "fuzz/memory_file.hpp"
#include "io/runs/subject_reader.hpp"
#include "report/forms/report.hpp"
#include "topology/error.hpp"

using namespace wormcast;

namespace {

constexpr std::uint32_t most_channels = 1u << 12;

struct TooLarge {};

std::string report_of(const std::string& stream, ReportRequest::Form form) {
  const MemoryFile file(stream);
  ReportRequest request;
  request.form = form;
  if (form == ReportRequest::Form::plot)
    request.plot = parse_plot("x=destinations,y=traffic_channels,by=planner");
  // Known at the end of a segment, which is held back until then.
  if (form == ReportRequest::Form::loads) request.where = {{"outcome", "complete"}};
  // What a script would draw is only handed on.
  Report report(request, form == ReportRequest::Form::loads ? [](const Subject&) {}
                                                            : std::function<void(const Subject&)>());
  io::read_subjects(
      {file.path()},
      [&](const Subject& subject) {
        if (subject.topology != nullptr && subject.topology->channel_bound() > most_channels)
          throw TooLarge{};
        report.add(subject);
      },
      [&] { report.end_segment(); });
  return report.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string stream(reinterpret_cast<const char*>(data), size);
  for (const auto form : {ReportRequest::Form::csv, ReportRequest::Form::plot, ReportRequest::Form::loads}) {
    try {
      report_of(stream, form);
    } catch (const InputError&) {
      // A refusal is an answer.
    } catch (const TooLarge&) {
    }
  }
  return 0;
}
