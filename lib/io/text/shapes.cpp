// Shapes of values: what is not in line, and how rows become a JSON Schema.
// SPDX-License-Identifier: MIT
#include "io/text/shapes.hpp"

#include <fmt/format.h>

namespace wormcast::io {

namespace shapes_detail {

std::string integer_schema(std::int64_t least, std::uint64_t most) {
  return fmt::format(R"({{"type":"integer","minimum":{},"maximum":{}}})", least, std::min(most, max_integer));
}

}  // namespace shapes_detail

void Host::read(const Value& value, HostId& to, const Scope& scope) {
  const std::uint64_t host = value.integer(0);
  const Topology& network = *scope.network;
  if (host >= network.hosts())
    value.fail(
        fmt::format("node {} is not in topology {} ({} nodes)", host, network.name(), network.hosts()));
  to = HostId{static_cast<std::uint32_t>(host)};
}

void Name::read(const Value& value, std::string& to, const Scope&) {
  to = value.text();
  if (to.empty()) value.fail("an empty text");
}

void Texts::read(const Value& value, SharedValues& to, const Scope&) {
  NamedValues values;
  value.members([&](std::string_view name, const Value& text) {
    const bool twice =
        std::any_of(values.begin(), values.end(), [&](const auto& known) { return known.first == name; });
    if (twice) text.fail("the key appears twice in the same object");
    values.emplace_back(name, text.text());
  });
  to = SharedValues(std::move(values));
}

bool Texts::read_written(WrittenText& text, SharedValues& to, const Scope&) {
  NamedValues values;
  if (!text.stands('{')) return false;
  do {
    std::string_view name, value;
    if (!text.plain_string(name) || !text.stands(':') || !text.plain_string(value)) return false;
    for (const auto& known : values)
      if (known.first == name) return false;
    values.emplace_back(name, value);
  } while (text.stands(','));
  to = SharedValues(std::move(values));
  return text.stands('}');
}

std::string hop_form() {
  constexpr std::int64_t most_channels = std::int64_t{1} << 28;
  return shapes_detail::integer_schema(-most_channels, most_channels - 1);
}

std::string array_form(const std::string& element, ArrayBounds bounds) {
  const auto& [least, most, sorted] = bounds;
  std::string schema = R"({"type":"array",)";
  if (least > 0) schema += fmt::format(R"("minItems":{},)", least);
  if (most > 0) schema += fmt::format(R"("maxItems":{},)", most);
  if (sorted) schema += R"("uniqueItems":true,"$comment":"ascending",)";
  return schema + R"("items":)" + element + "}";
}

std::size_t word_index(const Value& value, std::span<const std::string_view> words) {
  const std::string_view said = value.text();
  const auto found = std::find(words.begin(), words.end(), said);
  if (found == words.end()) {
    std::string all = fmt::format("neither \"{}\"", words[0]);
    for (const std::string_view word : words.subspan(1)) all += fmt::format(" nor \"{}\"", word);
    value.fail(fmt::format("{} is {}", value.shown(), all));
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::string words_form(std::span<const std::string_view> words) {
  std::string list;
  for (const std::string_view word : words) list += fmt::format("{}\"{}\"", list.empty() ? "" : ",", word);
  return R"({"enum":[)" + list + "]}";
}

std::string object_schema(const RowForms& rows, std::string_view rules) {
  std::string properties, required;
  std::string_view meaning;
  for (const RowForm& row : rows) {
    if (row.meaning != "the same") meaning = row.meaning;
    RecordLine member;
    member.begin_object().key("description").string(meaning).raw(",").raw(row.schema.substr(1));
    properties += fmt::format("{}\"{}\":{}", properties.empty() ? "" : ",", row.key, member.written());
    if (row.required) required += fmt::format("{}\"{}\"", required.empty() ? "" : ",", row.key);
  }
  if (!required.empty()) required = R"(,"required":[)" + required + "]";
  return fmt::format(R"({{"type":"object","properties":{{{}}},"additionalProperties":false{}{}{}}})",
                     properties, required, rules.empty() ? "" : ",", rules);
}

}  // namespace wormcast::io
