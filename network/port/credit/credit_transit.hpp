#pragma once
#include <cstdint>

#include "network/port/credit/credit_ledger.hpp"
#include "network/port/flow_control.hpp"

namespace lightrail {

/// Credits in an optical switch: they find the sender of the train that they stand for, whatever the circuits
/// are now, and pass in the dark too (a link that comes up again would exchange them anew). A lost train's go
/// back at once.
class CreditTransit final : public TransitControl {
 public:
  explicit CreditTransit(std::uint32_t port_count) : ledger_(port_count) {}

  void on_passed(PortIndex in, PortIndex out, const Frame& train) override {
    ledger_.sent(in, out, train.lane, train.bytes);
  }
  void on_lost(Context& context, PortIndex in, const Frame& train) override;
  void on_message(Context& context, PortIndex port, const Payload& message) override;
  void save(StateWriter& out) const override { ledger_.save(out); }
  void load(StateReader& in) override { ledger_.load(in); }

 private:
  CreditLedger ledger_;
};

}  // namespace lightrail
