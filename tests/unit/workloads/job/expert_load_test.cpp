#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/job/expert_load.hpp"

using namespace lightrail;

TEST_CASE("Zipf's shares sum to 1, and the k-th largest is in proportion to k^-exponent") {
  for (double exponent : {0.0, 0.5, 1.0, 2.0}) {
    std::vector<double> shares = zipf_shares(8, exponent, 1, 0);
    CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == Approx(1));
    std::sort(shares.begin(), shares.end(), std::greater<>());
    for (std::size_t k = 0; k < shares.size(); ++k)
      CHECK(shares[k] == Approx(shares[0] * std::pow(static_cast<double>(k + 1), -exponent)));
  }
}

TEST_CASE("who is the busiest follows from seed and layer alone") {
  CHECK(zipf_shares(64, 1, 1, 0) == zipf_shares(64, 1, 1, 0));
  CHECK(zipf_shares(64, 1, 1, 0) != zipf_shares(64, 1, 1, 1));
  CHECK(zipf_shares(64, 1, 1, 0) != zipf_shares(64, 1, 2, 0));
}

TEST_CASE("one member gets everything, none gets nothing") {
  CHECK(zipf_shares(1, 1, 1, 0) == std::vector<double>{1});
  CHECK(zipf_shares(0, 1, 1, 0).empty());
}

TEST_CASE("an even load and a group of one need no split") {
  JobBuilder job(4);
  ExpertLoad load;
  CHECK(add_expert_split(load, 4, 0, job) == 0);
  load.kind = ExpertLoad::Kind::zipf;
  CHECK(add_expert_split(load, 1, 0, job) == 0);
  CHECK(job.job().programs.splits.size() == 1);
}

TEST_CASE("with Zipf's load every sender spreads its tokens alike") {
  JobBuilder job(4);
  const ExpertLoad load{ExpertLoad::Kind::zipf, 1.5, 7};
  CHECK(add_expert_split(load, 4, 3, job) == 1);
  const SplitMatrix& split = job.job().programs.splits.at(1);
  REQUIRE(split.size == 4);
  REQUIRE(split.share.size() == 16);
  const std::vector<double> row = zipf_shares(4, 1.5, 7, 3);
  for (std::size_t from = 0; from < 4; ++from)
    CHECK(std::equal(row.begin(), row.end(), split.share.begin() + static_cast<std::ptrdiff_t>(4 * from)));
}

TEST_CASE("more than 65535 layers with a load of their own are refused") {
  JobBuilder job(2);
  job.job().programs.splits.resize(0xffff);
  const ExpertLoad load{ExpertLoad::Kind::zipf, 1, 1};
  CHECK(add_expert_split(load, 2, 0, job) == 0xffff);
  CHECK_THROWS_AS(add_expert_split(load, 2, 1, job), InputErrors);
}
