// The parameters of routers as members of summary and verdict records.
// SPDX-License-Identifier: MIT
#pragma once

#include "io/text/shapes.hpp"
#include "topology/router_model.hpp"
#include "topology/router_parameters.hpp"

namespace wormcast::io {

std::uint64_t read_router_parameter(const Value& value, const RouterParameter& parameter);
void write_router_parameter(const RouterModel& model, const RouterParameter& parameter, RecordLine& line);
std::string router_parameter_form(const RouterParameter& parameter);

/// A row for each of router_parameters.
inline constexpr auto router_rows = []<std::size_t... i>(std::index_sequence<i...>) {
  const auto row = []<std::size_t at>(std::integral_constant<std::size_t, at>) {
    constexpr const RouterParameter& parameter = router_parameters[at];
    Field<RouterModel> field;
    field.key = parameter.key;
    field.meaning = parameter.meaning;
    field.read = [](const Value& value, RouterModel& to, const Scope&) {
      router_parameters[at].set(to, read_router_parameter(value, router_parameters[at]));
    };
    field.write = [](const RouterModel& from, RecordLine& line, const Scope&) {
      write_router_parameter(from, router_parameters[at], line);
    };
    field.clear = [](RouterModel& of) {
      router_parameters[at].set(of, router_parameters[at].get(RouterModel{}));
    };
    field.copy = [](const RouterModel& from, RouterModel& to) {
      router_parameters[at].set(to, router_parameters[at].get(from));
    };
    field.form = [] { return router_parameter_form(router_parameters[at]); };
    field.stated = parameter.stated;
    field.required = parameter.stated == nullptr;
    return field;
  };
  return std::array<Field<RouterModel>, sizeof...(i)>{row(std::integral_constant<std::size_t, i>())...};
}
(std::make_index_sequence<router_parameters.size()>());

}  // namespace wormcast::io
