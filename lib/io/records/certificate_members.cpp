// Codec of fronts, and of certificates: one object for each half.
// SPDX-License-Identifier: MIT
#include "io/records/certificate_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "io/records/worm_members.hpp"
#include "io/text/members.hpp"

namespace wormcast::io {
namespace {

constexpr std::array<Member, 6> half_members = {
    {{"half"}, {"ports"}, {"port_rents"}, {"prices"}, {"rents"}, {"crowd", false}}};
constexpr std::array<std::string_view, 3> parts = {"up", "down", "all"};  // as in CertifiedPart
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
    case 0: {
      const auto found = std::find(parts.begin(), parts.end(), value.text());
      if (found == parts.end())
        value.fail(fmt::format("{} is neither \"up\" nor \"down\" nor \"all\"", value.shown()));
      half.part = static_cast<CertifiedPart>(found - parts.begin());
      break;
    }
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
    case 4:
      read_values(value, half.rents);
      break;
    default:
      read_values(value, half.crowd);
      break;
  }
}

}  // namespace

void read_certificate(const Value& array, const Topology& topology,
                      std::vector<HalfCertificate>& certificate) {
  array.each([&](const Value& value) {
    HalfCertificate& half = certificate.emplace_back();
    read_members<half_members>(
        value, [&](int member, const Value& v) { read_half_member(member, v, topology, half); });
  });
  if (certificate.empty()) array.fail("a certificate has a part; without one it is left out");
}

void write_certificate(const std::vector<HalfCertificate>& certificate, RecordLine& line) {
  line.key("certificate").array(certificate, [&](const HalfCertificate& half) {
    line.raw("{").key("half").string(parts[static_cast<std::size_t>(half.part)]);
    line.key("ports").array(half.ports, [&](PortId port) { line.number(port.value); });
    write_values("port_rents", half.port_rents, line);
    write_values("prices", half.prices, line);
    write_values("rents", half.rents, line);
    if (!half.crowd.empty()) write_values("crowd", half.crowd, line);
    line.raw("}");
  });
}

void read_front(const Value& array, const Topology& topology, FrontWorms worms,
                std::vector<FrontPoint>& front) {
  array.each([&](const Value& value) {
    FrontPoint& point = front.emplace_back();
    std::size_t count = 0;
    value.each([&](const Value& part) {
      if (count == 0)
        point.longest_path_hops = part.integer(0);
      else if (count == 1)
        point.traffic_channels = part.integer(0);
      else if (count == 2 && worms == FrontWorms::known)
        read_plan_worms(part, topology, point.worms);
      else
        part.fail("a point of the front has no more parts");
      ++count;
    });
    if (count < 2) value.fail("a point of the front begins with longest_path_hops and traffic_channels");
  });
}

void write_front(const std::vector<FrontPoint>& front, FrontWorms worms, RecordLine& line) {
  line.key("front").array(front, [&](const FrontPoint& point) {
    line.raw("[").number(point.longest_path_hops).raw(",").number(point.traffic_channels);
    if (worms == FrontWorms::known && !point.worms.empty()) write_plan_worms(point.worms, line.raw(","));
    line.raw("]");
  });
}

}  // namespace wormcast::io
