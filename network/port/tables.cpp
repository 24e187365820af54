#include "network/port/tables.hpp"

#include <array>

#include "network/wire/phase.hpp"

namespace lightrail {

namespace {
constexpr auto i64 = ColumnType::int64;
}  // namespace

TableSchema link_use_schema() {
  return {"link_use",
          {{"link", i64, "1", "directed link id"},
           {"interval", i64, "1", "number of the recording interval"},
           {"size_bytes", i64, "B", "payload put on the link in the interval"},
           {"t_busy_ps", i64, "ps", "serialisation time in the interval"}},
          "use of every directed link"};
}

TableSchema link_traffic_schema() {
  return {"link_traffic",
          {{"link", i64, "1", "directed link id"},
           {"interval", i64, "1", "number of the recording interval"},
           {"group", i64, "1", "group kind whose traffic it is; -1: of no group (storage, hosts, inference)"},
           {"traffic", i64, "1", "kind of connection", phase_labels()},
           {"size_bytes", i64, "B", "payload put on the link in the interval"},
           {"t_busy_ps", i64, "ps", "serialisation time in the interval"}},
          "use of every directed link by kind of traffic; adds up to link_use",
          TableScope::system,
          true};
}

TableSchema queue_schema() {
  return {"queue",
          {{"port", i64, "1", "output port"},
           {"lane", i64, "1", "virtual lane"},
           {"max_bytes", i64, "B", "largest backlog"},
           {"t_wait_ps", i64, "ps", "total wait of trains for the port or for credits"}},
          "backlog of output ports, totals of the run"};
}

TableSchema power_schema() {
  return {"power",
          {{"t_active_ps", i64, "ps", "time busy; of a GPU: with a kernel or communication"},
           {"energy_pj", ColumnType::float64, "pJ", "energy of the run"}},
          "energy by component"};
}

TableSchema ecn_schema() {
  return {"ecn",
          {{"port", i64, "1", "output port"},
           {"lane", i64, "1", "class, a virtual lane"},
           {"packets", i64, "1", "payload packets that left by it"},
           {"marked_packets", i64, "1", "those that the switch marked"}},
          "marks of Ethernet switches (ECN), totals of the run"};
}

void record_marks(Context& context, std::int64_t port, std::int64_t lane, std::int64_t seen,
                  std::int64_t marked) {
  const std::array<std::int64_t, 4> row{port, lane, seen, marked};
  context.record(tables::ecn, row);
}

TableSchema trim_schema() {
  return {"trim",
          {{"port", i64, "1", "output port"},
           {"lane", i64, "1", "class, a virtual lane"},
           {"packets", i64, "1", "packets that went on without their payload"},
           {"cut_bytes", i64, "B", "payload of them"}},
          "packets that Ethernet switches have trimmed, totals of the run"};
}

void record_trims(Context& context, std::int64_t port, std::int64_t lane, std::int64_t packets,
                  std::int64_t bytes) {
  const std::array<std::int64_t, 4> row{port, lane, packets, bytes};
  context.record(tables::trim, row);
}

}  // namespace lightrail
