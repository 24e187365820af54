#include "workloads/import/nsight/sqlite_file.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"
#include "tests/unit/workloads/import/nsight_database.hpp"

using namespace lightrail;

TEST_CASE("columns that a table lacks are empty, a table that a file lacks has no rows, and a view is none") {
  TraceFolder folder;
  const std::string path = folder.path("x.sqlite");
  NsightDatabase(path)
      .run("CREATE TABLE a (n INTEGER, t TEXT)")
      .run("INSERT INTO a VALUES (7, 'seven')")
      .run("CREATE VIEW v AS SELECT 1 AS n");
  const SqliteFile file(path);
  int rows = 0;
  file.each("a", {"t", "n", "no such column"}, [&](const SqliteRow& row) {
    ++rows;
    CHECK(row.text(0) == "seven");
    CHECK(row.number(1) == 7);
    CHECK(!row.number(0));
    CHECK(!row.number(2));
    CHECK(row.bytes(0).empty());
  });
  for (const char* none : {"v", "b"}) file.each(none, {"n"}, [&](const SqliteRow&) { ++rows; });
  CHECK(rows == 1);
  CHECK(file.text_of("a", "n", "t", 7) == "seven");
  CHECK(file.text_of("a", "n", "t", 8).empty());
}

TEST_CASE("a file that only begins as SQLite's do is refused") {
  TraceFolder folder;
  const std::string path = folder.plain("x.sqlite", "SQLite format 3 and then nothing of the kind");
  CHECK(is_sqlite(path));
  CHECK(!is_sqlite(folder.plain("x.json", "{}")));
  CHECK_THROWS_WITH(SqliteFile(path), Catch::Contains("damaged SQLite file (file is not a database)"));
}
