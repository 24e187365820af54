#include "workloads/goodput/spare_pool.hpp"

#include <catch2/catch.hpp>

#include <optional>

#include "tests/unit/workloads/goodput/small_job.hpp"

using namespace lightrail;

TEST_CASE("without a plan a spare is always there") {
  SparePool pool(std::nullopt);
  for (int i = 0; i < 5; ++i) CHECK(pool.replace(i * one_second) == i * one_second);
}

TEST_CASE("spares take the places of failed servers until none is left, then repairs do in their order") {
  SparePool pool(SparesPlan{2, one_day});
  CHECK(pool.replace(one_minute) == one_minute);
  CHECK(pool.replace(2 * one_minute) == 2 * one_minute);
  CHECK(pool.replace(3 * one_minute) == one_minute + one_day);
  CHECK(pool.replace(4 * one_minute) == 2 * one_minute + one_day);
}

TEST_CASE("a repaired server stands by") {
  SparePool pool(SparesPlan{1, one_day});
  CHECK(pool.replace({}) == SimTime{});
  CHECK(pool.replace(one_day) == one_day);
  CHECK(pool.replace(2 * one_day - one_second) == 2 * one_day);
}

TEST_CASE("without a spare a failed server is waited for itself") {
  SparePool pool(SparesPlan{0, one_day});
  CHECK(pool.replace(one_minute) == one_minute + one_day);
}
