// What optimal plans can carry in plan and routes records: their front and their certificate.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "io/text/json_text.hpp"
#include "io/text/record_line.hpp"
#include "multicast/plan.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// Appends the halves of a certificate array, of which there is at least one. Throws InputError.
void read_certificate(const Value& array, const Topology& topology,
                      std::vector<HalfCertificate>& certificate);
/// The array; write only certificates that are not empty.
void write_certificate(const std::vector<HalfCertificate>& certificate, RecordLine& line);

/// The same for the front: an array of [longest_path_hops, traffic_channels], in plans [longest_path_hops,
/// traffic_channels, worms] where the worms are known; in routes there are none.
enum class FrontWorms : bool { none, known };
void read_front(const Value& array, const Topology& topology, FrontWorms worms,
                std::vector<FrontPoint>& front);
void write_front(const std::vector<FrontPoint>& front, FrontWorms worms, RecordLine& line);

}  // namespace wormcast::io
