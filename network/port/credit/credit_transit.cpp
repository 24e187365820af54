#include "network/port/credit/credit_transit.hpp"

#include "network/port/credit/credit.hpp"

namespace lightrail {

void CreditTransit::on_lost(Context& context, PortIndex in, const Frame& train) {
  context.send(in, context.now(), to_payload(Credit{.lane = train.lane, .bytes = train.bytes}));
}

void CreditTransit::on_message(Context& context, PortIndex port, const Payload& message) {
  const auto credit = as<Credit>(message);
  ledger_.freed(port, credit.lane, credit.bytes, [&](PortIndex sender, std::uint32_t bytes) {
    context.send(sender, context.now(), to_payload(Credit{.lane = credit.lane, .bytes = bytes}));
  });
}

}  // namespace lightrail
