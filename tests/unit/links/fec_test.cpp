#include "links/fec.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("a codeword of RS(544,514) carries 5120 payload bits and takes 12.8 ns at 400 Gb/s") {
  // 514 symbols x 10 bits = 5140 bits = 20 x 257, each of which carries 256 bits: 5120 bits = 640 B.
  CHECK(fec_payload(Fec::rs_544_514) == Bytes{640});
  CHECK(fec_latency(Fec::rs_544_514, 1, SimTime{0}, BitRate{400'000'000'000}) == picoseconds(12'800));
}

TEST_CASE("the receiver waits for all interleaved codewords, then decodes") {
  CHECK(fec_latency(Fec::rs_544_514, 2, nanoseconds(70), BitRate{400'000'000'000}) == picoseconds(95'600));
  CHECK(fec_latency(Fec::rs_528_514, 1, nanoseconds(50), BitRate{100'000'000'000}) == picoseconds(101'200));
}

TEST_CASE("the short code takes half the time to collect") {
  CHECK(fec_latency(Fec::rs_272_257, 2, SimTime{0}, BitRate{400'000'000'000}) == picoseconds(12'800));
}

TEST_CASE("without a code there is no delay, whatever the decoder would take") {
  CHECK(fec_payload(Fec::none) == Bytes{0});
  CHECK(fec_latency(Fec::none, 4, nanoseconds(70), BitRate{1}) == SimTime{0});
}
