#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>

#include "workloads/collective/comm_engine.hpp"
#include "workloads/collective/overloaded.hpp"
#include "workloads/collective/ring.hpp"

namespace lightrail {

std::string CommEngine::name_of(EndpointId endpoint) const {
  return model_->component_name(book_->component_of[endpoint.value]);
}

std::string CommEngine::waits_for_data(EndpointId from) const {
  return "waits for data from " + name_of(from);
}

std::string CommEngine::waits_to_leave(EndpointId to) const {
  return fmt::format("waits for its message to {} to leave", name_of(to));
}

std::string CommEngine::waits_until_ready(EndpointId to) const {
  return fmt::format("waits until {} is ready to receive", name_of(to));
}

std::string CommEngine::waits_for(const Transport& transport, std::uint32_t slot) const {
  const CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  switch (run.stage) {
    case CommRun::Stage::starting:
      return "is starting";
    case CommRun::Stage::waiting:
      return "waits for its circuits";
    case CommRun::Stage::finishing:
      return "is copying its own block";
    case CommRun::Stage::meeting:
      if (op.kind == OpKind::collective) return "waits for the other members of its group";
      return op.kind == OpKind::recv ? waits_for_data(peer_of(op)) : waits_until_ready(peer_of(op));
    case CommRun::Stage::recalled:
      return "goes as one did before it";
    case CommRun::Stage::free:
    case CommRun::Stage::running:
      break;
  }
  if (op.kind == OpKind::recv) return waits_for_data(peer_of(op));
  if (op.kind == OpKind::send)
    return run.counts[0].sent ? waits_to_leave(peer_of(op)) : waits_until_ready(peer_of(op));
  if (op.kind != OpKind::collective) return fmt::format("waits for {}", name_of(io_peer(op)));
  return std::visit(Overloaded{[&](const RingSteps&) { return ring_waits(slot); },
                               [&](const FoldedRing&) -> std::string {
                                 return run.open ? "waits for the other members of its group" : "is complete";
                               },
                               [&](const RingStream&) { return stream_waits(slot); },
                               [&](const PeerMessages&) { return peer_waits(transport, slot); },
                               [&](const Dissemination&) { return barrier_waits(slot); },
                               [&](const RelayPlan& all) { return relay_waits(all, slot); },
                               [&](const ExchangePlan& all) { return exchange_waits(all, slot); }},
                    collective_plan(slot));
}

std::string CommEngine::ring_waits(std::uint32_t slot) const {
  const CommRun& run = runs_[slot];
  for (std::uint32_t c = 0; c < run.channels; ++c) {
    const RingPlace at = place(slot, c);
    const std::uint32_t steps = ring_steps(op_of(slot).collective, at.n);
    const CommRun::Count& count = run.counts[c];
    if (count.sent < std::min(steps, count.received + 1)) return waits_until_ready(at.next);
    if (count.received < steps) return waits_for_data(at.previous);
  }
  return run.open ? "waits for its last block to leave" : "is complete";
}

std::string CommEngine::stream_waits(std::uint32_t slot) const {
  const CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  const bool is_root = view(op).member(op.root) == self_;
  for (std::uint32_t c = 0; c < run.channels; ++c) {
    const RingPlace at = place(slot, c);
    const std::uint32_t count = slices(slot, c).count;
    if (is_root && count > 0 && run.counts[c].sent == 0) return waits_to_leave(at.next);
    if (!is_root && run.counts[c].received < count) return waits_for_data(at.previous);
  }
  return "is complete";
}

std::string CommEngine::peer_waits(const Transport& transport, std::uint32_t slot) const {
  const CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  const GroupView group = view(op);
  const std::uint32_t n = group.size, me = group.my_index;
  for (std::uint32_t d = 0; d < n; ++d) {
    const std::uint32_t from = (me + n - d) % n, to = (me + d) % n;
    if (run.counts[d].received == 0 && share(op, from, me, n) > 0) return waits_for_data(group.member(from));
    const std::int64_t payload = share(op, me, to, n);
    if (payload == 0) continue;
    const EndpointId receiver = group.member(to);
    if (!(run.counts[d].sent & is_posted) && waits_for_clear(payload, transport.medium(receiver)))
      return waits_until_ready(receiver);
    if (!(run.counts[d].sent & is_sent)) return waits_to_leave(receiver);
  }
  return "is complete";
}

std::string CommEngine::barrier_waits(std::uint32_t slot) const {
  const GroupView group = view(op_of(slot));
  const std::uint32_t distance = 1u << runs_[slot].counts[0].received;
  return fmt::format("waits for {}",
                     name_of(group.member((group.my_index + group.size - distance) % group.size)));
}

std::string CommEngine::relay_waits(const RelayPlan& all, std::uint32_t slot) const {
  for (const RelayStage& stage : all.stages)
    for (std::uint32_t i = 0; i < stage.inputs.size(); ++i)
      if (runs_[slot].counts[stage.first_count + i].received < stage.slices)
        return stage.inputs[i].from == self_ ? "waits for the sum of its part from the NVSwitch"
                                             : waits_for_data(stage.inputs[i].from);
  return "is complete";
}

std::string CommEngine::exchange_waits(const ExchangePlan& all, std::uint32_t slot) const {
  const auto& counts = runs_[slot].counts;
  for (std::uint32_t r = 0; r < counts.size(); ++r) {
    const auto& receives = all.rounds[r].receives;
    if (counts[r].received == receives.size()) continue;
    return fmt::format("waits for {} of {} messages of round {}", receives.size() - counts[r].received,
                       receives.size(), r) +
           (receives.size() == 1 ? ", from " + name_of(receives[0].peer) : "");
  }
  return "waits for its messages to leave";
}

}  // namespace lightrail
