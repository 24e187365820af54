#include "links/fec.hpp"

#include "engine/base/transfer_time.hpp"

namespace lightrail {

Bytes fec_payload(Fec fec) {
  switch (fec) {
    case Fec::none:
      return Bytes{0};
    case Fec::rs_528_514:
    case Fec::rs_544_514:
      return Bytes{640};
    case Fec::rs_272_257:
      return Bytes{320};
  }
  return Bytes{0};
}

SimTime fec_latency(Fec fec, std::uint32_t interleave, SimTime decode, BitRate rate) {
  if (fec == Fec::none) return SimTime{0};
  return transfer_time(Bytes{fec_payload(fec).value * interleave}, rate) + decode;
}

}  // namespace lightrail
