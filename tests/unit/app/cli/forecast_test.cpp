#include "app/cli/forecast.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace lightrail;

TEST_CASE("a forecast's network is a latency and a bandwidth") {
  const ForecastNetwork network = parse_network("1.5us,25GB/s");
  CHECK(network.latency_s == Approx(1.5e-6));
  CHECK(network.bandwidth_bytes_per_s == Approx(25e9));
  CHECK(parse_network("900 ns,400Gb/s").latency_s == Approx(0.9e-6));
  CHECK(parse_network("900 ns,400Gb/s").bandwidth_bytes_per_s == Approx(50e9));
  CHECK(network.overhead_s == ForecastNetwork{}.overhead_s);
}

TEST_CASE("rank counts of a forecast keep the order in which they are given") {
  CHECK(parse_rank_counts("64,256,1024") == std::vector<int>{64, 256, 1024});
  CHECK(parse_rank_counts("4,2") == std::vector<int>{4, 2});
}

// 3 s of work, of which the busiest ranks have 2 s one after the other, and 0.5 s of waiting: 3 / 2.5 = 1.2
// times as fast on two ranks.
TEST_CASE("a forecast prints its network, its headings and a line a rank count") {
  ForecastRow row{2, nanoseconds(100), 1000, 50, 3, 2, 0.5};
  CHECK(
      forecast_text({row}, {2e-6, 10e9}) ==
      "forecast         2 us a message, 10 GB/s a rank; work as measured here, 3.00 s in all\n"
      "    ranks    lookahead    windows       sent   balance      sync   speedup  efficiency       wall\n"
      "        2   100.000 ns       1000         50    75.0 %    20.0 %      1.20      60.0 %      2.5 s\n");
  row.lookahead = time_never;
  CHECK(forecast_text({row}, {}).find(" none ") != std::string::npos);
}

TEST_CASE("without rank counts no forecast is printed, and no row for one without events") {
  CHECK(forecast_text({}, {}).empty());
  const std::string text = forecast_text({ForecastRow{}}, {});
  CHECK(text.substr(text.size() - 5) == "wall\n");
}
