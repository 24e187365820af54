#include "workloads/collective/relay_slices.hpp"

#include <algorithm>
#include <bit>

#include "engine/base/transfer_time.hpp"

namespace lightrail {
namespace {

constexpr std::int64_t kib = 1024;

/// Channels of one lane.
std::int64_t channels_of_lane(const NcclSettings& nccl, const GroupPlan& plan, std::uint32_t lanes) {
  return std::max(1u, channels_of(nccl, plan) / lanes);
}

/// NCCL halves a chunk over `least` while fewer than `wanted` of them follow one another.
std::int64_t halved(std::int64_t chunk, std::int64_t of_channel, double wanted, std::int64_t least) {
  for (; chunk > least; chunk /= 2) {
    const std::int64_t chunks = of_channel / chunk;
    if (static_cast<double>(chunks) >= wanted) break;
  }
  return chunk;
}

}  // namespace

std::uint32_t channels_of(const NcclSettings& nccl, const GroupPlan& plan) {
  return plan.servers() == 1 ? nccl.nvlink_channels : nccl.net_channels * plan.channels;
}

std::int64_t tree_slice(const NcclSettings& nccl, const GroupPlan& plan, Protocol protocol,
                        std::uint32_t lanes, std::int64_t bytes) {
  std::int64_t chunk = nccl.chunk_bytes(protocol);
  if (protocol == Protocol::ll128) {
    const double in_server = static_cast<double>(plan.size()) / plan.servers();
    const double steps = 1 + (std::bit_width(plan.servers()) - 1) + 0.1 * in_server;
    const std::int64_t of_channel = bytes / channels_of(nccl, plan);
    chunk = halved(chunk, of_channel, steps * 64 / in_server, 128 * kib);
    chunk = halved(chunk, of_channel, steps * 16 / in_server, 32 * kib);
  }
  return chunk * channels_of_lane(nccl, plan, lanes);
}

std::int64_t nvls_slice(const NcclSettings& nccl, const GroupPlan& plan, std::uint32_t lanes,
                        std::int64_t bytes) {
  // All channels and heads at once; a lane is the channels of one head, or half of them.
  std::int64_t chunk = nccl.nvls_chunk.value;
  const std::int64_t at_once = std::int64_t{nccl.nvls_channels} * plan.members_of(0);
  if (plan.servers() == 1) {
    if (bytes < 64 * at_once * chunk) chunk = std::min(chunk, 64 * kib);
    if (bytes < 8 * at_once * chunk) chunk = std::min(chunk, 32 * kib);
    if (bytes < 2 * at_once * chunk) chunk = std::min(chunk, 16 * kib);
  } else {
    if (plan.servers() >= 4) chunk = std::min(chunk, 64 * kib);
    if (bytes < 4 * at_once * chunk) chunk = std::min(chunk, 64 * kib);
    if (bytes < at_once * chunk) chunk = std::min(chunk, 32 * kib);
  }
  return std::max<std::int64_t>(1, chunk * at_once / lanes);
}

SimTime channel_time(const NcclSettings& nccl, const GroupPlan& plan, Protocol protocol, std::uint32_t lanes,
                     std::int64_t payload) {
  if (!plan.device || plan.device->channel_rate.value == 0 || plan.servers() == 1) return SimTime{0};
  const BitRate rate{plan.device->channel_rate.value * channels_of_lane(nccl, plan, lanes)};
  return transfer_time(Bytes{nccl.wire_bytes(protocol, payload)}, rate);
}

}  // namespace lightrail
