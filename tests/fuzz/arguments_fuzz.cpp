// Fuzz target of the small languages that users type: expectations and plots.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>

#include "report/expectation.hpp"
#include "report/forms/report.hpp"
#include "topology/error.hpp"

using namespace wormcast;

namespace {

/// Runs one parser; a refusal is an answer.
template <class Parse>
void attempt(Parse parse) {
  try {
    parse();
  } catch (const InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  attempt([&] { parse_expectations(text, "fuzz"); });
  attempt([&] { parse_plot(text); });
  return 0;
}
