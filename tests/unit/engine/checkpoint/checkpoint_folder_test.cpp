#include "engine/checkpoint/checkpoint_folder.hpp"

#include <catch2/catch.hpp>

#include "engine/base/error.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace lightrail;
using namespace lightrail::test;

TEST_CASE("the newest checkpoint of a folder has the largest number, and unfinished ones do not count") {
  const TemporaryFolder folder;
  for (const char* name : {"checkpoint-000009.lr", "checkpoint-1000000.lr", "checkpoint-000010.lr",
                           "checkpoint.unfinished", "checkpoint-x.lr", "checkpoint-.lr", "rows-ops.lr"})
    write_file(folder / name, "");
  CHECK(find_checkpoint(folder.path()) == folder / "checkpoint-1000000.lr");
  CHECK(find_checkpoint(folder / "checkpoint-000009.lr") == folder / "checkpoint-000009.lr");
  CHECK(checkpoint_number("a/checkpoint-000012.lr") == 12);
  CHECK(checkpoint_number("a/checkpoint-12x.lr") == -1);
  CHECK(checkpoint_number("a/checkpoint.unfinished") == -1);
}

TEST_CASE("a path that is no checkpoint and a folder without one are refused") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(find_checkpoint(folder.path()), Catch::Contains("the folder holds no checkpoint"));
  CHECK_THROWS_WITH(find_checkpoint(folder / "none"),
                    Catch::Contains("is neither a checkpoint nor a folder of checkpoints"));
}
