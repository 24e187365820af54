#include "network/transport/dctcp.hpp"

namespace lightrail {

Describe<DctcpSpec> dctcp_parameters() {
  using S = DctcpSpec;
  constexpr BitRate fastest{1'000'000'000'000'000};
  return Describe<S>()
      .field("gain", &S::gain, "of the estimate (g): what a round trip changes of it", 1.0 / (1 << 16), 1.0)
      .field("additive", &S::additive, "what a round trip without a cut adds to a flow's rate", BitRate{0},
             fastest)
      .field("least-rate", &S::least, "no flow is slower", BitRate{1'000}, fastest)
      .field("window", &S::round_trip,
             "no more of a flow is on the way than its line carries in so long, in proportion to its rate; "
             "0: rates alone",
             SimTime{0}, milliseconds(100));
}

}  // namespace lightrail
