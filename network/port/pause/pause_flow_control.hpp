#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "network/port/flow_control.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// What a watchdog does about a class in a storm of pauses: throws away what waits and what comes for it, or
/// sends in spite of the pause.
enum class StormAction : std::uint8_t { drop, forward };

/// Of a class (PauseWatchdog).
struct Watchdog {
  SimTime detect{};  ///< paused so long without sending; 0: there is no watchdog
  SimTime restore{};
  StormAction action = StormAction::drop;
};

/// How a device with one memory for all its ports pauses those who send to it.
struct PauseSettings {
  static constexpr int alpha_bits = 10;  ///< of `alpha` behind the point

  LaneMask lossless = 1;      ///< classes that pause instead of losing
  std::uint8_t lanes = 1;     ///< classes of a port
  std::int64_t buffer = 0;    ///< of all ports and classes together [B]
  std::int64_t reserve = 0;   ///< of a port and class, what only it may use [B]
  std::int64_t headroom = 0;  ///< of a port and lossless class; 0: headroom_bytes() of its link [B]
  /// A port and class may use so many times what is free of the shared memory [2^-alpha_bits]; 0: all of it.
  std::int64_t alpha = 0;
  BitRate alpha_rate{};            ///< of ports that `alpha` is for, those of others in proportion; 0: of all
  std::int64_t resume_offset = 0;  ///< below the threshold, where it lets senders go on [B]
  SimTime reaction{};              ///< of its own to a pause; 0: pause_reaction() of the link's rate
  SimTime least_reaction{};        ///< what it cannot undercut: trains are chosen so early
  std::uint32_t quanta = 65'535;   ///< of a pause, which is renewed at half of its time
  std::array<Watchdog, max_lanes> watchdogs{};  ///< of its outputs, by class
};

/// The longest time that a port of `rate` may take from a pause frame to its last packet's start: the quanta
/// of IEEE 802.3 annex 31B.3.7 for the nominal rate that is next above (as sonic-swss has them in
/// cfgmgr/buffer_headroom_barefoot.lua); above 400 Gb/s the time of 400 Gb/s.
[[nodiscard]] SimTime pause_reaction(BitRate rate);

/// What a class of a port needs beyond its threshold so that no packet is lost, whatever the traffic:
///   rate (there and back + reaction) + one packet each way + the pause frame,
/// all on the line of `end`'s incoming link, rounded up. `reaction`: of the far end.
[[nodiscard]] std::int64_t headroom_bytes(const PortEnd& end, SimTime reaction);

/// Priority flow control (PFC): a kind for each device's settings, which its Spec keeps.
class PauseFlowControl final : public FlowControlKind {
 public:
  explicit PauseFlowControl(PauseSettings settings = {}) : settings_(settings) {}
  [[nodiscard]] const PauseSettings& settings() const { return settings_; }
  /// Its own reaction at a port of that rate.
  [[nodiscard]] SimTime reaction(BitRate rate) const;

  [[nodiscard]] std::unique_ptr<SendControl> make_sender(std::span<const PortEnd> ports) const override;
  /// Throws InputErrors where a port is joined to an optical switch or to a device without pauses, where the
  /// memory does not hold reserves and headroom, and where a pause ends before its renewal can arrive.
  [[nodiscard]] std::unique_ptr<ReceiveControl> make_receiver(std::span<const PortEnd> ports,
                                                              const std::string& name) const override;
  [[nodiscard]] std::unique_ptr<TransitControl> make_transit(std::uint32_t port_count) const override;

 private:
  PauseSettings settings_;
};

/// The flow control of a buffer, if it is this one; else null.
[[nodiscard]] const PauseFlowControl* pause_control_of(const InputBuffer& buffer);

}  // namespace lightrail
