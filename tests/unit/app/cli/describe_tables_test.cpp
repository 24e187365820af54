#include "app/cli/describe_tables.hpp"

#include <catch2/catch.hpp>

namespace lightrail {

TEST_CASE("a table is described with its columns, their units and labels, and when it is recorded") {
  TableRegistry tables;
  tables.add({"hits",
              {{"t_hit_ps", ColumnType::int64, "ps", "when"},
               {"stroke", ColumnType::int64, "1", "how", {"forehand", "backhand"}},
               {"player", ColumnType::name, "1", "who"}},
              "every hit",
              TableScope::all_endpoints});
  CHECK(tables_text(tables) ==
        "/tables/hits  every hit; recorded of all GPUs\n"
        "  t_hit_ps               ps           when\n"
        "  stroke                 number       how\n"
        "                                     one of forehand backhand\n"
        "  player                 name         who\n\n");
}

}  // namespace lightrail
