// Service levels as OpenSM, ibdiagnet and saquery write them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/import/fabrics/cabling.hpp"
#include "io/import/format.hpp"
#include "io/import/text.hpp"

namespace wormcast::io {

inline constexpr std::uint64_t max_lid = 0xffff;
inline constexpr std::uint64_t first_multicast_lid = 0xc000;
inline constexpr std::uint64_t max_switch_port = 255;

/// A subnet as its list describes it, with the tables that the other files fill.
struct Subnet {
  Cabling cabling;
  std::map<std::uint64_t, Cabling::Port> ports_of_lid;  ///< of hosts
  std::map<std::uint64_t, HostId> host_of_lid;          ///< of these, where a cable leads to a switch
  std::set<std::uint64_t> switch_lids;
  std::set<std::string> host_guids;      ///< of hosts and of their ports
  std::set<std::uint64_t> unknown_lids;  ///< met in tables, and of no node
  std::vector<RouterTable> tables;       ///< by router
};

/// `Switch 0x…, base LID 2, "name"`, then `in out : 16 VLs`; or ibdiagnet's `guid in out 0x(sl0)(sl1) …`.
bool is_sl2vl(const ImportFile& file);
/// `nodeguid dlid sl`, the LID decimal; or what `saquery PR` prints.
bool is_path_levels(const ImportFile& file);
/// What `saquery -g` prints.
bool is_group_records(const ImportFile& file);

/// Reads such files of one subnet, whose unicast and multicast tables are complete by then. Each throws
/// InputError with file and line.
class LevelReader {
 public:
  explicit LevelReader(Subnet& subnet);

  void read_sl2vl(const ImportFile& file);
  void read_path_levels(const ImportFile& file);
  void read_group_records(const ImportFile& file);
  /// Completes the tables, after all files: throws InputError where a switch, a route or a group is left out.
  void finish(TopologySpec& spec);
  /// The groups that the records' MGIDs have in the tables.
  const std::map<std::string, std::string>& mgids() const { return mgids_; }

 private:
  using Links = std::pair<TableHop, TableHop>;  ///< by which a message comes and leaves
  using Hosts = std::pair<HostId, HostId>;      ///< source and destination
  /// A file with the number of its last line, where what is missing is said to be missing.
  struct End {
    const ImportFile* file = nullptr;
    std::uint64_t line = 0;
  };

  void add_row(std::optional<std::uint32_t> node, std::uint64_t in, std::uint64_t out, const LevelVcs& vcs,
               const ImportLines& lines);
  void read_opensm_rows(ImportLines& lines);
  void read_ibdiagnet_rows(ImportLines& lines);
  void read_level_lines(ImportLines& lines);
  void read_path_records(ImportLines& lines);
  void add_path(HostId source, std::uint64_t destination_lid, std::uint64_t level, const ImportLines& lines);
  /// The switch, nothing for a host or its port.
  std::optional<std::uint32_t> switch_of(std::string_view guid, const ImportLines& lines) const;
  void require_all_rows() const;
  void require_all_paths() const;
  void write_sl2vl(RouterTable& table) const;
  void write_path_levels();
  void write_group_levels();

  Subnet& subnet_;
  std::map<std::uint32_t, std::vector<HostId>> hosts_of_node_;
  std::map<std::uint32_t, std::map<Links, LevelVcs>> rows_;  ///< by router
  std::set<std::pair<std::uint32_t, Links>> rows_of_file_;   ///< by router; several files may say the same
  std::map<Hosts, std::uint8_t> levels_;
  std::map<std::uint64_t, std::uint8_t> group_levels_;  ///< by multicast LID
  std::map<std::string, std::string> mgids_;
  End sl2vl_, paths_, groups_;
};

}  // namespace wormcast::io
