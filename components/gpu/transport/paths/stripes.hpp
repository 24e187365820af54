#pragma once
#include <cstdint>

#include "network/wire/address_book.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

/// Of a message of `bytes` from one GPU to another: what goes in stripe `stripe` of `count`, one a NIC of the
/// sender [B]. Both ends compute it; 0: nothing.
///
/// split: parts of equal size, multiples of 128 B but for the last one, as NCCL's InfiniBand plugin cuts a
/// message over the devices that it has fused (net_ib.cc, NCCL 2.23 and later).
/// flow: the whole message in the stripe of its connection, so that flows share the NICs.
[[nodiscard]] std::int64_t stripe_bytes(NicStriping striping, std::int64_t bytes, std::uint32_t stripe,
                                        std::uint32_t count, EndpointId from, EndpointId to,
                                        Connection connection);

}  // namespace lightrail
