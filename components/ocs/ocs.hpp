#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/ocs/circuits.hpp"
#include "components/ocs/ocs_spec.hpp"
#include "engine/base/random.hpp"
#include "engine/model/component.hpp"
#include "engine/model/kind.hpp"
#include "network/health/light_losses.hpp"
#include "network/health/port_change.hpp"
#include "network/port/flow_control.hpp"
#include "network/port/line_time.hpp"
#include "network/port/link_meter.hpp"
#include "network/port/traffic_meters.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// An optical circuit switch: light that enters a port leaves at the port its circuit leads to, at once and
/// unbuffered.
///
/// A schedule or a controller's commands (at the port behind the optical ones) replace the circuits. A
/// circuit that stays the same stays lit unless dark="all"; one that is added has light dark_time later, with
/// serial="on" after those before it, and carries data when the receivers have trained (LinkLight). A train
/// whose head arrives while its port is dark or joined to nothing is lost as a whole and counted; one whose
/// head passed before is whole. What is lost or corrupt comes back to its sender, whose transport sends it
/// again (MessageKind::lost_train). A path's loss, seeded, and the light of its two links give its margin and
/// so the codewords that FEC cannot correct; a path with far too little light stays dark. Faulty ports stay
/// dark or keep their circuit. A fibre that loses light (flap-interval) loses what the switch sends on it.
/// Messages of flow control go where TransitControl says, dark or not. Its controller is told of ports that
/// have failed when traffic or a command meets them, of paths with too little light, and of circuits that
/// could not be made. Leaves out crosstalk.
class Ocs final : public Component {
 public:
  explicit Ocs(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void finish(Context& context) override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  /// Losses of light on the fibre from an output.
  struct Flaps {
    LightLosses losses;
    SimTime up_at{};  ///< light is away until then
  };

  void pass(const Frame& train, PortIndex port, Context& context);
  [[noreturn]] void refuse(const Payload& payload, PortIndex port, const Context& context) const;
  void on_control(const Payload& payload, Context& context);
  /// The table commanded is complete; it is made (carry_out) when the switch's processor is ready.
  void prepare(Context& context);
  void carry_out(Context& context);
  /// Schedule and faults up to now.
  void catch_up(Context& context);
  void raise_alarm(std::uint32_t port, Context& context);
  void report_missing(const CircuitTable& wanted, const CircuitTable& got, Context& context);
  /// The circuits since the last apply.
  [[nodiscard]] CircuitTable commanded() const;
  [[nodiscard]] double link_energy_pj() const;
  bool is_cut_off(PortIndex out, SimTime now, std::uint32_t bytes);
  void send_back(Context& context, const Frame& train, PortIndex port, bool is_corrupt);
  [[nodiscard]] PortIndex control_port() const { return static_cast<PortIndex>(spec_.ports); }

  const Model& model_;
  const OcsSpec& spec_;
  MeterSettings meter_settings_;
  TrafficMeters traffic_meters_;
  std::vector<LineTime> lines_;
  std::span<const PortChange> changes_;  ///< of this switch in the HealthTable

  Circuits circuits_;
  std::vector<LinkMeter> meters_;
  std::map<PortIndex, Flaps> flaps_;  ///< of outputs whose fibre loses light
  std::unique_ptr<TransitControl> transit_;
  std::uint32_t next_ = 0, next_fault_ = 0;  ///< into the schedule and changes_
  std::vector<std::uint32_t> commanded_;     ///< in, out of the circuits since the last apply
  Random jitter_, errors_;
  bool is_over_ = false;  ///< the run has ended: nothing is sent any more
};

[[nodiscard]] std::shared_ptr<const ComponentKind> ocs_kind();

}  // namespace lightrail
