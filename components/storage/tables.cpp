#include "components/storage/tables.hpp"

namespace lightrail {

namespace {
constexpr auto i64 = ColumnType::int64;
}  // namespace

TableSchema storage_schema() {
  return {"storage",
          {{"from", i64, "1", "requesting endpoint"},
           {"is_write", i64, "1", "0 read, 1 write"},
           {"size_bytes", i64, "B", ""},
           {"t_start_ps", i64, "ps", "request at the server"},
           {"t_end_ps", i64, "ps", "last byte to or from the drives"}},
          "requests at storage servers"};
}

}  // namespace lightrail
