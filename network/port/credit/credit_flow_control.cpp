#include "network/port/credit/credit_flow_control.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "network/port/credit/credit_return.hpp"
#include "network/port/credit/credit_transit.hpp"
#include "network/port/credit/credit_use.hpp"

namespace lightrail {
namespace {

class Credits final : public FlowControlKind {
 public:
  [[nodiscard]] std::unique_ptr<SendControl> make_sender(std::span<const PortEnd> ports) const override {
    return std::make_unique<CreditUse>(ports);
  }
  [[nodiscard]] std::unique_ptr<ReceiveControl> make_receiver(std::span<const PortEnd> ports,
                                                              const std::string& name) const override {
    return std::make_unique<CreditReturn>(ports, name);
  }
  [[nodiscard]] std::unique_ptr<TransitControl> make_transit(std::uint32_t port_count) const override {
    return std::make_unique<CreditTransit>(port_count);
  }
};

}  // namespace

const FlowControlKind& credit_flow_control() {
  static const Credits kind;
  return kind;
}

}  // namespace lightrail
