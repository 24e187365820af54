#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/kind.hpp"
#include "engine/model/output_selection.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/line_time.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/message.hpp"
#include "network/wire/serving_control.hpp"
#include "workloads/program/serving.hpp"

namespace lightrail {

/// <gateway> of <users>.
struct GatewaySpec final : Spec, DeviceTraits {
  SimTime delay{};  ///< of a prompt on its way in, and of tokens on their way out

  [[nodiscard]] DeviceRole role() const override { return DeviceRole::gateway; }
};

/// A machine on the front end by which users come in, as an API gateway: sends prompts to the GPUs that the
/// scheduler says, receives tokens from them and tells it when the users have them.
///
/// Ports: j = NIC j, then the scheduler. Prompts leave `delay` after the scheduler's word, in one message
/// each, for one GPU all by the same NIC; tokens come in on the first and are with their users `delay` later.
/// Leaves out the users' own way to the gateway, its CPUs and connections.
class Gateway final : public Component {
 public:
  explicit Gateway(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void finish(Context& context) override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  enum class Wake : std::uint8_t { prompt = 32, tokens };
  /// Its own events.
  struct Timer {
    Wake kind{};
    std::uint8_t unused[7] = {};
    std::uint32_t gpu = 0;
    std::uint32_t what = 0;  ///< prompt: the request; tokens: the train's size [B]

    [[nodiscard]] static constexpr bool carries(Wake wake) {
      return wake == Wake::prompt || wake == Wake::tokens;
    }
  };
  static_assert(Message<Timer>);
  /// A message of tokens that the scheduler has announced.
  struct Awaited {
    std::int64_t number = 0, bytes = 0;
  };
  /// What a GPU sends: messages in their order, of which `came` bytes are here.
  struct Incoming {
    std::int64_t came = 0;
    std::deque<Awaited> awaited;
  };
  struct Counter {
    std::int64_t bytes = 0, messages = 0;
  };

  void on_scheduler(const Payload& payload, Context& context);
  void take(const Payload& payload, PortIndex port, Context& context);
  void send_prompt(EndpointId gpu, std::uint32_t request, Context& context);
  void settle(Incoming& incoming, Context& context);
  [[noreturn]] void fail(const Context& context, const std::string& what) const;

  const Model& model_;
  const GatewaySpec& spec_;
  const ServingPlan& plan_;
  EndpointId self_;
  PortIndex scheduler_;             ///< its port, the last
  std::vector<LineTime> in_lines_;  ///< by port
  bool records_matrix_ = false;

  std::map<std::uint32_t, Incoming> incoming_;  ///< by GPU
  std::map<std::uint32_t, Counter> sent_;       ///< by GPU
};

[[nodiscard]] std::shared_ptr<const ComponentKind> gateway_kind();

}  // namespace lightrail
