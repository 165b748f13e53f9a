// From the events of libyaml to a tree.
//
// libyaml (a C library, so that it links with every C++ standard library) gives events with their lines;
// whatever is refused is refused before memory for it is taken. cite: YAML 1.1; libyaml, yaml.h.
// SPDX-License-Identifier: MIT
#include "io/import/yaml.hpp"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <charconv>
#include <new>
#include <utility>

#include "io/import/text.hpp"
#include "topology/error.hpp"
#include "topology/suggestion.hpp"

namespace wormcast::io {
namespace {

constexpr std::size_t most_yaml_levels = 32;
constexpr std::size_t most_yaml_values = std::size_t{1} << 20;

class YamlReader {
 public:
  explicit YamlReader(const ImportFile& file) : file_(file) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(file.text.data()),
                                 file.text.size());
  }
  ~YamlReader() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  YamlValue read() {
    next();  // the stream's start
    next();
    if (event_.type == YAML_STREAM_END_EVENT) fail_import(file_, 1, "yaml", "the file is empty");
    next();
    YamlValue root = value(0);
    next();  // the document's end
    next();
    if (event_.type != YAML_STREAM_END_EVENT) fail("more than one document");
    return root;
  }

 private:
  std::uint64_t line() const { return event_.start_mark.line + 1; }
  [[noreturn]] void fail(const std::string& message) const { fail_import(file_, line(), "yaml", message); }

  void next() {
    yaml_event_delete(&event_);
    event_ = yaml_event_t{};
    if (yaml_parser_parse(&parser_, &event_) != 0) return;
    const std::size_t at = std::max(parser_.problem_mark.line, parser_.context_mark.line) + 1;
    fail_import(file_, at, "yaml",
                valid_utf8(parser_.problem == nullptr ? "cannot be read" : parser_.problem));
  }

  std::string scalar() const {
    return valid_utf8({reinterpret_cast<const char*>(event_.data.scalar.value), event_.data.scalar.length});
  }

  /// The value that begins with the current event; ends with the last event of it.
  YamlValue value(std::size_t level) {
    if (level > most_yaml_levels) fail(fmt::format("more than {} levels", most_yaml_levels));
    if (++values_ > most_yaml_values) fail(fmt::format("more than {} values", most_yaml_values));
    YamlValue read;
    read.line = line();
    read.file = &file_;
    switch (event_.type) {
      case YAML_SCALAR_EVENT:
        read.text = scalar();
        read.quoted = event_.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        return read;
      case YAML_SEQUENCE_START_EVENT:
        read.kind = YamlValue::Kind::list;
        for (next(); event_.type != YAML_SEQUENCE_END_EVENT; next()) read.items.push_back(value(level + 1));
        return read;
      case YAML_MAPPING_START_EVENT:
        read.kind = YamlValue::Kind::map;
        for (next(); event_.type != YAML_MAPPING_END_EVENT; next())
          read.members.push_back(member(level, read));
        return read;
      case YAML_ALIAS_EVENT:
        fail(fmt::format("alias *{}: aliases are not read",
                         valid_utf8(reinterpret_cast<const char*>(event_.data.alias.anchor))));
      default:
        fail("a value is missing");
    }
  }

  YamlMember member(std::size_t level, const YamlValue& map) {
    if (event_.type == YAML_ALIAS_EVENT) value(level + 1);
    if (event_.type != YAML_SCALAR_EVENT) fail("a key that is not a scalar");
    std::string key = scalar();
    if (map.members.size() >= 256) fail("a map of more than 256 keys");  // so twice is found by looking
    for (const auto& [known, value] : map.members)
      if (known == key) fail(fmt::format("key '{}' appears twice, first on line {}", key, value.line));
    next();
    return {std::move(key), value(level + 1)};
  }

  const ImportFile& file_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  std::size_t values_ = 0;
};

}  // namespace

YamlValue read_yaml(const ImportFile& file) { return YamlReader(file).read(); }

void YamlValue::fail(std::string_view field, const std::string& message) const {
  fail_import(*file, line, std::string(field), message);
}

const YamlValue* YamlValue::find(std::string_view key) const {
  for (const auto& [name, value] : members)
    if (name == key) return value.empty() ? nullptr : &value;
  return nullptr;
}

const YamlValue& YamlValue::at(std::string_view key, std::string_view field) const {
  if (const YamlValue* found = find(key)) return *found;
  fail(field, fmt::format("'{}' is missing", key));
}

void YamlValue::expect_keys(std::string_view field, std::initializer_list<std::string_view> known) const {
  if (kind != Kind::map) fail(field, "not a map");
  for (const auto& [key, value] : members)
    if (std::find(known.begin(), known.end(), key) == known.end())
      value.fail(field, unknown_name_message("key", key, std::vector<std::string_view>(known)));
}

const std::vector<YamlValue>& YamlValue::list(std::string_view field) const {
  if (kind != Kind::list) fail(field, "not a list");
  return items;
}

const std::string& YamlValue::name(std::string_view field) const {
  if (kind != Kind::scalar || text.empty()) fail(field, "not a name");
  if (text.find("${") != std::string::npos)
    fail(field, fmt::format("'{}' is an expression, which only floogen computes", text));
  return text;
}

bool YamlValue::boolean(std::string_view field) const {
  if (kind == Kind::scalar && !quoted) {
    for (const std::string_view yes : {"true", "True", "TRUE", "yes", "on"})
      if (text == yes) return true;
    for (const std::string_view no : {"false", "False", "FALSE", "no", "off"})
      if (text == no) return false;
  }
  fail(field, "neither true nor false");
}

std::uint64_t YamlValue::number(std::string_view field, std::uint64_t most) const {
  std::string digits = name(field);
  std::erase(digits, '_');
  int base = 10;
  for (const auto& [prefix, its] : {std::pair{"0x", 16}, {"0X", 16}, {"0o", 8}, {"0b", 2}})
    if (digits.starts_with(prefix)) base = its;
  std::uint64_t value = 0;
  const char* const begin = digits.data() + (base == 10 ? 0 : 2);
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(begin, end, value, base);
  if (error != std::errc{} || at != end || value > most)
    fail(field, fmt::format("'{}' is not a whole number up to {}", text, most));
  return value;
}

std::int64_t YamlValue::integer(std::string_view field, std::int64_t least, std::int64_t most) const {
  if (kind != Kind::scalar || !text.starts_with('-')) {
    const std::uint64_t value = number(field, static_cast<std::uint64_t>(most));
    if (static_cast<std::int64_t>(value) >= least) return static_cast<std::int64_t>(value);
  } else if (const auto value = whole_number(std::string_view(text).substr(1));
             value && *value <= static_cast<std::uint64_t>(-least)) {
    return -static_cast<std::int64_t>(*value);
  }
  fail(field, fmt::format("'{}' is not a whole number from {} to {}", text, least, most));
}

}  // namespace wormcast::io
