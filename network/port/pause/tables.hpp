#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/model/context.hpp"
#include "engine/model/table_schema.hpp"

namespace lightrail {

/// Their ids: places in components/built_in_tables.cpp, which holds the two against each other.
namespace tables {
inline constexpr TableId pause = 16, buffer = 17;
}

[[nodiscard]] TableSchema pause_schema();
[[nodiscard]] TableSchema buffer_schema();

/// Of a row of the pause table: who told whom.
enum class PauseWay : std::uint8_t { sent, received };

/// A row of the pause table: port * max_lanes + lane, pauses that began and how long they lasted in all.
void record_pauses(Context& context, std::size_t port_and_lane, PauseWay way, std::int64_t pauses,
                   SimTime paused);
/// A row of the buffer table [B].
void record_buffer(Context& context, std::int64_t port, std::int64_t lane, std::int64_t most,
                   std::int64_t most_headroom);

}  // namespace lightrail
