#include "network/port/pause/tables.hpp"

#include <array>

#include "network/wire/frame.hpp"

namespace lightrail {

namespace {
constexpr auto i64 = ColumnType::int64;
}  // namespace

TableSchema pause_schema() {
  return {"pause",
          {{"port", i64, "1", "port"},
           {"lane", i64, "1", "class, a virtual lane"},
           {"way", i64, "1", "whether the port told the far end to stop, or was told", {"sent", "received"}},
           {"pauses", i64, "1", "pauses that began, renewals not counted"},
           {"t_paused_ps", i64, "ps", "from stop to go, of all of them"},
           {"t_longest_ps", i64, "ps", "of the longest one; to the end of the run, if it lasts so long"}},
          "pauses (PFC) by port and class, totals of the run"};
}

TableSchema buffer_schema() {
  return {"buffer",
          {{"port", i64, "1", "port that the packets came in on; -1: all ports and classes at once"},
           {"lane", i64, "1", "class, a virtual lane; -1: all"},
           {"max_bytes", i64, "B", "most that was held, headroom included"},
           {"max_headroom_bytes", i64, "B", "most that the headroom held"},
           {"lost", i64, "1", "trains and control messages that found no room"},
           {"lost_bytes", i64, "B", "bytes of them"}},
          "use of a memory that all ports share, totals of the run"};
}

TableSchema storms_schema() {
  return {"storms",
          {{"port", i64, "1", "output port"},
           {"lane", i64, "1", "class, a virtual lane"},
           {"t_start_ps", i64, "ps", "when it was detected"},
           {"t_storm_ps", i64, "ps", "how long it lasted from then on, to the end of the run at most"},
           {"has_ended", i64, "1", "1: before the run"},
           {"discarded", i64, "1", "trains and control messages that were thrown away"},
           {"discarded_bytes", i64, "B", "bytes of them"}},
          "pauses that a switch's watchdog took for a storm"};
}

void record_pauses(Context& context, std::size_t port_and_lane, PauseWay way, const PauseUse& use) {
  const std::array<std::int64_t, 6> row{static_cast<std::int64_t>(port_and_lane / max_lanes),
                                        static_cast<std::int64_t>(port_and_lane % max_lanes),
                                        static_cast<std::int64_t>(way),
                                        use.pauses,
                                        use.paused.count(),
                                        use.longest.count()};
  context.record(tables::pause, row);
}

void record_storm(Context& context, std::size_t port_and_lane, const Storm& storm) {
  const std::array<std::int64_t, 7> row{static_cast<std::int64_t>(port_and_lane / max_lanes),
                                        static_cast<std::int64_t>(port_and_lane % max_lanes),
                                        storm.began.count(),
                                        storm.lasted.count(),
                                        storm.has_ended ? 1 : 0,
                                        storm.discarded,
                                        storm.discarded_bytes};
  context.record_at(storm.began, tables::storms, row);
}

void record_buffer(Context& context, const BufferUse& use) {
  const std::array<std::int64_t, 6> row{use.port,          use.lane,        use.most,
                                        use.most_headroom, use.lost_trains, use.lost_bytes};
  context.record(tables::buffer, row);
}

}  // namespace lightrail
