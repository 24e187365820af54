#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "components/scheduler/batch_maker.hpp"
#include "engine/model/component.hpp"
#include "engine/model/kind.hpp"
#include "engine/model/output_selection.hpp"
#include "network/port/device_traits.hpp"
#include "network/wire/message.hpp"

namespace lightrail {

struct SchedulerSpec final : Spec, ControllerTraits {
  SimTime latency = microseconds(10);  ///< between scheduler and GPU, one way
  SimTime decision{0};                 ///< to make a batch

  [[nodiscard]] SimTime control_latency() const override { return latency; }
};

/// The serving software of an inference job: takes requests as they arrive, gives each to the replica with
/// the least work, makes the batches of every replica (Replica) and moves requests from replicas that prefill
/// to those that decode.
///
/// Ports: i = GPU i. A batch goes to every GPU of its replica at once and has ended when all say so. A
/// request that was prefilled waits, with its keys and values, until a decoding replica has room for all its
/// tokens; then each GPU there gets its part from one that has it. Times of requests are the scheduler's: a
/// token is there when the scheduler knows. Leaves out tokenisation, the way to the user and failures.
class Scheduler final : public Component {
 public:
  explicit Scheduler(const BuildContext& build);

  void start(Context& context) override;
  void handle(const Event& event, PortIndex port, Context& context) override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  enum class Wake : std::uint8_t { arrival = 1, decide };
  /// Its own events.
  struct Timer {
    Wake kind{};
    std::uint8_t unused[7] = {};
    std::uint32_t replica = 0;  ///< decide: for which
    std::uint32_t unused_too = 0;

    [[nodiscard]] static constexpr bool carries(Wake wake) {
      return wake == Wake::arrival || wake == Wake::decide;
    }
  };
  static_assert(Message<Timer>);

  void on_timer(const Timer& timer, Context& context);
  void on_arrival(Context& context);
  void on_batch_done(Context& context, std::uint32_t replica, std::uint32_t number);
  void on_kv_done(Context& context, std::uint32_t request);
  /// Makes batches for a replica after the time that takes, unless that is already under way.
  void poke(Context& context, std::uint32_t replica);
  void decide(Context& context, std::uint32_t replica);
  void send_batch(Context& context, const Replica& replica, const Batch& batch);
  void move_prefilled(Context& context);
  void end_request(Context& context, std::uint32_t request);
  [[nodiscard]] std::uint32_t replica_of_port(PortIndex port) const;

  const Model& model_;
  const SchedulerSpec& spec_;
  const ServingPlan& plan_;
  const OutputSelection* output_;

  std::vector<Replica> replicas_;        ///< pool after pool
  std::vector<RequestState> requests_;   ///< by request
  std::vector<std::uint32_t> deciding_;  ///< by replica: 1: a batch is being made
  std::deque<std::uint32_t> prefilled_;  ///< requests that wait for a decoding replica
  std::uint32_t arrived_ = 0, ended_ = 0;
};

[[nodiscard]] std::shared_ptr<const ComponentKind> scheduler_kind();

}  // namespace lightrail
