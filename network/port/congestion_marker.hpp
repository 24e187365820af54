#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/model/state_io.hpp"
#include "network/port/egress_bank.hpp"
#include "network/routing/port_choice.hpp"
#include "network/transport/congestion_control.hpp"

namespace lightrail {

/// Marks trains in a switch at the root of congestion (FECN), as InfiniBand's congestion control has it.
///
/// Model: a train finds a queue at its output: what has the line ahead of it, and what waits there (of its
/// lane alone where lanes have weights). It is marked where that is more than the threshold's share of an
/// input buffer and the port has credits for it, so that the queue is of the port's own line and not of one
/// further on; ports of the victim mask mark without credits too. Every packet of such a train that is large
/// enough and not marked yet is drawn by itself: marking-rate is the mean number of packets between two that
/// are marked, so one in marking-rate + 1 is. The train has how many (MarkedTrain). With trains of n packets
/// the threshold is n - 1 packets higher, as buffers are (counted_buffer()). How a threshold becomes bytes
/// the specification leaves to the switch: here (16 - threshold) / 16 of the buffer of a port and lane.
/// Leaves out credit starvation settings and ports with settings of their own.
class CongestionMarker {
 public:
  /// `buffer`: of a port and lane [B]; `salt`: of the switch's own draws.
  CongestionMarker(const BuildContext& build, const CongestionControl& control, Bytes buffer,
                   std::uint64_t salt);

  /// `train`, which will leave on `out` and its lane: marked or not.
  [[nodiscard]] Frame marked(const Frame& train, PortIndex out, const EgressBank& egress,
                             const Context& context);
  void save(StateWriter& out) const { draw_.save(out); }
  void load(StateReader& in) { draw_.load(in); }

 private:
  struct Port {
    std::int64_t threshold = 0;   ///< [B]
    std::uint32_t mtu_bytes = 1;  ///< of its packets [B]
    bool is_victim = false;       ///< in the mask
  };
  [[nodiscard]] std::uint32_t large_packets(std::uint32_t bytes, std::uint32_t mtu_bytes) const;
  const CongestionControl* control_;
  std::vector<Port> ports_;
  TieDraw draw_;
};

}  // namespace lightrail
