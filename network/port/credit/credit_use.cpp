#include "network/port/credit/credit_use.hpp"

#include <algorithm>

#include "network/port/credit/counted_buffer.hpp"
#include "network/port/credit/credit.hpp"

namespace lightrail {

CreditUse::CreditUse(std::span<const PortEnd> ports) {
  for (const PortEnd& end : ports) {
    far_.push_back(end.far);
    far_.back().bytes = counted_buffer(end.far.bytes, end);
  }
}

SendTerms CreditUse::terms(PortIndex port) const {
  const auto bytes = static_cast<std::uint32_t>(std::min<std::int64_t>(far_[port].bytes, unlimited));
  return {.lanes = far_[port].lanes,
          .capacity = bytes,
          .allowed = bytes,
          .leaving = SendTerms::Leaving::subtracted,
          .adds_credits = debts_.empty()};
}

LaneMask CreditUse::on_message(Context&, PortIndex port, const Payload& message, SendLanes lanes) {
  const auto credit = as<Credit>(message);
  SendLane& lane = lanes[credit.lane];
  const std::uint32_t debt = debt_of(port, credit.lane), paid = std::min(debt, credit.bytes);
  LIGHTRAIL_EXPECT(credit.bytes <= lanes.capacity() - lane.allowed + debt);  // bytes are conserved
  lane.allowed += credit.bytes - paid;
  if (paid > 0) debts_[index(port, credit.lane)] -= paid;
  return static_cast<LaneMask>(1u << credit.lane);
}

bool CreditUse::can_borrow(PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                           std::uint32_t limit) const {
  return debt_of(port, lane) + bytes <= limit;
}

void CreditUse::borrow(PortIndex port, std::uint8_t lane, std::uint32_t bytes, SendLane& state) {
  if (debts_.empty()) debts_.resize(far_.size() * max_lanes);
  debts_[index(port, lane)] += bytes - state.allowed;
  state.allowed = bytes;
}

}  // namespace lightrail
