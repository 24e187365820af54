#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/model/context.hpp"
#include "engine/model/table_schema.hpp"

namespace lightrail {

/// Their ids: places in components/built_in_tables.cpp, which holds the two against each other.
namespace tables {
inline constexpr TableId pause = 16, buffer = 17, storms = 21;
}

[[nodiscard]] TableSchema pause_schema();
[[nodiscard]] TableSchema buffer_schema();
[[nodiscard]] TableSchema storms_schema();

/// Of a row of the pause table: who told whom.
enum class PauseWay : std::uint8_t { sent, received };

/// A row of the pause table; of a port and lane.
struct PauseUse {
  std::int64_t pauses = 0;  ///< that began
  SimTime paused{};         ///< how long they lasted in all
  SimTime longest{};        ///< of one
  /// One that began at `since` has ended, or the run has.
  void add(SimTime since, SimTime now) {
    paused += now - since;
    longest = std::max(longest, now - since);
  }
};
/// `port_and_lane`: port * max_lanes + lane.
void record_pauses(Context& context, std::size_t port_and_lane, PauseWay way, const PauseUse& use);
/// A row of the buffer table; port and lane -1: of all.
struct BufferUse {
  std::int64_t port = 0, lane = 0;
  std::int64_t most = 0, most_headroom = 0;      ///< [B]
  std::int64_t lost_trains = 0, lost_bytes = 0;  ///< control messages included
};
void record_buffer(Context& context, const BufferUse& use);
/// A row of the storms table.
struct Storm {
  SimTime began{}, lasted{};
  std::int64_t discarded = 0, discarded_bytes = 0;  ///< control messages included
  bool has_ended = false;
};
/// `port_and_lane`: port * max_lanes + lane.
void record_storm(Context& context, std::size_t port_and_lane, const Storm& storm);

}  // namespace lightrail
