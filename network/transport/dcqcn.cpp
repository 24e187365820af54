#include "network/transport/dcqcn.hpp"

namespace lightrail {

Describe<DcqcnSpec> dcqcn_parameters() {
  using S = DcqcnSpec;
  constexpr SimTime shortest = nanoseconds(100), longest = milliseconds(1000);
  return Describe<S>()
      .field("notice-interval", &S::notice_interval,
             "a receiver sends no more than one notice (CNP) of a flow in so long", SimTime{0}, longest)
      .field("alpha-timer", &S::alpha_timer, "the estimate of congestion is renewed so often", shortest,
             longest)
      .field("decrease-timer", &S::decrease_timer, "the rate is cut at most once in so long", shortest,
             longest)
      .field("increase-timer", &S::increase_timer, "without a cut the rate makes a step upwards in so long",
             shortest, longest)
      .field("increase-bytes", &S::increase_bytes,
             "and one whenever the flow has sent so much; 0: time alone makes steps", Bytes{0},
             Bytes{1ll << 40})
      .field("gain", &S::gain, "of the estimate (g): what a renewal changes of it", 1.0 / (1 << 16), 1.0)
      .field("fast-steps", &S::fast_steps, "steps (F) that go half of the way back to the target rate", 0u,
             255u)
      .field("additive", &S::additive, "what further steps add to the target rate", BitRate{0},
             BitRate{1'000'000'000'000'000})
      .field("hyper", &S::hyper, "and what steps behind these add", BitRate{0},
             BitRate{1'000'000'000'000'000})
      .field("least-rate", &S::least, "no flow is slower", BitRate{1'000}, BitRate{1'000'000'000'000'000})
      .field("clamps", &S::clamps,
             "the target falls to the rate at every cut, not only behind a step upwards");
}

}  // namespace lightrail
