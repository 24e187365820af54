#pragma once
#include <cstdint>

#include "network/wire/address_book.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

/// Part `part` of `count` of a message: equal sizes, multiples of 128 B but for the last part, as NCCL's
/// InfiniBand plugin cuts a message over queue pairs, and over the devices that it has fused (net_ib.cc, NCCL
/// 2.23 and later) [B]. 0: nothing.
[[nodiscard]] std::int64_t even_part(std::int64_t bytes, std::uint32_t part, std::uint32_t count);

/// Of a message of `bytes` from one GPU to another: what goes in stripe `stripe` of `count`, one a NIC of the
/// sender [B]. Both ends compute it; 0: nothing.
///
/// split: even_part().
/// flow: the whole message in the stripe of its connection, so that flows share the NICs.
[[nodiscard]] std::int64_t stripe_bytes(NicStriping striping, std::int64_t bytes, std::uint32_t stripe,
                                        std::uint32_t count, EndpointId from, EndpointId to,
                                        Connection connection);

}  // namespace lightrail
