#include "network/transport/nscc.hpp"

namespace lightrail {

Describe<NsccSpec> nscc_parameters() {
  using S = NsccSpec;
  constexpr SimTime longest = milliseconds(100);
  return Describe<S>()
      .required(
          "base-rtt", &S::base_rtt,
          "there and back without a queue, on the longest way of the fabric; flows whose own is shorter "
          "find that out",
          nanoseconds(10), longest)
      .field("target-delay", &S::target, "of queues; without it three quarters of base-rtt", SimTime{1},
             longest)
      .field("max-window", &S::window, "of a flow, in what its line carries in a round trip; its first one",
             0.01, 100.0)
      .field("decrease", &S::decrease, "gamma: how much of its excess delay a window loses in a round trip",
             0.0, 1.0)
      .field("proportional", &S::proportional,
             "alpha: packets a round trip, where nothing waits on 100 Gb/s and 12 us", 0.0, 1000.0)
      .field("fair", &S::fair, "the same beyond the target delay, without marks", 0.0, 1000.0)
      .field("steady", &S::steady, "eta: the same, always", 0.0, 1000.0)
      .field("delay-gain", &S::delay_gain, "of the average of delays: what a new one changes", 1e-6, 1.0)
      .field("adapt-share", &S::adapt_share,
             "after a trimmed packet or a delay of four targets: a window becomes what came in a round trip, "
             "where that is less than this part of the largest",
             1u, 1u << 16)
      .field("entropy-values", &S::entropy_values,
             "of a flow, on which switches with ECMP hash: a power of two; 1: a flow has one way", 1u, 256u)
      .choice("path-choice", &S::path_choice,
              "the value of the next packet: those take turns, or those come again whose packets were not "
              "marked, and others are passed over",
              {{"turns", PathChoice::turns}, {"marks", PathChoice::marks}});
}

}  // namespace lightrail
