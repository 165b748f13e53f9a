// Entry point of the unit tests. With --record-forms it prints what records are made of instead, as JSON:
// tests/record_forms.py makes the schemas of it.
// SPDX-License-Identifier: MIT
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "io/records/delivery_record.hpp"
#include "io/records/multicast_record.hpp"
#include "io/records/topology_record.hpp"
#include "io/records/verdict_record.hpp"
#include "io/text/record_line.hpp"

namespace {

using namespace wormcast::io;

void print_record_forms() {
  RecordLine line;
  line.begin_object();
  // Of every kind, as kind_name() has them.
  const RecordForm forms[] = {topology_form(), multicast_form(),    reduction_form(), plan_form(),
                              routes_form(),   tables_form(),       program_form(),   delivery_form(),
                              steps_form(),    channel_load_form(), summary_form(),   verdict_form(),
                              end_form()};
  for (const RecordForm& record : forms) {
    line.key(record.kind).raw("{").key("title").string(record.title);
    line.key("schema").raw(object_schema(record.rows, record.rules)).raw("}");
  }
  fmt::print("{}\n", line.end_object());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--record-forms") {
    print_record_forms();
    return 0;
  }
  return doctest::Context(argc, argv).run();
}
