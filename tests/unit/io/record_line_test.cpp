// Numbers and strings of records against other ways to write them.
// SPDX-License-Identifier: MIT
#include "io/text/record_line.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "topology/random.hpp"

namespace wormcast::record_line_test {

using namespace wormcast::io;

namespace {

std::string written(std::int64_t number) {
  static RecordLine line;
  line.begin_object().signed_number(number);
  return std::string(line.written().substr(1));
}

std::string written(const std::string& text) {
  RecordLine line;
  line.begin_object().string(text);
  return std::string(line.written().substr(1));
}

}  // namespace

TEST_CASE("numbers are written as std::to_string writes them") {
  for (std::int64_t number = -2100; number <= 1100000; ++number)
    if (written(number) != std::to_string(number)) REQUIRE(written(number) == std::to_string(number));
  for (int bits = 20; bits <= 53; ++bits)
    for (const std::int64_t step : {-1, 0, 1})
      for (const std::int64_t sign : {-1, 1}) {
        const std::int64_t number = sign * ((std::int64_t{1} << bits) + step);
        REQUIRE(written(number) == std::to_string(number));
      }
}

TEST_CASE("arrays of integers are written as nlohmann/json writes them") {
  Random random(3);
  RecordLine line;
  for (std::size_t size = 0; size < 300; ++size) {
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < size; ++i) {
      const auto number = static_cast<std::int64_t>(random.below(std::uint64_t{1} << random.below(54)));
      numbers.push_back(random.below(2) == 0 ? number : -number);
    }
    line.begin_object().integers(numbers, [](std::int64_t number) { return number; });
    REQUIRE(line.written().substr(1) == nlohmann::json(numbers).dump());
  }
}

TEST_CASE("strings are written as nlohmann/json writes them, whatever byte stands where") {
  for (std::size_t length = 1; length <= 19; ++length)
    for (std::size_t at = 0; at < length; ++at)
      for (int byte = 0; byte < 0x80; ++byte) {
        std::string text(length, 'a');
        text[at] = static_cast<char>(byte);
        if (at > 0) text[at - 1] = '\x7e';
        REQUIRE(written(text) == nlohmann::json(text).dump());
      }
  for (const char* text :
       {"", "\u00fc", "plain behind eight bytes: \u00fc", "\u00fc before eight plain bytes"})
    REQUIRE(written(text) == nlohmann::json(text).dump());
}

}  // namespace wormcast::record_line_test
