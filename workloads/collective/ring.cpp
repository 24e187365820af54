#include "workloads/collective/ring.hpp"

#include "engine/base/error.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {

std::int64_t part_bytes(std::int64_t bytes, std::uint32_t element_bytes, std::uint32_t parts,
                        std::uint32_t index) {
  const std::int64_t unit = element_bytes != 0 && bytes % element_bytes == 0 ? element_bytes : 1;
  if (bytes / unit < std::int64_t{1} << 40 && parts < 1u << 20) {  // the product fits 64 bits
    const auto units = static_cast<std::uint64_t>(bytes / unit);
    return static_cast<std::int64_t>(units * (index + 1) / parts - units * index / parts) * unit;
  }
  const Wide units = bytes / unit;
  return static_cast<std::int64_t>(units * (index + 1) / parts - units * index / parts) * unit;
}

std::uint32_t ring_steps(CollectiveType type, std::uint32_t n) {
  LIGHTRAIL_EXPECT(n > 0);
  return type == CollectiveType::all_reduce ? 2 * (n - 1) : n - 1;
}

std::uint32_t ring_block(CollectiveType type, std::uint32_t n, std::uint32_t position, std::uint32_t step) {
  const std::uint32_t back = step + (type == CollectiveType::reduce_scatter ? 1 : 0);
  return (position + 2 * n - back % n) % n;
}

std::int64_t turn_bytes(CollectiveType type, std::int64_t bytes, std::uint32_t element_bytes, std::uint32_t n,
                        std::uint32_t position) {
  std::int64_t sum = 0;
  for (std::uint32_t left_out = n - 1; left_out <= ring_steps(type, n); left_out += n - 1)
    sum += bytes - part_bytes(bytes, element_bytes, n, ring_block(type, n, position, left_out));
  return sum;
}

std::int64_t block_bytes(std::int64_t bytes, std::uint32_t element_bytes, std::uint32_t n,
                         std::uint32_t block, std::uint32_t channels, std::uint32_t channel) {
  return part_bytes(part_bytes(bytes, element_bytes, n, block), element_bytes, channels, channel);
}

}  // namespace lightrail
