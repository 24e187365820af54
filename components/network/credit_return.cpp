#include "components/network/credit_return.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "components/network/train.hpp"

namespace lightrail {

CreditReturn::CreditReturn(const BuildContext& build) : ports_(build.record.port_count) {
  std::int64_t longest = 0;
  std::vector<PortEnd> ends;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    ends.push_back(port_end(build, static_cast<PortIndex>(i)));
    if (ends[i].near.lanes > 0) longest = std::max<std::int64_t>(longest, ends[i].train_bytes());
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (!ends[i].is_connected || ends[i].near.lanes == 0) continue;
    InputBuffer buffer = ends[i].near;
    if (buffer.bytes < longest)
      throw InputErrors(
          InputError{"", 0,
                     fmt::format("{}: the input buffer of {} B at port {} does not hold one train of "
                                 "{} B (raise the buffer or lower the grain)",
                                 build.model.component_name(build.id), buffer.bytes, i, longest)});
    ports_[i].first = static_cast<std::uint32_t>(pending_.size());
    ports_[i].lanes = buffer.lanes;
    ports_[i].batch_bytes =
        ends[i].is_circuit ? 0
                           : static_cast<std::uint32_t>(
                                 std::min({buffer.bytes / 2, buffer.bytes - longest, std::int64_t{1} << 31}));
    pending_.resize(pending_.size() + buffer.lanes);
  }
}

void CreditReturn::freed(Context& context, PortIndex port, const Payload& train, SimTime at) {
  const Port& p = ports_[port];
  if (p.lanes == 0) return;
  LIGHTRAIL_EXPECT(train.lane < p.lanes);
  Pending& pending = pending_[p.first + train.lane];
  pending.bytes += train.bytes;
  pending.at = std::max(pending.at, at);
  if (pending.bytes < p.batch_bytes) return;
  Payload credit;
  credit.kind = static_cast<std::uint8_t>(WireKind::credit);
  credit.lane = train.lane;
  credit.bytes = pending.bytes;
  pending.bytes = 0;
  context.send(port, std::max(pending.at, context.now()), credit);
}

}  // namespace lightrail
