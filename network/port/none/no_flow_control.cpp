#include "network/port/none/no_flow_control.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace lightrail {
namespace {

class Sender final : public SendControl {
 public:
  [[nodiscard]] SendTerms terms(PortIndex) const override { return {}; }
  LaneMask on_message(Context&, PortIndex, const Payload&, SendLanes) override {
    fail_contract("without flow control there are no messages of it", __FILE__, __LINE__);
  }
  // Trains never wait for the far end: only for a link that has failed, or for their turn.
  [[nodiscard]] std::string_view awaited() const override { return "the line"; }
};

class Receiver final : public ReceiveControl {
 public:
  [[nodiscard]] ReceiveTerms terms(PortIndex) const override { return {}; }
  void on_freed(Context&, PortIndex, std::uint8_t, std::uint32_t, SimTime) override {
    fail_contract("without flow control nobody counts what is freed", __FILE__, __LINE__);
  }
};

class Transit final : public TransitControl {
 public:
  void on_passed(PortIndex, PortIndex, const Frame&) override {}
  void on_lost(Context&, PortIndex, const Frame&) override {}
  void on_message(Context&, PortIndex, const Payload&) override {
    fail_contract("without flow control there are no messages of it", __FILE__, __LINE__);
  }
};

class None final : public FlowControlKind {
 public:
  [[nodiscard]] std::unique_ptr<SendControl> make_sender(std::span<const PortEnd>) const override {
    return std::make_unique<Sender>();
  }
  [[nodiscard]] std::unique_ptr<ReceiveControl> make_receiver(std::span<const PortEnd>,
                                                              const std::string&) const override {
    return std::make_unique<Receiver>();
  }
  [[nodiscard]] std::unique_ptr<TransitControl> make_transit(std::uint32_t) const override {
    return std::make_unique<Transit>();
  }
};

}  // namespace

const FlowControlKind& no_flow_control() {
  static const None kind;
  return kind;
}

}  // namespace lightrail
