#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lightrail {

/// The phase bits of a Connection: which kind of traffic it is. The other two bytes are the group kind and
/// the channel for the phases of groups, and the I/O operation's ordinal (high, low byte) for the phases of
/// I/O.
enum class Phase : std::uint8_t {
  ring,             ///< steps of ring collectives
  pairs,            ///< all-to-all
  pairs_clear,      ///< clear-to-send of an all-to-all's message
  barrier,          ///< control messages of a barrier; channel: the round
  point_to_point,   ///< send and recv
  point_clear,      ///< clear-to-send of a send
  io_request,       ///< GPU -> storage or host: start the I/O operation of that ordinal (of a write from host
                    ///< memory, to the host: send its data)
  io_ready,         ///< storage -> GPU: send the data of your write
  io_data,          ///< the payload of an I/O operation, either way
  io_done,          ///< storage or host -> GPU: the last byte is written
  tree_up,          ///< trees: towards the root; channel: the lane
  tree_down,        ///< trees: from the root
  nvls_sum,         ///< to the NVSwitch, which adds, and from it to the head; channel: the lane
  nvls_result,      ///< from the head to the NVSwitch, and from it to all
  exchange,         ///< rounds of messages between pairs; channel: their lane
  collnet,          ///< to the fabric's switch, which adds, and from it to every head; channel: the lane
  folded_ring,      ///< all steps of a ring at once, by way of the NVSwitch
  kv,               ///< keys and values of a request, from the replica that prefilled to one that decodes
  tree_up_clear,    ///< of a tree over the network: the receiver has handed a slice on; channel: the lane
  tree_down_clear,  ///< ... towards the root
  ring_clear,       ///< of a ring over the network: the receiver has handed a block on
  users             ///< prompts of users on their way in, tokens on their way out
};

/// Whether what goes on such a connection are control messages.
[[nodiscard]] constexpr bool is_control(Phase phase) {
  switch (phase) {
    case Phase::pairs_clear:
    case Phase::barrier:
    case Phase::point_clear:
    case Phase::io_request:
    case Phase::io_ready:
    case Phase::io_done:
    case Phase::tree_up_clear:
    case Phase::tree_down_clear:
    case Phase::ring_clear:
      return true;
    case Phase::ring:
    case Phase::pairs:
    case Phase::point_to_point:
    case Phase::io_data:
    case Phase::tree_up:
    case Phase::tree_down:
    case Phase::nvls_sum:
    case Phase::nvls_result:
    case Phase::exchange:
    case Phase::collnet:
    case Phase::folded_ring:
    case Phase::kv:
    case Phase::users:
      return false;
  }
  return false;
}

/// Whether the connection is of a group of GPUs; the others are of I/O or of an inference job.
[[nodiscard]] constexpr bool is_of_group(Phase phase) {
  return !(phase >= Phase::io_request && phase <= Phase::io_done) && phase != Phase::kv &&
         phase != Phase::users;
}

/// The names of the enumerators 0, 1, ..., as tables of a result have them.
[[nodiscard]] std::vector<std::string> phase_labels();

/// Wire size of a control message [B]: one small packet.
inline constexpr std::uint32_t control_bytes = 64;

}  // namespace lightrail
