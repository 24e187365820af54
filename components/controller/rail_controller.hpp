#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/component.hpp"
#include "engine/model/kind.hpp"
#include "network/circuits/rails.hpp"
#include "network/port/device_traits.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

struct RailControllerSpec final : Spec, ControllerTraits {
  SimTime latency = microseconds(50);  ///< of the control network, one way
  SimTime decision{0};                 ///< to compute circuits
  SimTime guard = microseconds(10);    ///< from there to the command: what has left is there by then

  [[nodiscard]] SimTime control_latency() const override { return latency; }
};

/// The controller of one rail (photonic rails, Opus): gives GPUs circuits when they ask for them.
///
/// A GPU asks when it has something for a server that it does not send to, and has nothing on the way. Who
/// gets light from whom is one to one in each direction: where the receiver still has light of another GPU,
/// that one is asked to release it, which it does when it has been idle for a while. Requests are served in
/// the order they came, those that must wait passed over; the optical switch gets one command at a time, with
/// all circuits that have become possible meanwhile. Control messages of collectives go through here: they
/// stand for the packet network of the servers, whose circuits lead one way. Ports: 0 the optical switch,
/// 1 ... the rail's GPUs, server by server. Leaves out its own failure.
class RailController final : public Component {
 public:
  explicit RailController(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void finish(Context& context) override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct Request {
    std::uint32_t from = 0, to = 0;
  };
  enum class Wake : std::uint8_t { command = 32 };
  /// Its own event: the command that is under way goes to the optical switch.
  struct Timer {
    Wake kind = Wake::command;
    std::uint8_t unused[15] = {};

    [[nodiscard]] static constexpr bool carries(Wake wake) { return wake == Wake::command; }
  };
  static_assert(Message<Timer>);

  void on_switch(const Payload& payload, Context& context);
  void release(std::uint32_t server);
  void serve(Context& context);
  void command(Context& context);
  void grant(Context& context);
  void pass(const Train& control, Context& context);
  [[noreturn]] void refuse(const Payload& payload, PortIndex port, const Context& context) const;
  void tell(Context& context, std::uint32_t server, const Payload& payload) {
    context.send(static_cast<PortIndex>(1 + server), context.now(), payload);
  }

  const Model& model_;
  const RailControllerSpec& spec_;
  const AddressBook& book_;
  std::uint32_t servers_ = 0;

  std::vector<std::uint32_t> to_, from_;  ///< by server: whom it sends to, whom it gets light from, or will
  std::vector<std::uint32_t> commanded_;  ///< to_ when the guard of the command under way began
  std::vector<std::uint8_t> is_reclaimed_;
  std::vector<Request> waiting_, next_;  ///< in the order they came; next_: of the command under way
  bool is_switching_ = false;
};

[[nodiscard]] std::shared_ptr<const ComponentKind> rail_controller_kind();

}  // namespace lightrail
