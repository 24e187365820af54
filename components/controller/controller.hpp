#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/controller/circuit_assignment.hpp"
#include "components/controller/phase_schedule.hpp"
#include "components/controller/port_map.hpp"
#include "engine/model/component.hpp"
#include "engine/model/kind.hpp"
#include "network/circuits/regions.hpp"
#include "network/port/device_traits.hpp"
#include "network/wire/message.hpp"

namespace lightrail {

/// When a region is reconfigured.
enum class ReconfigurePolicy : std::uint8_t {
  always,  ///< for every exchange whose circuits would differ
  once,    ///< for the first one
  never,   ///< the circuits of the start stay
  gain     ///< when the exchange gains more than the change costs
};

struct ControllerSpec final : Spec, ControllerTraits {
  Assignment algorithm = Assignment::greedy;
  std::uint32_t phases = 4;  ///< birkhoff_schedule: of an exchange, at most
  ReconfigurePolicy policy = ReconfigurePolicy::always;
  SimTime latency = microseconds(50);        ///< of the control network, one way
  SimTime decision{0};                       ///< to compute circuits
  SimTime guard = microseconds(10);          ///< from the last report of drained circuits to the command
  SimTime expected_dark = milliseconds(25);  ///< policy gain: what a change is expected to cost
  double packet_share = 2;                   ///< policy gain: packet NICs of a server, in circuits

  [[nodiscard]] SimTime control_latency() const override { return latency; }
  [[nodiscard]] bool makes_one_way_circuits() const override {
    return algorithm == Assignment::birkhoff_schedule;
  }
};

/// The controller of one region (MixNet): the servers of one expert-parallel group and their optical switch,
/// nothing else.
///
/// Every GPU of the region announces its demand for an exchange (call 0, 1, ...), or says that it has none
/// ever (a spare, a failed one). When all have, circuits are
/// computed; if they differ and the policy agrees: pause, wait until every GPU says that nothing of it is on
/// the way, command the optical switch, wait for its light, tell the GPUs their circuits and let the call
/// start. Else the call starts at once. An exchange with a schedule of phases begins with the first one's
/// circuits; when all GPUs have begun and the circuits have had the time that their bytes need, the next
/// phase's follow in the same way, and GPUs hold what is for later phases. When the switch reports that a
/// port has failed, or cannot make a circuit, its circuits go, and others are made for the last demand at
/// once if the policy agrees; it stays out of order. Circuits that stay are not touched: their ports keep
/// their light, but their traffic pauses too. Ports: 0 the optical switch, 1 ... the GPUs, member by member.
/// Assumes a control network without loss. Leaves out the failure of the controller itself.
class Controller final : public Component {
 public:
  explicit Controller(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void finish(Context& context) override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  enum class Wake : std::uint8_t { decide = 1, command, end_phase };
  /// Its own events.
  struct Timer {
    Wake kind{};
    std::uint8_t unused[7] = {};
    std::uint32_t epoch = 0;  ///< that a phase belongs to
    std::uint32_t unused_too = 0;

    [[nodiscard]] static constexpr bool carries(Wake wake) {
      return wake >= Wake::decide && wake <= Wake::end_phase;
    }
  };
  static_assert(Message<Timer>);
  /// serving: live, in a phase that another one follows.
  enum class Stage : std::uint8_t { live, deciding, draining, guarding, dark, serving };
  /// One exchange that GPUs announce.
  struct Call {
    std::uint32_t number = 0, reports = 0;
    DemandMatrix demand;
  };

  [[noreturn]] void refuse(const Payload& payload, PortIndex port, const Context& context) const;
  void on_timer(const Timer& timer, Context& context);
  void on_drained(std::uint32_t epoch, Context& context);
  void on_lit(Context& context);
  Call& call(std::uint32_t number);
  [[nodiscard]] std::uint32_t gpu_count() const {
    return gpus_ * static_cast<std::uint32_t>(region_.servers.size());
  }
  void decide_when_complete(Context& context);
  void decide(Context& context);
  /// Circuits for a demand as the policy has it, on ports that work; for a call or after a fault.
  [[nodiscard]] CircuitCounts wanted_for(const DemandMatrix& demand, const CircuitCounts& now) const;
  void change_to(const CircuitCounts& wanted, Context& context);
  void on_alarm(std::uint32_t port, Context& context);
  [[nodiscard]] bool is_worth(const DemandMatrix& demand, const CircuitCounts& now,
                              const CircuitCounts& wanted) const;
  void command(Context& context);
  void go_live(Context& context);
  // With a schedule of phases (controller_phases.cpp).
  [[nodiscard]] bool has_phases() const { return spec_.algorithm == Assignment::birkhoff_schedule; }
  void decide_phases(Context& context);
  [[nodiscard]] PhaseSchedule phases_for(const DemandMatrix& demand, const CircuitCounts& now) const;
  [[nodiscard]] PhaseSchedule worth_most(const std::vector<PhaseSchedule>& all, const DemandMatrix& demand,
                                         const CircuitCounts& now) const;
  [[nodiscard]] CircuitCounts counts_of_phase() const;
  void share_with_packets();
  void tell_beside(Context& context);
  void tell_later(Context& context);
  [[nodiscard]] bool has_later_phase() const { return phase_ + 1 < phases_.size(); }
  void start_phase(Context& context);
  void end_phase(std::uint32_t epoch, Context& context);
  void tell_all(Context& context, const Payload& payload);

  const Model& model_;
  const ControllerSpec& spec_;
  const Regions& regions_;
  Regions::Region region_;  ///< with what has failed meanwhile
  std::uint32_t gpus_ = 0;  ///< of a server

  std::vector<Call> calls_;  ///< announced by some GPU, not yet started
  std::vector<Regions::Circuit> circuits_, wanted_;
  Stage stage_ = Stage::live;
  std::uint32_t next_call_ = 0, epoch_ = 0, drained_ = 0;
  std::uint32_t absent_ = 0;  ///< GPUs that never announce
  std::int64_t changes_ = 0;
  DemandMatrix demand_;                  ///< the last one that circuits were made for
  PhaseSchedule phases_;                 ///< of the last call
  std::uint32_t phase_ = 0, begun_ = 0;  ///< number in phases_; GPUs that have begun the call
  /// Parts of Share::whole of a pair with circuits that take packet NICs (Regions::joins_both).
  std::uint32_t beside_ = 0;
  SimTime pause_at_{}, last_change_{};  ///< begin of the last change; how long the one before took
  bool is_stale_ = false,
       is_repair_ = false;  ///< GPUs know circuits that have gone; this change is for no call
};

[[nodiscard]] std::shared_ptr<const ComponentKind> controller_kind();

}  // namespace lightrail
