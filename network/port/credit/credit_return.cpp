#include "network/port/credit/credit_return.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "network/wire/credit.hpp"

namespace lightrail {

CreditReturn::CreditReturn(const BuildContext& build) : CreditReturn(ends_of(build)) {}

CreditReturn::CreditReturn(const Ends& ends)
    : port_count_(static_cast<std::uint32_t>(ends.ports.size())),
      lanes_(ends.lanes),
      pending_(ends.ports.size() * ends.lanes) {
  for (std::size_t i = 0; i < port_count_; ++i) {
    const PortEnd& end = ends.ports[i];
    if (!end.is_connected) continue;
    const std::int64_t batch =
        std::min({end.near.bytes / 2, end.near.bytes - ends.longest, std::int64_t{1} << 31});
    for (std::uint32_t k = 0; k < end.near.lanes; ++k)
      pending_[k * port_count_ + i].batch_bytes = end.is_circuit ? 0 : static_cast<std::uint32_t>(batch);
  }
}

CreditReturn::Ends CreditReturn::ends_of(const BuildContext& build) {
  Ends ends;
  for (std::size_t i = 0; i < build.record.port_count; ++i) {
    const PortEnd& end = ends.ports.emplace_back(port_end(build, static_cast<PortIndex>(i)));
    if (end.near.lanes > 0) ends.longest = std::max<std::int64_t>(ends.longest, end.train_bytes());
    if (end.is_connected) ends.lanes = std::max<std::uint32_t>(ends.lanes, end.near.lanes);
  }
  for (std::size_t i = 0; i < ends.ports.size(); ++i) {
    const PortEnd& end = ends.ports[i];
    if (end.is_connected && end.near.lanes > 0 && end.near.bytes < ends.longest)
      throw InputErrors(
          InputError{"", 0,
                     fmt::format("{}: the input buffer of {} B at port {} does not hold one train of "
                                 "{} B (raise the buffer or lower the grain)",
                                 build.model.component_name(build.id), end.near.bytes, i, ends.longest)});
  }
  return ends;
}

void CreditReturn::give_back(Context& context, PortIndex port, std::uint8_t lane, Pending& pending) {
  const Credit credit{.lane = lane, .bytes = pending.bytes};
  pending.bytes = 0;
  context.send(port, std::max(pending.at, context.now()), to_payload(credit));
}

}  // namespace lightrail
