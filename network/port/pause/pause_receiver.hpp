#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "network/port/flow_control.hpp"
#include "network/port/pause/pause_flow_control.hpp"
#include "network/port/pause/shared_memory.hpp"
#include "network/port/pause/tables.hpp"

namespace lightrail {

/// The receiver's side of pauses: one memory for all ports (SharedMemory). A port and class that is beyond
/// its threshold tells its sender to stop, by a frame on the line; when it has emptied, to go on.
///
/// Model: a train is held from its head's arrival to its tail's departure. The sender of a class that stays
/// beyond is told again before its pause ends; these renewals always come in time (the constructor refuses
/// quanta for which they could not) and so are no events, and take no time of the line. A class that is not
/// lossless is not paused, and what finds no room is lost where the NICs repair that (may_be_lost()); so it
/// is where the sender's watchdog sends in spite of pauses (StormAction::forward). Any other loss ends the
/// run.
class PauseReceiver final : public ReceiveControl {
 public:
  /// `name`: of the component. Throws InputErrors as PauseFlowControl::make_receiver() has it.
  PauseReceiver(std::span<const PortEnd> ports, const PauseSettings& settings, const std::string& name);

  [[nodiscard]] ReceiveTerms terms(PortIndex port) const override { return terms_[port]; }
  bool on_taken(Context& context, PortIndex port, const Frame& train) override;
  void on_freed(Context& context, PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                SimTime at) override;
  void on_leaving(Context& context, PortIndex port, const Frame& train, SimTime at) override;
  void on_timer(Context& context, const FlowTimer& timer) override;
  void send_by(FrameLine& line) override { line_ = &line; }
  void finish(Context& context) override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  struct Pause {  // of a port and lane
    SimTime since{};
    PauseUse use;
    std::int64_t is_on = 0;
  };
  struct Lost {  // of a port and lane
    std::int64_t trains = 0, bytes = 0;
  };
  struct Leaving {  // a train that has its line
    SimTime at{};
    std::uint32_t account = 0, bytes = 0;
    /// For a heap whose first is the earliest.
    bool operator<(const Leaving& other) const { return at > other.at; }
  };
  [[nodiscard]] static std::uint32_t account_of(PortIndex port, std::uint8_t lane) {
    return std::uint32_t{port} * max_lanes + lane;
  }
  [[nodiscard]] bool may_lose(PortIndex port, std::uint8_t lane) const {
    return (lossy_[port] >> lane & 1) != 0;
  }
  void release(SimTime now);
  void resume(Context& context);
  void watch(Context& context);
  void tell(Context& context, std::uint32_t account, std::uint16_t quanta);
  void lose(const Context& context, PortIndex port, const Frame& train);

  PauseSettings settings_;
  std::string name_;
  std::vector<ReceiveTerms> terms_;  ///< by port
  std::vector<LaneMask> lossy_;      ///< by port: classes of which something may find no room
  FrameLine* line_ = nullptr;
  SharedMemory memory_;
  std::vector<Pause> pauses_;
  std::vector<Lost> lost_;             ///< by account
  std::vector<std::uint32_t> paused_;  ///< accounts, in the order of pausing
  std::vector<Leaving> leaving_;       ///< a heap
  SimTime timer_ = time_never;         ///< of the earliest that leaves, while somebody is paused
  PortIndex first_port_ = 0;           ///< that has this flow control
};

}  // namespace lightrail
