#include "network/transport/tables.hpp"

#include <array>

namespace lightrail {

namespace {
constexpr auto i64 = ColumnType::int64;
}  // namespace

TableSchema messages_schema() {
  return {"messages",
          {{"from", i64, "1", "sending endpoint"},
           {"to", i64, "1", "receiving endpoint"},
           {"connection", i64, "1", "group kind, channel, phase: 8 bits each"},
           {"size_bytes", i64, "B", "payload"},
           {"t_start_ps", i64, "ps", "first byte at the receiver"},
           {"t_end_ps", i64, "ps", "last byte at the receiver"}},
          "messages between endpoints, at the receiver",
          TableScope::first_endpoints};
}

TableSchema traffic_schema() {
  return {"traffic",
          {{"gpu", i64, "1", "sending endpoint"},
           {"dimension", i64, "1", "index into /summary dimensions"},
           {"size_bytes", i64, "B", "payload sent"},
           {"messages", i64, "1", "messages sent"}},
          "payload by parallel dimension",
          TableScope::all_endpoints};
}

TableSchema traffic_matrix_schema() {
  return {"traffic_matrix",
          {{"from", i64, "1", "sending endpoint"},
           {"to", i64, "1", "receiving endpoint"},
           {"size_bytes", i64, "B", "payload"}},
          "payload between endpoints, totals of the run, for recorded GPUs",
          TableScope::first_endpoints};
}

TableSchema discarded_schema() {
  return {"discarded",
          {{"where", i64, "1", "where it was", {"sender", "network", "arrival", "receiver"}},
           {"size_bytes", i64, "B", "payload on the wire"}},
          "what was under way of jobs that were stopped, by who threw it away, totals of the run"};
}

TableSchema recalled_schema() {
  return {"recalled",
          {{"outcome",
            i64,
            "1",
            "what became of them",
            {"recalled", "first", "beside", "apart", "busy", "unlike", "full"}},
           {"collectives", i64, "1", "collectives of groups that have their NVLinks for themselves"}},
          "collectives that went as one before them, and why others were simulated; by NVSwitch, and by the "
          "first GPU of a group where its program decides it"};
}

void record_recalled(Context& context, RecallOutcome outcome, std::int64_t collectives) {
  if (collectives == 0) return;
  const std::array<std::int64_t, 2> row{static_cast<std::int64_t>(outcome), collectives};
  context.record(tables::recalled, row);
}

TableSchema repair_schema() {
  return {"repair",
          {{"lane", i64, "1", "class, a virtual lane that is not lossless"},
           {"sent", i64, "1", "trains and control messages of it that the NIC sent the first time"},
           {"repeated", i64, "1", "that it sent again, each time"},
           {"repeated_bytes", i64, "B", "bytes of these"},
           {"timeouts", i64, "1", "of flows that were not acknowledged in time"},
           {"discarded", i64, "1", "that it received out of order or twice"},
           {"discarded_bytes", i64, "B", "bytes of these"}},
          "repair of losses by NIC and class, totals of the run"};
}

void record_repairs(Context& context, const RepairCounts& counts) {
  const std::array<std::int64_t, 7> row{counts.lane,           counts.sent,     counts.repeated,
                                        counts.repeated_bytes, counts.timeouts, counts.discarded,
                                        counts.discarded_bytes};
  context.record(tables::repair, row);
}

}  // namespace lightrail
