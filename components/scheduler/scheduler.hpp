#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "components/scheduler/batch_maker.hpp"
#include "engine/model/component.hpp"
#include "engine/model/kind.hpp"
#include "engine/model/output_selection.hpp"
#include "network/port/device_traits.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/message.hpp"
#include "network/wire/serving_control.hpp"

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
/// Ports: i = GPU i, then the gateways by which users come in. A batch goes to every GPU of its replica at
/// once and has ended when all say so. A request that was prefilled waits, with its keys and values, until a
/// decoding replica has room for all its tokens; then each GPU there gets its part from one that has it.
/// Times of requests are the scheduler's: a token is there when the scheduler knows. Leaves out tokenisation
/// and failures.
///
/// Where there are gateways, request i comes in by gateway i modulo them: the scheduler chooses its replica
/// and lets the gateway send the prompt to the replica's first GPU, and only what has come in whole joins the
/// queue. After a batch its tokens go from the first GPU of the last stage to the gateways, in one message
/// each, and nothing waits for them.
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
  /// A first or last token on its way.
  struct Milestone {
    std::uint32_t request = 0, is_last = 0;
  };

  void on_timer(const Timer& timer, Context& context);
  void on_arrival(Context& context);
  void on_batch_done(Context& context, std::uint32_t replica, std::uint32_t number);
  void on_kv_done(Context& context, std::uint32_t request);
  void on_prompt_done(Context& context, const serving_control::PromptDone& done);
  void on_tokens_done(Context& context, const serving_control::TokensDone& done);
  /// The prompt of a request whose replica is chosen.
  void fetch_prompt(Context& context, std::uint32_t request);
  /// Those of a batch that has ended to the users they are for.
  void send_tokens(Context& context, const Replica& replica, const Batch& batch);
  /// Makes batches for a replica after the time that takes, unless that is already under way.
  void poke(Context& context, std::uint32_t replica);
  void decide(Context& context, std::uint32_t replica);
  void send_batch(Context& context, const Replica& replica, const Batch& batch);
  void move_prefilled(Context& context);
  void end_request(Context& context, std::uint32_t request);
  void record_request(Context& context, std::uint32_t request);
  [[nodiscard]] std::uint32_t replica_of_port(PortIndex port) const;
  /// By which a request comes in, where there are gateways.
  [[nodiscard]] std::uint32_t gateway_of(std::uint32_t request) const {
    return request % book_.gateway_count;
  }
  [[nodiscard]] PortIndex port_of_gateway(std::uint32_t gateway) const {
    return static_cast<PortIndex>(book_.gpu_count + gateway);
  }

  const Model& model_;
  const SchedulerSpec& spec_;
  const ServingPlan& plan_;
  const OutputSelection* output_;
  const AddressBook& book_;

  std::vector<Replica> replicas_;        ///< pool after pool
  std::vector<RequestState> requests_;   ///< by request
  std::vector<std::uint32_t> deciding_;  ///< by replica: 1: a batch is being made
  std::deque<std::uint32_t> prefilled_;  ///< requests that wait for a decoding replica
  std::uint32_t arrived_ = 0, ended_ = 0;
  std::map<std::uint32_t, std::vector<Milestone>> on_the_way_;  ///< by message of tokens that has some
  std::uint32_t next_message_ = 0;                              ///< of tokens
};

[[nodiscard]] std::shared_ptr<const ComponentKind> scheduler_kind();

}  // namespace lightrail
