#pragma once
#include <string>
#include <vector>

#include "components/network/buffered_spec.hpp"
#include "components/network/line_time.hpp"
#include "components/network/link_meter.hpp"
#include "components/ocs/circuit_schedule.hpp"
#include "components/ocs/credit_ledger.hpp"
#include "engine/base/quantity.hpp"
#include "engine/model/component.hpp"

namespace lightrail {

struct OcsSpec final : BufferedSpec {
  std::uint32_t ports = 320;
  SimTime dark_time = milliseconds(25);
  Decibel insertion_loss{2.0};
  std::string circuits;
  Watts power{0};

  CircuitTable first;                     ///< from `circuits`
  std::vector<Reconfiguration> schedule;  ///< rising times

  InputBuffer input_buffer(PortIndex) const override { return {}; }
  bool is_transparent() const override { return true; }
};

/// An optical circuit switch: light that enters a port leaves at the port its circuit leads to, at once and
/// unbuffered.
///
/// A schedule replaces the circuits at given times. A circuit that stays the same stays lit; one that is
/// added has light dark_time later. A train whose head arrives while its port is dark or joined to nothing is
/// lost as a whole and counted; a train whose head passed before is whole. Nothing at this level sends lost
/// trains again, so their receivers never finish and the run ends as a deadlock, in which this component
/// names what it lost. Credits find the sender of the train they stand for whatever the circuits are now
/// (CreditLedger). insertion-loss is what a path through the switch adds to the light budget of its links
/// (links/optical). Leaves out: drifting and failing ports, crosstalk, re-training of transceivers after
/// light returns.
class Ocs final : public Component {
 public:
  explicit Ocs(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void finish(Context& context) override;
  std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  struct Port {
    PortIndex out = CircuitTable::dark;
    std::uint16_t unused[3] = {};
    SimTime since{};  ///< begin of the present row of the ocs table
    SimTime lit_from{};
    std::int64_t bytes = 0, lost_bytes = 0;  ///< payload since then
    std::int64_t lost_trains = 0;            ///< of the whole run, payload and control
    SimTime first_lost{};
  };

  void switch_circuits(Context& context);
  void write_row(Context& context, PortIndex port, SimTime end);
  void lose(Context& context, const Payload& train, PortIndex port);

  const Model& model_;
  const OcsSpec& spec_;
  MeterSettings meter_settings_;
  bool is_recorded_ = false;
  std::vector<LineTime> lines_;
  std::vector<LinkId> links_;
  std::vector<bool> has_credits_;  ///< by port: the device there takes part in flow control

  std::vector<Port> ports_;
  std::vector<LinkMeter> meters_;
  CreditLedger ledger_;
  std::uint32_t next_ = 0;  ///< into the schedule
};

std::shared_ptr<const ComponentKind> ocs_kind();

}  // namespace lightrail
