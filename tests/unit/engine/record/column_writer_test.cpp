#include "engine/record/column_writer.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace lightrail;

TEST_CASE("slabs cover the new rows once, in order, and share no chunk") {
  for (std::int64_t begin :
       {std::int64_t{0}, std::int64_t{1}, chunk_rows - 1, chunk_rows, 5 * chunk_rows + 7})
    for (std::int64_t rows :
         {std::int64_t{0}, std::int64_t{1}, chunk_rows, 3 * chunk_rows + 5, 40 * chunk_rows})
      for (int writers : {1, 2, 3, 7}) {
        std::int64_t next = begin;
        for (int w = 0; w < writers; ++w) {
          Slab slab = slab_of(begin, begin + rows, w, writers);
          CHECK(slab.begin <= slab.end);
          if (slab.begin == slab.end) continue;
          CHECK(slab.begin == next);
          CHECK((slab.begin == begin || slab.begin % chunk_rows == 0));
          next = slab.end;
        }
        CHECK(next == begin + rows);
      }
}

TEST_CASE("many chunks are shared out evenly") {
  for (int w = 0; w < 4; ++w) {
    Slab slab = slab_of(0, 40 * chunk_rows, w, 4);
    CHECK(slab.end - slab.begin == 10 * chunk_rows);
  }
}
