// The certificate inside plan and routes records.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "io/record_line.hpp"
#include "io/tape.hpp"
#include "multicast/certificate.hpp"
#include "topology/topology.hpp"

namespace wormcast::io {

/// Appends the halves of a certificate array.
void read_certificate(const Value& array, const Topology& topology,
                      std::vector<HalfCertificate>& certificate);
/// The array; write only certificates that are not empty.
void write_certificate(const std::vector<HalfCertificate>& certificate, RecordLine& line);

}  // namespace wormcast::io
