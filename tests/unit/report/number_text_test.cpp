// Texts that are numbers: what is one, and their order.
// SPDX-License-Identifier: MIT
#include "report/statistics.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace wormcast::number_text_test {

TEST_CASE("numbers of any length and sign are in order, without loss") {
  // Each is less than all that follow.
  const std::vector<std::string> ordered = {"-200000000.000001",
                                            "-200000000",
                                            "-5",
                                            "-4.75",
                                            "-0.000001",
                                            "0",
                                            ".0625",
                                            "0.5",
                                            "1",
                                            "1.000000000000000000000000000001",
                                            "9.",
                                            "10",
                                            "200000000.000000",
                                            "9007199254740992",
                                            "9007199254740993",
                                            "123456789012345678901234567890123456789012345678901234567890"};
  for (std::size_t i = 0; i < ordered.size(); ++i)
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      CAPTURE(ordered[i]);
      CAPTURE(ordered[j]);
      CHECK((number_text(ordered[i]).value() < number_text(ordered[j]).value()) == (i < j));
    }
  const auto same = [](const char* a, const char* b) {
    return !(*number_text(a) < *number_text(b)) && !(*number_text(b) < *number_text(a));
  };
  CHECK(same("4", "04.00"));
  CHECK(same("-0.0", "0"));
}

TEST_CASE("what is no number, and which are above zero") {
  for (const char* text : {"", "-", ".", "-.", "1e5", "4x", "1.2.3", "--1", "+1", " 1", "0x10", "mesh"}) {
    CAPTURE(text);
    CHECK_FALSE(number_text(text));
  }
  CHECK(number_text("0.000001")->above_zero());
  for (const char* text : {"0", "-0", "0.000", "-3"}) CHECK_FALSE(number_text(text)->above_zero());
}

TEST_CASE("sums of numbers are exact, and what is none is no sum") {
  CHECK(sum_text("0.001+0.019") == "0.02");
  CHECK(sum_text("0.01+0.1+2") == "2.11");
  CHECK(sum_text("9.5+.5") == "10");
  CHECK(sum_text("0+0.000") == "0");
  CHECK(sum_text("99999999999999999999999999+0.00000000000000000001") ==
        "99999999999999999999999999.00000000000000000001");
  for (const char* text : {"", "0.5", "+", "0.5+", "+0.5", "0.5++1", "1+-1", "1+mixed", "1e3+1"})
    CHECK_FALSE(sum_text(text));
}

}  // namespace wormcast::number_text_test
