// Execution traces of Chakra: a file for each rank, of messages behind their lengths, metadata first.
//
// The fields are those of the published definition (schema/protobuf/et_def.proto of mlcommons/chakra). They
// are read by their wire format: libprotobuf knows no place in the file to name in an error, keeps fields of
// a wrong form as unknown ones, and is a library of 3 MB and a code generator for this reader alone. Fields
// that are not named here are passed over, as protobuf wants it.
//
// Nodes wait for those of their data_deps, as the feeders of Chakra and ASTRA-sim have it (ctrl_deps say who
// began whom). A collective moves data where it runs on the device: of PyTorch, the operator on the host that
// starts it is a node of the same type, with is_cpu_op. Who the root of a broadcast is, no attribute says:
// the first rank of its communicator. cite: Sridharan et al. 2023 (Chakra).
// SPDX-License-Identifier: MIT
#include "io/import/workloads/chakra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>

#include "io/import/json.hpp"
#include "io/import/text.hpp"
#include "io/import/workloads/protobuf.hpp"
#include "topology/error.hpp"

namespace wormcast::io {
namespace {

constexpr std::uint64_t most_bytes_sent = std::uint64_t{1} << 40;
constexpr std::uint64_t most_ranks = 1 << 20;
constexpr std::size_t most_nodes = std::size_t{1} << 20;

/// Fields of the messages Node, AttributeProto and IOInfo.
enum NodeField : std::uint32_t { node_id = 1, node_type = 3, data_deps = 5, inputs = 8, attributes = 10 };
enum AttributeField : std::uint32_t {
  attribute_name = 1,
  double_value = 3,
  first_integer = 7,
  text_value = 29
};

/// The order of CollectiveCommType.
constexpr std::array<Collective, 10> collective_types = {
    Collective::all_reduce,     Collective::reduce,    Collective::all_gather, Collective::gather,
    Collective::scatter,        Collective::broadcast, Collective::all_to_all, Collective::reduce_scatter,
    Collective::reduce_scatter, Collective::barrier};

/// What attributes say.
struct Attributes {
  bool on_host = false;
  std::optional<std::uint64_t> type, bytes, source, destination, tag;
  std::string communicator;
};

/// The value of an integer attribute: int32, int64, uint32, uint64, sint32, sint64 or bool.
std::uint64_t integer_value(ProtobufMessage& attribute, std::string_view name, std::uint64_t most) {
  constexpr std::array<std::uint32_t, 5> plain = {7, 9, 11, 13, 27};
  const std::uint32_t field = attribute.field();
  const bool zigzag = field == 15 || field == 17;
  if (!zigzag && std::find(plain.begin(), plain.end(), field) == plain.end())
    attribute.fail(name, fmt::format("its value is not an integer (field {})", field));
  std::uint64_t value = attribute.integer(name);
  if (zigzag && value % 2 != 0) attribute.fail(name, "a negative number");
  if (zigzag) value /= 2;
  if (value > most)
    attribute.fail(name, fmt::format("{} is not between 0 and {}", static_cast<std::int64_t>(value), most));
  return value;
}

struct Wanted {
  std::string_view name;
  std::optional<std::uint64_t> Attributes::*value;
  std::uint64_t most;
};
constexpr std::array<Wanted, 5> wanted_attributes = {
    {{"comm_type", &Attributes::type, collective_types.size() - 1},
     {"comm_size", &Attributes::bytes, most_bytes_sent},
     {"comm_src", &Attributes::source, most_ranks},
     {"comm_dst", &Attributes::destination, most_ranks},
     {"comm_tag", &Attributes::tag, UINT32_MAX}}};

void read_attribute(ProtobufMessage attribute, Attributes& said) {
  std::string_view name;
  while (attribute.next()) {
    if (attribute.field() == attribute_name) name = attribute.text("name");
    if (attribute.field() < double_value) continue;
    if (name == "is_cpu_op") said.on_host = integer_value(attribute, name, 1) != 0;
    if (name == "pg_name") {
      if (attribute.field() != text_value) attribute.fail(name, "its value is not a text");
      said.communicator = valid_utf8(attribute.text(name));
    }
    for (const Wanted& one : wanted_attributes)
      if (name == one.name) said.*one.value = integer_value(attribute, name, one.most);
  }
}

/// PyTorch's process groups: a text that holds a JSON array of objects with pg_name and ranks.
void read_groups(const ProtobufMessage& place, std::string_view text, std::vector<Communicator>& groups) {
  const std::size_t begin = text.find("[{");
  const std::size_t end = text.rfind("}]");
  if (text.find("\"pg_name\"") == std::string_view::npos || begin == std::string_view::npos ||
      end == std::string_view::npos || end < begin)
    return;
  try {
    JsonText json;
    json.parse(text.substr(begin, end + 2 - begin));
    json.root().each([&](const Value& object) {
      Communicator group;
      group.name = id_text(required_member(object, "pg_name"));
      required_member(object, "ranks").each([&](const Value& rank) {
        group.ranks.push_back(static_cast<std::uint32_t>(rank.integer(0, most_ranks)));
      });
      groups.push_back(std::move(group));
    });
  } catch (const InputError& error) {
    place.fail("pg_name", fmt::format("{} {}", error.field, error.what()));
  }
}

class Trace {
 public:
  Trace(const ImportFile& file, std::uint32_t rank) : file_(file), rank_(rank) {}

