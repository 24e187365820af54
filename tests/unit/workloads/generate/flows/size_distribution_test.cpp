#include "workloads/generate/flows/size_distribution.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

using Point = SizeDistribution::Point;

const std::vector<Point> points{{0, 0}, {1000, 0.5}, {10'000, 0.75}, {1'000'000, 1, SizeSpread::logarithmic}};

}  // namespace

TEST_CASE("between points sizes are even, or their logarithms are") {
  const SizeDistribution sizes(points);
  CHECK(sizes.size_at(0) == 1);  // a flow has a byte
  CHECK(sizes.size_at(0.25) == 500);
  CHECK(sizes.size_at(0.5) == 1000);
  CHECK(sizes.size_at(0.625) == 5500);
  CHECK(sizes.size_at(0.75) == 10'000);
  CHECK(static_cast<double>(sizes.size_at(0.875)) == Approx(100'000).margin(1));
  CHECK(sizes.size_at(1) == 1'000'000);
}

TEST_CASE("the first point's share of flows has its size") {
  const SizeDistribution sizes({{700, 0.25}, {1100, 1}});
  CHECK(sizes.size_at(0.2) == 700);
  CHECK(sizes.size_at(0.625) == 900);
  CHECK(sizes.mean_bytes() == Approx(700 * 0.25 + 900 * 0.75));
  CHECK(SizeDistribution({{64, 1}}).mean_bytes() == 64);
}

TEST_CASE("the mean is that of the sizes, piece by piece") {
  // 500 / 2 + 5,500 / 4 + (990,000 / ln 100) / 4; and the sum over many shares.
  const SizeDistribution sizes(points);
  CHECK(sizes.mean_bytes() == Approx(250 + 1375 + 990'000 / std::log(100.0) / 4));
  double sum = 0;
  constexpr int count = 1'000'000;
  for (int i = 0; i < count; ++i) sum += static_cast<double>(sizes.size_at((i + 0.5) / count));
  CHECK(sum / count == Approx(sizes.mean_bytes()).epsilon(1e-4));
}

TEST_CASE("points that are no distribution are told apart from those that are") {
  CHECK(SizeDistribution::problem_of(points).empty());
  CHECK(SizeDistribution::problem_of({}) == "there are no sizes");
  CHECK(SizeDistribution::problem_of({{0, -0.5}, {1, 1}}) == "the share of 0 B is not between 0 and 1");
  CHECK(SizeDistribution::problem_of({{5, 0}, {5, 1}}) == "5 B come behind 5 B: sizes do not rise");
  CHECK(SizeDistribution::problem_of({{5, 0.5}, {6, 0.5}}) == "the share of 6 B is no more than that of 5 B");
  CHECK(SizeDistribution::problem_of({{5, 0}, {6, 0.5}}) ==
        "the largest size, 6 B, is that of 50 % of all flows, not of all");
  CHECK(SizeDistribution::problem_of({{0, 0}, {6, 1, SizeSpread::logarithmic}}) ==
        "sizes up to 6 B begin at 0 B, which has no logarithm");
}

TEST_CASE("a file has a size and a percentage a line") {
  const TemporaryFolder folder;
  const std::string path = folder / "sizes.txt";
  std::ofstream(path) << "# bytes, percent\n0 0\n\n300 5   # small ones\n1000000\t97.5\n1e7 100\n";
  const std::vector<Point> read = read_size_file(path);
  REQUIRE(read.size() == 4);
  CHECK(read[1].bytes == 300);
  CHECK(read[1].share == Approx(0.05));
  CHECK(read[2].share == Approx(0.975));
  CHECK(read[3].bytes == 10'000'000);
  CHECK(read[3].share == 1);
  CHECK(read[3].spread == SizeSpread::even);
}
