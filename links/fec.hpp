#pragma once
#include <cstdint>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"

namespace lightrail {

/// Forward error correction of a line. What a code costs in time: the receiver collects whole codewords, then
/// decodes.
enum class Fec : std::uint8_t { none, rs_528_514, rs_544_514, rs_272_257 };

/// Payload that one codeword carries [B]. 514 symbols of 10 bits are 20 blocks of 257 bits, each made of 256
/// bits of payload (256b/257b transcoding): 640 B. 257 symbols: 320 B. 0 for none.
[[nodiscard]] Bytes fec_payload(Fec fec);

/// Time to collect `interleave` codewords at payload rate `rate`, plus `decode`. Zero for Fec::none.
[[nodiscard]] SimTime fec_latency(Fec fec, std::uint32_t interleave, SimTime decode, BitRate rate);

}  // namespace lightrail
