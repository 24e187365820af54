#include "components/gpu/transport/paths/stripes.hpp"

#include <algorithm>

namespace lightrail {
namespace {

constexpr std::int64_t stripe_alignment = 128;

}  // namespace

std::int64_t even_part(std::int64_t bytes, std::uint32_t part, std::uint32_t count) {
  const std::int64_t even = (bytes + count - 1) / count;
  const std::int64_t size = (even + stripe_alignment - 1) / stripe_alignment * stripe_alignment;
  return std::clamp<std::int64_t>(bytes - size * part, 0, size);
}

std::int64_t stripe_bytes(NicStriping striping, std::int64_t bytes, std::uint32_t stripe, std::uint32_t count,
                          EndpointId from, EndpointId to, Connection connection) {
  switch (striping) {
    case NicStriping::split:
      return even_part(bytes, stripe, count);
    case NicStriping::flow:
      return (from.value + to.value + connection.channel()) % count == stripe ? bytes : 0;
  }
  return 0;
}

}  // namespace lightrail
