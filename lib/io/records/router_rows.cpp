// The values of router parameters in records.
// SPDX-License-Identifier: MIT
#include "io/records/router_rows.hpp"

#include <fmt/format.h>

namespace wormcast::io {

namespace {

using ParameterKind = RouterParameter::Kind;

}  // namespace

std::uint64_t read_router_parameter(const Value& value, const RouterParameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::words:
      return word_index(value, parameter.known_words());
    case ParameterKind::flag:
      return value.boolean() ? 1 : 0;
    case ParameterKind::channels:
      if (value.type() == JsonType::string) {
        if (value.text() == parameter.words[0]) return 0;
        value.fail(fmt::format("{} is neither \"{}\" nor a number", value.shown(), parameter.words[0]));
      }
      break;
    case ParameterKind::number:
      break;
  }
  return value.integer(parameter.least_in_record, parameter.most);
}

void write_router_parameter(const RouterModel& model, const RouterParameter& parameter, RecordLine& line) {
  const std::uint64_t value = parameter.get(model);
  if (parameter.kind == ParameterKind::flag)
    line.boolean(value != 0);
  else if (parameter.kind == ParameterKind::words ||
           (parameter.kind == ParameterKind::channels && value == 0))
    line.string(parameter.words[value]);
  else
    line.number(value);
}

std::string router_parameter_form(const RouterParameter& parameter) {
  if (parameter.kind == ParameterKind::flag) return Flag::form();
  if (parameter.kind == ParameterKind::words) return words_form(parameter.known_words());
  const std::string number =
      shapes_detail::integer_schema(static_cast<std::int64_t>(parameter.least_in_record), parameter.most);
  if (parameter.kind == ParameterKind::number) return number;
  return fmt::format(R"({{"anyOf":[{},{{"const":"{}"}}]}})", number, parameter.words[0]);
}

}  // namespace wormcast::io
