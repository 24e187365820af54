#include "network/port/pause/pause_flow_control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "engine/base/transfer_time.hpp"
#include "engine/base/wide.hpp"
#include "network/port/pause/pause_frame.hpp"
#include "network/port/pause/pause_receiver.hpp"
#include "network/port/pause/pause_sender.hpp"

namespace lightrail {
namespace {

struct Reaction {
  std::int64_t gigabits;  ///< a second
  std::int64_t quanta;
};
constexpr std::array<Reaction, 7> reactions{
    {{10, 67}, {25, 80}, {40, 118}, {50, 147}, {100, 394}, {200, 453}, {400, 905}}};

/// Bytes that a line of `rate` carries in `time`, rounded up.
std::int64_t bytes_within(SimTime time, BitRate rate) {
  constexpr std::int64_t ps_bits_per_byte = 8'000'000'000'000;
  const Wide bits = static_cast<Wide>(time.count()) * rate.value;
  return static_cast<std::int64_t>((bits + ps_bits_per_byte - 1) / ps_bits_per_byte);
}

}  // namespace

SimTime pause_reaction(BitRate rate) {
  const auto nominal = std::find_if(reactions.begin(), reactions.end(), [&](const Reaction& one) {
    return rate.value <= one.gigabits * 1'000'000'000;
  });
  const Reaction& own = nominal == reactions.end() ? reactions.back() : *nominal;
  return SimTime{own.quanta * PauseFrame::quantum_bits * 1000 / own.gigabits};
}

std::int64_t headroom_bytes(const PortEnd& end, SimTime reaction) {
  const SimTime packet_back = transfer_time(Bytes{end.mtu_bytes + PauseFrame::wire_bytes}, end.out_rate);
  return bytes_within(end.round_trip + reaction + packet_back, end.in_rate) + end.mtu_bytes;
}

SimTime PauseFlowControl::reaction(BitRate rate) const {
  const SimTime own = settings_.reaction > SimTime{0} ? settings_.reaction : pause_reaction(rate);
  return std::max(own, settings_.least_reaction);
}

std::unique_ptr<SendControl> PauseFlowControl::make_sender(std::span<const PortEnd> ports) const {
  return std::make_unique<PauseSender>(ports);
}

std::unique_ptr<ReceiveControl> PauseFlowControl::make_receiver(std::span<const PortEnd> ports,
                                                                const std::string& name) const {
  return std::make_unique<PauseReceiver>(ports, settings_, name);
}

std::unique_ptr<TransitControl> PauseFlowControl::make_transit(std::uint32_t) const {
  return nullptr;  // make_receiver refuses the optical switch
}

const PauseFlowControl* pause_control_of(const InputBuffer& buffer) {
  return dynamic_cast<const PauseFlowControl*>(buffer.control);
}

}  // namespace lightrail