  ChakraTrace read() {
    std::size_t at = 0;
    ProtobufMessage metadata = ProtobufMessage::framed(file_, at);
    while (metadata.next()) {
    }
    while (at < file_.text.size()) read_node(ProtobufMessage::framed(file_, at));
    for (std::size_t i = 0; i < trace_.nodes.size(); ++i) resolve(trace_.nodes[i], deps_[i]);
    return std::move(trace_);
  }

 private:
  void read_node(ProtobufMessage message) {
    if (trace_.nodes.size() == most_nodes) message.fail("", fmt::format("more than {} nodes", most_nodes));
    ChakraNode node;
    node.byte = message.begin();
    std::uint64_t type = 0;
    Attributes said;
    std::vector<std::uint64_t> deps;
    std::string_view values;
    while (message.next()) {
      if (message.field() == node_id) node.id = message.integer("id");
      if (message.field() == node_type) type = message.integer("type");
      if (message.field() == data_deps)
        message.integers("data_deps", [&](std::uint64_t id) { deps.push_back(id); });
      if (message.field() == attributes) read_attribute(message.message("attr"), said);
      if (message.field() == inputs) {
        ProtobufMessage info = message.message("inputs");
        while (info.next())
          if (info.field() == 1) values = info.text("values");
      }
    }
    constexpr std::uint64_t metadata = 1;
    if (type == metadata) read_groups(message, values, trace_.communicators);
    settle(message, node, type, said);
    if (!places_.emplace(node.id, static_cast<std::uint32_t>(trace_.nodes.size())).second)
      message.fail("id", fmt::format("node {} appears twice", node.id));
    trace_.nodes.push_back(std::move(node));
    deps_.push_back(std::move(deps));
  }

  /// What the node does.
  void settle(const ProtobufMessage& message, ChakraNode& node, std::uint64_t type,
              const Attributes& said) const {
    constexpr std::uint64_t send = 5, collective = 7;  // and 6, receive
    if (type > collective)
      message.fail("type", fmt::format("node {} is of an unknown type, {}", node.id, type));
    if (type < send || said.on_host) return;
    const auto need = [&](const std::optional<std::uint64_t>& value, std::string_view name) {
      if (!value) message.fail(name, fmt::format("is missing in node {}", node.id));
      return *value;
    };
    node.tag = static_cast<std::uint32_t>(said.tag.value_or(0));
    if (type == collective) {
      node.type = ChakraNode::Type::collective;
      node.collective = collective_types[need(said.type, "comm_type")];
      node.bytes = node.collective == Collective::barrier ? 0 : need(said.bytes, "comm_size");
      node.communicator = said.communicator;
      return;
    }
    const bool sends = type == send;
    node.type = sends ? ChakraNode::Type::send : ChakraNode::Type::receive;
    node.bytes = need(said.bytes, "comm_size");
    const std::uint64_t here = (sends ? said.source : said.destination).value_or(rank_);
    node.peer = static_cast<std::uint32_t>(sends ? need(said.destination, "comm_dst")
                                                 : need(said.source, "comm_src"));
    if (here != rank_)
      message.fail(sends ? "comm_src" : "comm_dst",
                   fmt::format("rank {} in the trace of rank {}", here, rank_));
    if (node.peer == rank_)
      message.fail(sends ? "comm_dst" : "comm_src", fmt::format("rank {} sends to itself", rank_));
  }

  void resolve(ChakraNode& node, const std::vector<std::uint64_t>& deps) const {
    for (const std::uint64_t id : deps) {
      const auto place = places_.find(id);
      if (place == places_.end())
        ProtobufMessage(file_, node.byte, node.byte)
            .fail("data_deps",
                  fmt::format("node {} waits for node {}, which is not in the file", node.id, id));
      node.after.push_back(place->second);
    }
    std::sort(node.after.begin(), node.after.end());
    node.after.erase(std::unique(node.after.begin(), node.after.end()), node.after.end());
  }

  const ImportFile& file_;
  std::uint32_t rank_;
  ChakraTrace trace_;
  std::vector<std::vector<std::uint64_t>> deps_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;
};

}  // namespace

bool is_chakra(const ImportFile& file) {
  if (file.text.starts_with("\x1f\x8b"))
    throw InputError("", "compressed by gzip; decompress it first", file.name);
  if (file.name.ends_with(".et")) return true;
  const std::string_view head = std::string_view(file.text).substr(0, 64);
  const bool binary = std::any_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) < '\t' || (c > '\r' && c < ' ' && c > 0);
  });
  if (!binary) return false;
  try {
    std::size_t at = 0;
    ProtobufMessage metadata = ProtobufMessage::framed(file, at);
    while (metadata.next())
      if (metadata.field() > 2) return false;
    return true;
  } catch (const InputError&) {
    return false;
  }
}

ChakraTrace read_chakra(const ImportFile& file, std::uint32_t rank) { return Trace(file, rank).read(); }

}  // namespace wormcast::io
