#include "app/cli/busy_cores.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace lightrail;

TEST_CASE("a run on free cores says nothing of them") {
  CHECK(busy_cores_text({20, 0.1}, 2, 10).empty());
  CHECK(busy_cores_text({}, 2, 10).empty());  // not known
}

TEST_CASE("ranks that get more than nine tenths of their time are no news") {
  CHECK(busy_cores_text({18.2, 1.8}, 2, 10).empty());
  CHECK_FALSE(busy_cores_text({17.8, 2.2}, 2, 10).empty());
}

TEST_CASE("less than half a second a rank is no news, whatever its share") {
  CHECK(busy_cores_text({0.5, 0.9}, 2, 0.7).empty());
  CHECK_FALSE(busy_cores_text({0.5, 1.1}, 2, 0.8).empty());
}

TEST_CASE("ranks on busy cores are told how many their time would be enough for") {
  // 12 s on cores in 10 s of wall time: those of 1.2 cores.
  CHECK(
      busy_cores_text({12, 8}, 2, 10) ==
      "busy cores       ranks ran 60 % of the time in which they could have; others had their cores for the "
      "rest: fewer ranks (mpiexec -n 1) may be faster\n");
  // Eight ranks on two cores, which slept for the 4 s that are in neither.
  CHECK(busy_cores_text({19, 57}, 8, 10).find("(mpiexec -n 2)") != std::string::npos);
}

TEST_CASE("no advice where as many ranks as there are would still be right") {
  // 16 s in 10 s of wall time: nearer to two cores than to one.
  CHECK(
      busy_cores_text({16, 4}, 2, 10) ==
      "busy cores       ranks ran 80 % of the time in which they could have; others had their cores for the "
      "rest\n");
  CHECK(busy_cores_text({5, 5}, 1, 10) ==
        "busy cores       the rank ran 50 % of the time in which it could have; others had its core for the "
        "rest\n");
}

TEST_CASE("a rank is left where others had nearly all of the time") {
  CHECK(busy_cores_text({2, 18}, 2, 10).find("(mpiexec -n 1)") != std::string::npos);
}
