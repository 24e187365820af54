#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/trace/trace_columns.hpp"

using namespace lightrail;
using test::refusal;
using test::TemporaryFolder;
using Numbers = std::vector<std::int64_t>;

TEST_CASE("columns of numbers, reals and texts are read back as they were written") {
  const TemporaryFolder folder;
  const Numbers numbers{0, -1, std::numeric_limits<std::int64_t>::max()};
  const std::vector<double> reals{0.25, -1e300};
  const std::vector<std::string> texts{"", "a", "a longer one"};
  {
    TraceWriter out(folder / "t.h5");
    out.attribute("schema", "x");
    out.attribute("nothing", "");
    out.attribute("count", std::int64_t{-7});
    out.group("/g");
    out.numbers("/g/numbers", numbers, "ps");
    out.numbers("/none", {});
    out.reals("/reals", reals);
    out.texts("/texts", texts);
    out.texts("/no_texts", {});
    out.close();
  }
  const TraceReader in(folder / "t.h5");
  CHECK(in.text_attribute("schema") == "x");
  CHECK(in.text_attribute("nothing") == "");
  CHECK(in.number_attribute("count") == -7);
  CHECK(in.numbers("/g/numbers") == numbers);
  CHECK(in.numbers("/none").empty());
  CHECK(in.reals("/reals") == reals);
  CHECK(in.texts("/texts") == texts);
  CHECK(in.texts("/no_texts").empty());
}

TEST_CASE("a column that grows holds every row, also past what it keeps in memory") {
  const TemporaryFolder folder;
  constexpr std::int64_t rows = 65'536 + 3;
  {
    TraceWriter out(folder / "t.h5");
    const std::size_t first = out.column("/first", "1"), second = out.column("/second", "B");
    for (std::int64_t i = 0; i < rows; ++i) {
      out.append(first, i);
      if (i % 2 == 0) out.append(second, -i);
    }
    out.close();
  }
  const TraceReader in(folder / "t.h5");
  const Numbers first = in.numbers("/first"), second = in.numbers("/second");
  REQUIRE(first.size() == rows);
  CHECK(first.front() == 0);
  CHECK(first[65'535] == 65'535);
  CHECK(first.back() == rows - 1);
  REQUIRE(second.size() == (rows + 1) / 2);
  CHECK(second.back() == -(rows - 1));
}

TEST_CASE("rows are taken back from memory and from the file") {
  const TemporaryFolder folder;
  {
    TraceWriter out(folder / "t.h5");
    const std::size_t column = out.column("/c", "1");
    for (std::int64_t i = 0; i < 65'540; ++i) out.append(column, i);
    out.drop_last(column, 0);
    out.drop_last(column, 2);   // of the four in memory
    out.drop_last(column, 10);  // the other two, and eight that are in the file
    out.append(column, 77);
    out.close();
  }
  const Numbers column = TraceReader(folder / "t.h5").numbers("/c");
  REQUIRE(column.size() == 65'529);
  CHECK(column[65'527] == 65'527);
  CHECK(column.back() == 77);
}

TEST_CASE("a file that cannot be made is an input or output error with its path") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(TraceWriter(folder / "missing/t.h5"), IoError);
  CHECK_THROWS_WITH(TraceWriter(folder / "missing/t.h5"),
                    Catch::StartsWith((folder / "missing/t.h5") + ": cannot write trace ("));
}

TEST_CASE("what is not in the file, or of another kind, is refused with its name") {
  const TemporaryFolder folder;
  {
    TraceWriter out(folder / "t.h5");
    out.attribute("text", "x");
    out.numbers("/numbers", {1, 2});
    out.texts("/texts", {"a"});
    out.close();
  }
  const TraceReader in(folder / "t.h5");
  CHECK(in.text_attribute("missing") == "");
  CHECK(refusal([&] { (void)in.number_attribute("missing"); }) == "lacks the attribute @missing");
  CHECK(refusal([&] { (void)in.number_attribute("text"); }) == "lacks the attribute @text");
  CHECK(refusal([&] { (void)in.numbers("/missing"); }) == "lacks /missing");
  CHECK(refusal([&] { (void)in.texts("/missing"); }) == "lacks /missing");
  CHECK(refusal([&] { (void)in.texts("/numbers"); }) == "/numbers is not text of fixed length");
  CHECK_THAT(refusal([&] { (void)in.numbers("/texts"); }), Catch::StartsWith("/texts cannot be read ("));
  CHECK_THAT(refusal([&] { (void)in.reals("/texts"); }), Catch::StartsWith("/texts cannot be read ("));
}

TEST_CASE("a trace that is not there, or a folder, is refused") {
  const TemporaryFolder folder;
  CHECK(refusal([&] { TraceReader(folder / "none.h5"); }) == "cannot read trace (no such file)");
  CHECK(refusal([&] { TraceReader(folder.path()); }) == "cannot read trace (no such file)");
}
