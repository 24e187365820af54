#pragma once
#include <cstdint>
#include <vector>

#include "engine/partition/partition.hpp"

namespace lightrail {

/// A rank's components in tiles: parts whose state fits a processor's cache and that only links of at least
/// `width` join. A tile can run for `width` before the next one has its turn, and no event goes astray.
struct Tiles {
  SimTime width = time_never;  ///< time_never: no link joins two tiles
  /// Components linked to other ranks come first: their tiles, and they in their tile; else ascending.
  std::vector<std::vector<ComponentId>> members;
};

/// The widest tiles whose components take at most `partition.tile_bytes` (0: no limit) each, and as few of
/// them as that allows; larger ones where that makes thousands of tiles of few components, one where nothing
/// is gained. Deterministic.
[[nodiscard]] Tiles make_tiles(const Model& model, const Partition& partition, int rank);

}  // namespace lightrail
