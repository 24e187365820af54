#include "network/port/credit/credit_ledger.hpp"

namespace lightrail {

void CreditLedger::sent(PortIndex in, PortIndex out, std::uint8_t lane, std::uint32_t bytes) {
  auto& queue = queues_[index(out, lane)];
  if (queue.empty() || queue.back().in != in) queue.push_back({0, in, {}});
  queue.back().bytes += bytes;
}

void CreditLedger::save(StateWriter& out) const {
  for (const auto& queue : queues_) out.put(queue);
}

void CreditLedger::load(StateReader& in) {
  for (auto& queue : queues_) in.get(queue);
}

}  // namespace lightrail
