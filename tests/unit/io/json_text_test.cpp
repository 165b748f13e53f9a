// The strict JSON layer: what it takes, what it refuses, and where it says the error is.
// SPDX-License-Identifier: MIT
#include "io/text/json_text.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "topology/error.hpp"
#include "unit/source_dir.hpp"

namespace wormcast::json_text_test {

using namespace wormcast::io;

namespace {

/// The message of the InputError that parsing `text` throws, or "" if it parses.
std::string refusal(const std::string& text) {
  JsonText json;
  try {
    json.parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a json holds the values with their places") {
  const std::string text = R"({"a":[1,[2,{"b":-3}],"x\u0041"],"c":{"d":true,"e":null},"f":2.5})";
  JsonText json;
  json.parse(text);
  std::string seen;
  json.root().members([&](std::string_view key, const Value& value) {
    seen += std::string(key) + "=" + value.shown() + ";";
    if (key == "a")
      value.each([&](const Value& element) {
        seen += element.shown() + " at " + element.place() + ";";
        if (element.type() == JsonType::array)
          element.each([&](const Value& inner) { seen += inner.place() + ";"; });
      });
  });
  CHECK(seen == "a=an array;1 at a[0];an array at a[1];a[1][0];a[1][1];\"xA\" at a[2];c=an object;f=2.5;");
}

TEST_CASE("what stands in an object may be read again when all of it is known") {
  const std::string text = R"([{"a":[1,-2],"b":[[3],{"c":4}],"d":[]},{"a":[5, 6],"b":[1.5],"d":[7]},{}])";
  JsonText json;
  json.parse(text);
  std::string seen;
  json.root().each([&](const Value& object) {
    std::vector<Value> kept;
    object.members([&](std::string_view, const Value& value) { kept.push_back(value); });
    seen += '{';
    for (const Value& value : kept) value.each([&](const Value& element) { seen += element.shown() + ";"; });
    seen += '}';
  });
  CHECK(seen == "{1;-2;an array;an object;}{5;6;1.5;7;}{}");
  CHECK_NOTHROW(json.check_rest());
}

TEST_CASE("integers are integers, in range") {
  const auto integer = [](const std::string& text) {
    JsonText json;
    json.parse(text);
    return json.root().integer(0);
  };
  CHECK(integer("0") == 0);
  CHECK(integer("9007199254740991") == max_integer);
  for (const char* bad : {"9007199254740992", "18446744073709551616", "18446744073709551615", "-1", "3.7",
                          "1e3", "1e30", "true", "\"3\"", "null", "[]", "{}"})
    CHECK_THROWS_AS(integer(bad), InputError);
}

TEST_CASE("what is not strict JSON is refused with a one-line reason") {
  for (const std::string& bad :
       {std::string("{"), std::string("{\"a\":1}\0 garbage", 16), std::string("\xef\xbb\xbf{}"),
        std::string("{\"a\":\"\xff\"}"), std::string("{\"a\":\"\xed\xa0\x80\"}"), std::string("[1,]"),
        std::string("nul"), std::string("1 2"), std::string(""), std::string("[1e400]"),
        std::string("\"\\ud800\"")}) {
    CAPTURE(bad);
    const std::string message = refusal(bad);
    CHECK_FALSE(message.empty());
    CHECK(message.find('\n') == std::string::npos);
  }
  const std::string deep(100000, '[');
  CHECK(refusal(deep) == "nested deeper than 64 levels");
  CHECK(refusal(std::string(64, '[') + std::string(64, ']')).empty());
}

TEST_CASE("members: unknown, repeated and missing keys are refused, x_ keys are kept byte for byte") {
  static constexpr std::array<Member, 3> members = {{{"kind"}, {"id"}, {"note", false}}};
  const auto read = [&](const std::string& text) {
    JsonText json;
    json.parse(text);
    const auto visit = [](int, const Value&) {};
    return visit_members(json.root(), members, true, visit);
  };
  CHECK(read(R"({"kind":"k","id":1})").empty());
  CHECK(read(R"({"kind":"k","x_b": [1, "],}\"" ] ,"id":1,"x_a":{"id":2.50}})") ==
        R"(,"x_b": [1, "],}\"" ],"x_a":{"id":2.50})");
  CHECK_THROWS_WITH(read(R"({"kind":"k"})"), "required key \"id\" is missing");
  CHECK_THROWS_WITH(read(R"({"kind":"k","id":1,"id":1})"), "the key appears twice in the same object");
  CHECK_THROWS_WITH(read(R"({"kind":"k","id":1,"x_a":1,"x_a":1})"),
                    "the key appears twice in the same object");
  CHECK_THROWS_WITH(read(R"({"kind":"k","id":1,"nota":1})"),
                    "unknown key 'nota'; did you mean 'note'? (known: kind id note)");
}

