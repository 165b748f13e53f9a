// What is not in line: shapes of values, objects whose members are read strictly, strings in records, and how
// rows become a JSON Schema.
// SPDX-License-Identifier: MIT
#include "io/text/shapes.hpp"

#include <fmt/format.h>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "io/text/record_line.hpp"
#include "topology/name_table.hpp"
#include "topology/refuse.hpp"

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
  if (!network.has_host(to)) value.fail(fmt::format("node {} of {} has no host", host, network.name()));
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

std::string visit_members(const Value& object, std::span<const Member> members, bool carries_extras,
                          const std::function<void(int, const Value&)>& visit) {
  constexpr const char* twice = "the key appears twice in the same object";
  std::uint64_t seen = 0;  // a bit for each
  int next = 0;            // the one behind the last that was found
  std::string extras;
  std::vector<std::string> extra_keys;
  std::vector<std::pair<int, Value>> deferred;
  object.members([&](std::string_view key, const Value& value) {
    // In documented order at once: members that are left out stand between one that comes and the next.
    const auto is_it = [&](const Member& member) { return member.key == key; };
    auto found = std::find_if(members.begin() + next, members.end(), is_it);
    if (found == members.end()) found = std::find_if(members.begin(), members.end(), is_it);
    if (found != members.end()) {
      const int i = static_cast<int>(found - members.begin());
      const std::uint64_t bit = std::uint64_t{1} << i;
      if ((seen & bit) != 0) value.fail(twice);
      seen |= bit;
      next = i + 1;
      found->deferred ? void(deferred.emplace_back(i, value)) : visit(i, value);
    } else if (carries_extras && key.starts_with("x_")) {
      if (std::find(extra_keys.begin(), extra_keys.end(), key) != extra_keys.end()) value.fail(twice);
      extra_keys.emplace_back(key);
      const char* const begin = value.json().member_begin();
      const std::string_view raw = value.raw();
      extras.append(",").append(begin, raw.data() + raw.size());
    } else {
      std::vector<std::string_view> known;
      for (const Member& member : members) known.push_back(member.key);
      value.fail(unknown_name_message("key", key, known));
    }
  });
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i].required && (seen >> i & 1) == 0)
      refuse(object.place(), "required key \"{}\" is missing", members[i].key);
  for (const auto& [index, value] : deferred) visit(index, value);
  return extras;
}

void check_derived(const Value& value, const std::string& expected) {
  if (value.type() != JsonType::integer && value.type() != JsonType::fraction)
    value.fail(value.shown() + " is not a number");
  if (expected.empty() ||
      std::strtod(value.shown().c_str(), nullptr) != std::strtod(expected.c_str(), nullptr))
    value.fail(value.shown() + ", but the sums say " + (expected.empty() ? "none" : expected));
}

void RecordLine::grow(std::size_t more) {
  const std::size_t size = written().size();
  buffer_.resize(2 * (size + more));
  at_ = buffer_.data() + size;
  end_ = buffer_.data() + buffer_.size();
}

RecordLine& RecordLine::string(std::string_view value) {
  static constexpr std::array<bool, 256> escaped = [] {
    std::array<bool, 256> all{};
    for (std::size_t c = 0; c < all.size(); ++c) all[c] = c < ' ' || c > '~' || c == '"' || c == '\\';
    return all;
  }();
  bool any = false;
  for (const char c : value) any |= escaped[static_cast<unsigned char>(c)];
  if (!any) {
    char* const at = room(value.size() + 2);
    *at = '"';
    std::memcpy(at + 1, value.data(), value.size());
    at[value.size() + 1] = '"';
    return to(at + value.size() + 2);
  }
  try {
    return raw(nlohmann::json(std::string(value)).dump());
  } catch (const nlohmann::json::type_error&) {
    refuse("", "a text that is to be written is not UTF-8: {}", in_quotes(value));
  }
}

RecordLine& RecordLine::values(const SharedValues& values) {
  raw("{");
  bool first = true;
  for (const auto& [name, value] : values) {
    if (!first) raw(",");
    first = false;
    string(name).raw(":").string(value);
  }
  return raw("}");
}

}  // namespace wormcast::io
