// The kinds of record as JSON Schemas describe them.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "io/text/fields.hpp"

namespace wormcast::io {

RecordForm topology_form();
RecordForm multicast_form();
RecordForm reduction_form();
RecordForm plan_form();
RecordForm routes_form();
RecordForm tables_form();
RecordForm delivery_form();
RecordForm steps_form();
RecordForm channel_load_form();
RecordForm summary_form();
RecordForm verdict_form();
RecordForm end_form();
/// What deliveries and steps say beyond their plans.
RowForms delivery_measures();
RowForms steps_measures();

/// Of every kind, as kind_name() has them.
inline std::vector<RecordForm> record_forms() {
  return {topology_form(),     multicast_form(), reduction_form(), plan_form(),
          routes_form(),       tables_form(),    delivery_form(),  steps_form(),
          channel_load_form(), summary_form(),   verdict_form(),   end_form()};
}

}  // namespace wormcast::io
