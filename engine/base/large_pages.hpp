#pragma once
#include <cstdint>

namespace lightrail {

/// Puts what the process holds in large regions (the heap, large arrays) on pages of 2 MiB where Linux offers
/// that: a model of 10,000 GPUs is read all over, and looking up pages of 4 KiB then takes longer than
/// reading them. A region larger than the machine's memory is only reserved and stays as it is. Call once the
/// model stands. Changes no result. Returns the bytes of the regions asked for.
std::int64_t use_large_pages();

}  // namespace lightrail
