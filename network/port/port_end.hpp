#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/kind.hpp"
#include "network/port/buffered_spec.hpp"
#include "network/port/train_stretches.hpp"

namespace lightrail {

/// What a component must know of one of its ports before the run: the link and how both ends are buffered.
struct PortEnd {
  bool is_connected = false;
  LinkId out{};
  BitRate out_rate{}, in_rate{};              ///< payload rates [bit/s]; 0: does not serialise
  SimTime round_trip{};                       ///< the link there and back
  SimTime pipeline{};                         ///< the component's own, from a port to another
  std::uint32_t mtu_bytes = 0;                ///< [B]
  std::uint32_t grain = 1;                    ///< packets per train
  std::uint32_t trains_per_message = 1;       ///< at least, where it meets others
  SimTime send_ahead{};                       ///< SendAhead
  const TrainStretches* stretches = nullptr;  ///< null: trains are as long at all times
  bool is_nvlink = false;
  double energy_pj_per_bit = 0;
  const LinkLight* light = nullptr;  ///< of the outgoing link; null: not connected
  InputBuffer far{};                 ///< what this port fills; its `control` is never null
  InputBuffer near{};                ///< what the other end believes of this port; likewise
  bool is_circuit = false;           ///< an optical switch lies between: the sender may change

  [[nodiscard]] std::uint32_t train_bytes() const { return mtu_bytes * grain; }
};

/// Ports behind an optical switch all count with the smallest buffer attached to that switch, so that a new
/// circuit never changes what a sender may send.
[[nodiscard]] PortEnd port_end(const BuildContext& build, PortIndex port);
/// Of every port of the component, by index.
[[nodiscard]] std::vector<PortEnd> port_ends(const BuildContext& build);
/// `in_rate` of port_end() alone.
[[nodiscard]] BitRate rate_into(const BuildContext& build, PortIndex port);

/// The flow control of what `port` of an optical switch is joined to, through further optical switches too;
/// no_flow_control() when that has no buffer.
[[nodiscard]] const FlowControlKind& flow_control_behind(const BuildContext& build, PortIndex port);

}  // namespace lightrail
