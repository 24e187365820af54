#include "fabrics/circuits/mixnet_spec.hpp"

namespace lightrail {

Describe<MixnetSpec> mixnet_table() {
  using S = MixnetSpec;
  return fat_tree_table<S>()
      .field("optical-nics", &S::optical_nics, "NICs of a server that an optical switch joins", 1u, 1024u)
      .field("region-servers", &S::region_servers, "servers that share an optical switch", 1u, 65'000u)
      .field("circuits-for", &S::circuits_for, "the dimension whose traffic takes circuits")
      .field("join-packet", &S::joins_both, "its traffic takes packet NICs too where it has circuits")
      .field("gather", &S::gathers,
             "what a server sends goes to its delegates over NVLink; off: past it, for its latency alone")
      .field("scatter", &S::scatters,
             "what delegates get goes to its receivers over NVLink; off: past it, for its latency alone")
      .field("failed", &S::failed,
             "out of order, known to all: 4:0 is NIC 0 of server 4; r0:5, r0: a port, a switch")
      .field("early", &S::is_early, "known demand is announced when the exchange before has ended")
      .choice("predict", &S::predicts,
              "what is announced then of demand that is not known yet: nothing, itself, the micro-batch "
              "before's, what learned transitions from the layer before make of this one's",
              {{"off", Prediction::off},
               {"on", Prediction::on},
               {"past", Prediction::past},
               {"learned", Prediction::learned}})
      .field("prediction", &S::prediction, "1: predictions are right, 0: even demand", 0.0, 1.0);
}

}  // namespace lightrail
