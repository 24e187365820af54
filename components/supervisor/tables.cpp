#include "components/supervisor/tables.hpp"

namespace lightrail {

namespace {
constexpr auto i64 = ColumnType::int64;
}  // namespace

TableSchema restarts_schema() {
  return {"restarts",
          {{"job", i64, "1", "0, 1, ... in the order of the scenario"},
           {"attempt", i64, "1", "that begins: 1, 2, ..."},
           {"cause", i64, "1", "what failed", {"gpu", "nic", "connection", "timeout"}},
           {"failed", i64, "1", "component that failed, of a connection and a timeout the GPU that said so"},
           {"servers", i64, "1", "that spares have taken the places of"},
           {"server", i64, "1", "the first of them; -1: none"},
           {"spare", i64, "1", "in its place; -1: none"},
           {"t_failed_ps", i64, "ps", "when it failed; of a connection and a timeout, when it was told"},
           {"t_halted_ps", i64, "ps", "when the job was stopped"},
           {"t_ready_ps", i64, "ps", "when its communicators were ready again"},
           {"t_loaded_ps", i64, "ps", "when the last GPU had read its checkpoint; -1: it did not"},
           {"t_back_ps", i64, "ps", "when the first step began on the last GPU; -1: it did not"},
           {"reached", i64, "1", "iteration that the furthest GPU was in when it was stopped"},
           {"iteration", i64, "1", "that the job goes on with; -1: it does not"},
           {"source", i64, "1", "where it has its state from", {"beginning", "storage", "memory"}}},
          "restarts of jobs"};
}

}  // namespace lightrail
