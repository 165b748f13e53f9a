// What tt-npe makes of a trace or workload, for tests/check_npe.py --dump: one transfer a line.
//
//   dump trace|workload FILE
//
// prints network, source x and y, first and last corner of the destination (x y x y), bytes, and the links as
// x,y,NAME. Built in a checkout of tenstorrent/tt-npe, which brings the headers and the library:
//   g++ -std=c++20 -I tt_npe/cpp/include dump.cpp tt_npe/cpp/src/npeWorkload{,Ingest}.cpp -lfmt -lsimdjson
// with Boost 1.81 or newer, fmt 10 or newer and magic_enum.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstring>
#include <variant>

#include "ingestWorkload.hpp"
#include "npeDeviceModelFactory.hpp"

int main(int argc, char** argv) {
  using namespace tt_npe;
  if (argc != 3) return 2;
  const bool trace = std::strcmp(argv[1], "trace") == 0;
  const WormholeB0DeviceModel model;
  const auto workload = createWorkloadFromJSON(argv[2], "wormhole_b0", trace);
  if (!workload) return 2;
  constexpr const char* names[] = {"NOC1_NORTH", "NOC1_WEST", "NOC0_EAST", "NOC0_SOUTH"};
  for (const auto& phase : workload->getPhases())
    for (const auto& one : phase.transfers) {
      Coord first;
      Coord last;
      if (const auto* node = std::get_if<Coord>(&one.dst)) {
        first = last = *node;
      } else {
        const auto& box = std::get<MulticastCoordSet>(one.dst).coord_grids[0];
        first = box.start_coord;
        last = box.end_coord;
      }
      std::printf("%d %d %d %d %d %d %d %d", one.noc_type == nocType::NOC0 ? 0 : 1, one.src.col, one.src.row,
                  first.col, first.row, last.col, last.row, static_cast<int>(one.total_bytes));
      for (const auto link : model.route(one.noc_type, one.src, one.dst)) {
        const auto& attributes = model.getLinkAttributes(link);
        std::printf(" %d,%d,%s", attributes.coord.col, attributes.coord.row,
                    names[static_cast<int>(attributes.type)]);
      }
      std::printf("\n");
    }
}
