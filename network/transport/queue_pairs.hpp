#pragma once
#include <cstdint>

#include "engine/base/error.hpp"
#include "network/transport/queue_pair_use.hpp"
#include "network/wire/connection.hpp"
#include "network/wire/phase.hpp"

namespace lightrail {

/// Model resource: the connections of NCCL over the network have several queue pairs each
/// (NCCL_IB_QPS_PER_CONNECTION). A queue pair is a connection of its own to NICs and switches: with n group
/// kinds in the model, queue pair k (1, 2, ...) of a connection of group kind g has group kind g + n k. What
/// has no queue pairs has number 0: control messages, I/O, what the GPU itself posts.
struct QueuePairs {
  static constexpr std::uint32_t max_count = 128;

  std::uint32_t count = 1;        ///< of a connection, 2 to max_count
  std::uint32_t group_kinds = 1;  ///< of the model; (count + 1) of these fit Connection::max_group_kinds
  QueuePairUse use = QueuePairUse::turns;
  QueuePairWays ways = QueuePairWays::hashed;
  std::uint32_t nic_ports = 1;  ///< to the fabric; of several NICs the most
  /// What the proxy thread posts at once: of a send or an all-to-all, of a ring, of other collectives [B].
  std::int64_t point_chunk = 128 * 1024, ring_chunk = 1024 * 1024, chunk = 512 * 1024;

  /// Queue pairs that a connection may have at most in a model with `group_kinds`.
  [[nodiscard]] static constexpr std::uint32_t most(std::uint32_t group_kinds) {
    return Connection::max_group_kinds / group_kinds - 1;
  }
  /// Its queue pair number `number`, 1 ... count.
  [[nodiscard]] Connection of(Connection connection, std::uint32_t number) const {
    LIGHTRAIL_EXPECT(number >= 1 && number <= count && connection.group_kind() < group_kinds);
    return {connection.value + (number * group_kinds << 16)};
  }
  /// 0: it is of none.
  [[nodiscard]] std::uint32_t number(Connection connection) const {
    const bool is_of_kind = is_of_group(static_cast<Phase>(connection.phase()));
    return is_of_kind ? connection.group_kind() / group_kinds : 0;
  }
  /// The connection that the queue pair is of; itself where it is of none.
  [[nodiscard]] Connection whole(Connection connection) const {
    return {connection.value - (number(connection) * group_kinds << 16)};
  }
  /// [B] of payload.
  [[nodiscard]] std::int64_t chunk_of(Phase phase) const {
    if (phase == Phase::point_to_point || phase == Phase::pairs) return point_chunk;
    return phase == Phase::ring ? ring_chunk : chunk;
  }
};

/// What ECMP hashes of a flow, and how many ways after that of the hash it takes.
struct FlowWay {
  Address hashed{};
  std::uint32_t further = 0;
};
/// Where a NIC chooses among its ports, or (`is_behind_nic`) a switch. `pairs`: null or those of the model.
[[nodiscard]] inline FlowWay way_of(const Address& flow, const QueuePairs* pairs, bool is_behind_nic) {
  const std::uint32_t number = pairs ? pairs->number(flow.connection()) : 0;
  if (number == 0 || pairs->ways == QueuePairWays::hashed) return {flow, 0};
  const Address whole(flow.from(), flow.to(), pairs->whole(flow.connection()));
  return {whole, is_behind_nic ? (number - 1) / pairs->nic_ports : number - 1};
}

}  // namespace lightrail
