#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "network/port/flow_control.hpp"
#include "network/port/pause/pause_watchdog.hpp"
#include "network/port/pause/tables.hpp"

namespace lightrail {

/// The sender's side of pauses: a class that has been told to stop begins no packet when the reaction time
/// has passed, until it is told to go on.
///
/// Model: the receiver renews a pause before it ends (PauseReceiver), so it lasts until the frame of no
/// quanta comes; that one works at once. A train that begins in the reaction time goes to its end. A class
/// whose watchdog sees a storm (PauseWatchdog) begins nothing until that is over, and what waits or would
/// have to is thrown away, where NICs repair it (may_be_lost()); or it is as if it were not paused.
class PauseSender final : public SendControl {
 public:
  explicit PauseSender(std::span<const PortEnd> ports);

  [[nodiscard]] SendTerms terms(PortIndex port) const override;
  [[nodiscard]] LaneMask on_message(Context& context, PortIndex port, const Payload& message,
                                    SendLanes lanes) override;
  [[nodiscard]] LaneMask on_timer(Context& context, const FlowTimer& timer, SendLanes lanes) override;
  [[nodiscard]] bool on_waiting(Context& context, PortIndex port, const Frame& train,
                                SendLanes lanes) override;
  [[nodiscard]] SimTime stops_at(PortIndex port, std::uint8_t lane) const override {
    return classes_[index(port, lane)].stops_at;
  }
  [[nodiscard]] std::string_view awaited() const override { return "the end of a pause, or their turn"; }
  void finish(Context& context) override;
  void save(StateWriter& out) const override { out.put(classes_), watchdog_.save(out); }
  void load(StateReader& in) override { in.get(classes_), watchdog_.load(in); }

 private:
  struct Class {                    // of a port and lane
    SimTime stops_at = time_never;  ///< begins nothing from then on; by its pause, or by its storm
    SimTime heard{};                ///< the last pause
    PauseUse use;
    std::int64_t is_paused = 0;
  };
  void obey(PortIndex port, std::size_t which);

  [[nodiscard]] static std::size_t index(PortIndex port, std::uint8_t lane) {
    return std::size_t{port} * max_lanes + lane;
  }

  std::vector<SendTerms> terms_;   ///< by port
  std::vector<SimTime> reaction_;  ///< by port
  std::vector<Class> classes_;
  PauseWatchdog watchdog_;
};

}  // namespace lightrail
