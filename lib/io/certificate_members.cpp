// Codec of fronts, and of certificates: one object for each half.
// SPDX-License-Identifier: MIT
#include "io/certificate_members.hpp"

#include <fmt/format.h>

#include <array>

#include "io/members.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<Member, 5> half_members = {{{"half"}, {"ports"}, {"port_rents"}, {"prices"}, {"rents"}}};
/// Far above any sum of hops, and small enough that sums of 2^28 of them do not overflow.
constexpr std::uint64_t most = (std::uint64_t{1} << 34) - 1;

void read_values(const Value& array, std::vector<std::uint64_t>& values) {
  array.each([&](const Value& value) { values.push_back(value.integer(0, most)); });
}

void write_values(const char* key, const std::vector<std::uint64_t>& values, RecordLine& line) {
  line.key(key).array(values, [&](std::uint64_t value) { line.number(value); });
}

void read_half_member(int member, const Value& value, const Topology& topology, HalfCertificate& half) {
  switch (member) {
    case 0:
      if (value.text() != "up" && value.text() != "down")
        value.fail(fmt::format("{} is neither \"up\" nor \"down\"", value.shown()));
      half.up = value.text() == "up";
      break;
    case 1:
      value.each([&](const Value& port) {
        half.ports.push_back(PortId{static_cast<std::uint32_t>(port.integer(0, topology.ports() - 1))});
      });
      break;
    case 2:
      read_values(value, half.port_rents);
      break;
    case 3:
      read_values(value, half.prices);
      break;
    default:
      read_values(value, half.rents);
      break;
  }
}

}  // namespace

void read_certificate(const Value& array, const Topology& topology,
                      std::vector<HalfCertificate>& certificate) {
  array.each([&](const Value& value) {
    HalfCertificate& half = certificate.emplace_back();
    read_members(value, half_members,
                 [&](int member, const Value& v) { read_half_member(member, v, topology, half); });
  });
}

void write_certificate(const std::vector<HalfCertificate>& certificate, RecordLine& line) {
  line.key("certificate").array(certificate, [&](const HalfCertificate& half) {
    line.raw("{").key("half").string(half.up ? "up" : "down");
    line.key("ports").array(half.ports, [&](PortId port) { line.number(port.value); });
    write_values("port_rents", half.port_rents, line);
    write_values("prices", half.prices, line);
    write_values("rents", half.rents, line);
    line.raw("}");
  });
}

void read_front(const Value& array, std::vector<FrontPoint>& front) {
  array.each([&](const Value& point) {
    std::vector<std::uint64_t> pair;
    point.each([&](const Value& value) { pair.push_back(value.integer(0)); });
    if (pair.size() != 2) point.fail("a point of the front is [longest_path_hops, traffic_channels]");
    front.push_back({pair[0], pair[1]});
  });
}

void write_front(const std::vector<FrontPoint>& front, RecordLine& line) {
  line.key("front").array(front, [&](const FrontPoint& point) {
    line.raw("[").number(point.longest_path_hops).raw(",").number(point.traffic_channels).raw("]");
  });
}

}  // namespace wormcast::io
