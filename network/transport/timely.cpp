#include "network/transport/timely.hpp"

namespace lightrail {

Describe<TimelySpec> timely_parameters() {
  using S = TimelySpec;
  constexpr BitRate fastest{1'000'000'000'000'000};
  constexpr SimTime longest = milliseconds(100);
  return Describe<S>()
      .field("t-low", &S::low, "a rate grows where round trips are shorter", SimTime{0}, longest)
      .field("t-high", &S::high, "it is cut where they are longer", SimTime{1}, longest)
      .field("least-rtt", &S::least_rtt, "what differences of round trips are measured in", nanoseconds(10),
             longest)
      .field("average", &S::average, "alpha: of the average of differences, what a new one changes",
             1.0 / (1 << 16), 1.0)
      .field("decrease", &S::decrease, "beta: of the average difference, what a rate loses", 0.0, 1.0)
      .field("additive", &S::additive, "delta: what a step upwards adds to a rate", BitRate{0}, fastest)
      .field("hyper", &S::hyper, "what a step adds behind hyper-after of them in a row", BitRate{0}, fastest)
      .field("hyper-after", &S::hyper_after, "steps upwards in a row until steps are larger", 1u, 1'000'000u)
      .field("least-rate", &S::least, "no flow is slower", BitRate{1'000}, fastest)
      .field("window", &S::round_trip,
             "no more of a flow is on the way than its line carries in so long, in proportion to its rate; "
             "0: rates alone",
             SimTime{0}, longest);
}

}  // namespace lightrail