TEST_CASE(
    "the JSON parsing test suite: every n_ file is refused, every y_ file parses (where the suite is at "
    "hand)") {
  const std::filesystem::path folder =
      std::filesystem::path(testing::source_dir()) / "../shared/jsontestsuite/test_parsing";
  if (!std::filesystem::exists(folder)) {
    MESSAGE("skipped: no JSON parsing test suite beside the project");
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    const std::string message = refusal(text);
    if (name[0] == 'n') CHECK_FALSE(message.empty());
    if (name[0] == 'y') CHECK(message.empty());
  }
}

namespace {

/// The value as this project's reader sees it, written by nlohmann/json.
nlohmann::ordered_json rebuilt(const Value& value) {
  nlohmann::ordered_json result;
  switch (value.type()) {
    case JsonType::object:
      result = nlohmann::ordered_json::object();
      value.members(
          [&](std::string_view key, const Value& member) { result[std::string(key)] = rebuilt(member); });
      return result;
    case JsonType::array:
      result = nlohmann::ordered_json::array();
      value.each([&](const Value& element) { result.push_back(rebuilt(element)); });
      return result;
    case JsonType::string:
      return std::string(value.text());
    case JsonType::integer:
      return value.signed_integer(INT64_MIN, INT64_MAX);
    case JsonType::boolean:
      return value.boolean();
    default:
      return nlohmann::ordered_json::parse(value.raw());
  }
}

/// Reads the text as records are read; "" where it is refused.
std::string read_back(const std::string& text, bool& taken) {
  JsonText json;
  const std::string line = text + "\n" + std::string(readable_behind, '9');
  taken = true;
  try {
    json.read(std::string_view(line).substr(0, text.size()));
    std::string result = rebuilt(json.root()).dump();
    json.check_rest();
    return result;
  } catch (const InputError& error) {
    taken = false;
    CHECK(std::string(error.what()) == refusal(text));
    return "";
  }
}

}  // namespace

TEST_CASE("what is read on demand is what the full parser reads, and refused where that refuses") {
  std::size_t taken_texts = 0;
  const auto check = [&](const std::string& text) {
    CAPTURE(text);
    bool taken = false;
    const std::string read = read_back(text, taken);
    const bool strict = text.find('\0') == std::string::npos && !text.starts_with("\xef\xbb\xbf");
    const auto full = nlohmann::ordered_json::parse(text, nullptr, false);
    REQUIRE(taken == (strict && !full.is_discarded()));
    if (!taken) return;
    ++taken_texts;
    REQUIRE(read == full.dump());
  };
  for (const char* text : {"{}",
                           "[]",
                           "[[],{}]",
                           R"({"a":[1,-2,{"b":"c d"}],"e":true,"f":[false,null]})",
                           "-0",
                           " [ 1 , 2 ]\t\r\n",
                           "999999999999999999",
                           "9223372036854775807",
                           "-9223372036854775808",
                           R"({"a":{"a":{}},"":""})",
                           "1.5",
                           "1e3",
                           "[1E+2,-0.5e-7]",
                           "\"\\n\"",
                           "\"\xc3\xa4\"",
                           "\"\\ud83d\\ude00\"",
                           "",
                           " ",
                           "[1,]",
                           "[,1]",
                           "{,}",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "01",
                           "-",
                           "[1 2]",
                           "tru",
                           "truex",
                           "\"a",
                           "[1]]",
                           "[",
                           "{\"a\":1",
                           "\"\x7f\"",
                           "{a:1}",
                           "[1}",
                           "{\"a\":1]",
                           "[1.]",
                           "[.5]",
                           "[1e]",
                           "1 1",
                           "\"a\tb\"",
                           "[\"\n\"]",
                           "+1",
                           "[-]",
                           "[nul]",
                           "{\"a\":tru}",
                           "[1e400]"})
    check(text);
  // Records with bytes changed, left out or doubled.
  std::mt19937 random(1);
  const std::string record =
      R"({"kind":"routes","id":12,"source":3,"destinations":[1,5],"worms":[{"stops":[5,1],"hops":[3,-6,0,-2]}],"x_a":{"b":[true,null,-7]}})";
  const std::string bytes = "{}[]\",:0129-+.eE\\ \ttfnul\x01\x7f\xc3";
  for (int round = 0; round < 20000; ++round) {
    std::string text = record;
    for (auto changes = random() % 3 + 1; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      const auto how = random() % 3;
      if (how == 0)
        text[at] = bytes[random() % bytes.size()];
      else if (how == 1)
        text.erase(at, 1);
      else
        text.insert(at, 1, text[at]);
    }
    check(text);
  }
  CHECK(taken_texts > 1000);
}

TEST_CASE("what is passed over is checked, too") {
  for (const char* text : {R"({"kind":"k","x":[1,{"a":tru}]})", R"({"kind":"k"} 1)", R"({"kind":"k","a":[}})",
                           R"({"kind":"k","a":"b)", R"({"kind":"k","a":01})"}) {
    CAPTURE(text);
    JsonText json;
    const std::string line = std::string(text) + "\n" + std::string(readable_behind, ',');
    json.read(std::string_view(line).substr(0, line.find('\n')));
    CHECK(json.first_member()->second.text() == "k");
    CHECK_THROWS_AS(json.check_rest(), InputError);
  }
}

}  // namespace wormcast::json_text_test
