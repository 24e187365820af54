#include "components/ocs/tables.hpp"

namespace lightrail {

namespace {
constexpr auto i64 = ColumnType::int64;
}  // namespace

TableSchema ocs_schema() {
  return {"ocs",
          {{"port_in", i64, "1", ""},
           {"port_out", i64, "1", "-1: dark"},
           {"t_start_ps", i64, "ps", "light from"},
           {"t_end_ps", i64, "ps", "light until; -1: end of run"},
           {"size_bytes", i64, "B", "payload carried"},
           {"lost_bytes", i64, "B", "payload that met darkness"}},
          "circuits of optical switches"};
}

}  // namespace lightrail
