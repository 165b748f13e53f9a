// Checks of the sizes a topology is asked for.
// SPDX-License-Identifier: MIT
#include "topology/sizes.hpp"

#include "topology/error.hpp"

namespace wormcast {

std::vector<std::uint32_t> checked_dims(const TopologySpec& spec, std::uint64_t least) {
  if (spec.sizes.empty()) throw InputError("dims", "a " + spec.family + " needs at least one dimension");
  if (spec.sizes.size() > 32)
    throw InputError("dims", std::to_string(spec.sizes.size()) + " dimensions, at most 32");
  std::uint64_t channel_ids = 2 * spec.sizes.size();
  std::vector<std::uint32_t> dims;
  for (std::size_t d = 0; d < spec.sizes.size(); ++d) {
    const std::uint64_t size = spec.sizes[d];
    const std::string place = "dims[" + std::to_string(d) + "]";
    if (size < least)
      throw InputError(place, "size " + std::to_string(size) + ", a " + spec.family + " needs at least " +
                                  std::to_string(least));
    if (size > max_channel_ids / channel_ids)
      throw InputError(place, "size " + std::to_string(size) + " makes more than " +
                                  std::to_string(max_channel_ids) + " channel ids");
    channel_ids *= size;
    dims.push_back(static_cast<std::uint32_t>(size));
  }
  return dims;
}

std::uint32_t checked_dimensions(const TopologySpec& spec, std::uint64_t least, std::uint64_t most) {
  if (spec.sizes.size() != 1)
    throw InputError("dimensions",
                     "a " + spec.family + " takes one number, not " + std::to_string(spec.sizes.size()));
  const std::uint64_t dimensions = spec.sizes[0];
  if (dimensions < least || dimensions > most)
    throw InputError("dimensions", std::to_string(dimensions) + " is not between " + std::to_string(least) +
                                       " and " + std::to_string(most));
  return static_cast<std::uint32_t>(dimensions);
}

std::string sizes_name(std::string_view family, std::span<const std::uint32_t> dims) {
  std::string name(family);
  char separator = '-';
  for (std::uint32_t size : dims) {
    name += separator + std::to_string(size);
    separator = 'x';
  }
  return name;
}

}  // namespace wormcast
