#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/ethernet-switch/ethernet_switch.hpp"

namespace lightrail::test {

/// Says of every frame that comes in at a switch whether it is lost, or trimmed. Called in the order of
/// events.
using Loss = std::function<bool(const Frame&)>;

/// An Ethernet switch before which frames get lost that NICs repair: as a memory that is full for a moment,
/// at moments that a test chooses; or they lose their payload there.
class LossySwitch final : public Component {
 public:
  LossySwitch(const BuildContext& build, Loss loss, Loss trims)
      : inner_(build), loss_(std::move(loss)), trims_(std::move(trims)) {}

  void handle(const Event& event, PortIndex port, Context& context) override {
    const MessageKind kind = kind_of(event.payload);
    if (port != self_port && may_be_lost(kind) && loss_(as<Frame>(event.payload))) return;
    const bool can_be_trimmed =
        port != self_port && trims_ && is_payload(kind) && NumberedTrain::carries(kind);
    if (!can_be_trimmed || !trims_(as<Frame>(event.payload))) return inner_.handle(event, port, context);
    Event cut = event;
    cut.payload = to_payload(as<NumberedTrain>(event.payload).trimmed(4096));
    inner_.handle(cut, port, context);
  }
  void finish(Context& context) override { inner_.finish(context); }
  [[nodiscard]] std::vector<std::string> waits_for() const override { return inner_.waits_for(); }
  void save(StateWriter& out) const override { inner_.save(out); }
  void load(StateReader& in) override { inner_.load(in); }

 private:
  EthernetSwitch inner_;
  Loss loss_, trims_;
};

[[nodiscard]] inline std::shared_ptr<const ComponentKind> lossy_switch_kind(Loss loss, Loss trims = {}) {
  auto kind = std::make_shared<ComponentKind>(*ethernet_switch_kind());
  kind->make = [loss = std::move(loss), trims = std::move(trims)](const BuildContext& build) {
    return std::make_unique<LossySwitch>(build, loss, trims);
  };
  return kind;
}

}  // namespace lightrail::test
