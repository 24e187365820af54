#include "network/port/credit/credit_return.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/transfer_time.hpp"
#include "network/port/credit/counted_buffer.hpp"
#include "network/port/credit/credit.hpp"

namespace lightrail {

std::int64_t longest_train(std::span<const PortEnd> ports) {
  std::int64_t longest = 0;
  for (const PortEnd& end : ports)
    if (end.near.lanes > 0) longest = std::max<std::int64_t>(longest, end.train_bytes());
  return longest;
}

bool is_long_way(const PortEnd& end, std::int64_t counted) {
  return end.in_rate.value > 0 &&
         transfer_time(Bytes{counted - counted / 4}, end.in_rate) < end.round_trip + end.pipeline;
}

CreditReturn::CreditReturn(std::span<const PortEnd> ports, const std::string& name) : terms_(ports.size()) {
  const std::int64_t longest = longest_train(ports);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const PortEnd& end = ports[i];
    if (!end.is_connected || end.near.lanes == 0) continue;
    if (end.near.bytes < longest)
      throw InputErrors(InputError{
          "", 0,
          fmt::format("{}: the input buffer of {} B at port {} does not hold one train of {} B (raise the "
                      "buffer or lower the grain)",
                      name, end.near.bytes, i, longest)});
    const std::int64_t counted = counted_buffer(end.near.bytes, end);
    const std::int64_t batch = std::min(counted - longest, std::int64_t{1} << 31);
    terms_[i].lanes = end.near.lanes;
    terms_[i].sends_credits = true;
    terms_[i].capacity = static_cast<std::uint32_t>(std::min<std::int64_t>(counted, unlimited));
    terms_[i].report_bytes =
        end.is_circuit || is_long_way(end, counted) ? 0 : static_cast<std::uint32_t>(batch);
  }
}

void CreditReturn::on_freed(Context& context, PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                            SimTime at) {
  context.send(port, at, to_payload(Credit{.lane = lane, .bytes = bytes}));
}

}  // namespace lightrail
