#include <fmt/format.h>

#include "workloads/collective/comm_engine.hpp"
#include "workloads/collective/ring.hpp"

namespace lightrail {

std::string CommEngine::name_of(EndpointId endpoint) const {
  return model_->component_name(book_->component_of[endpoint.value]);
}

std::string CommEngine::waits_for(const Transport& transport, std::uint32_t slot) const {
  const CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  if (run.stage == CommRun::Stage::starting) return "is starting";
  if (run.stage == CommRun::Stage::waiting) return "waits for its circuits";
  auto from = [&](EndpointId endpoint) { return "waits for data from " + name_of(endpoint); };
  auto until = [&](EndpointId endpoint) {
    return fmt::format("waits until {} is ready to receive", name_of(endpoint));
  };
  auto leaves = [&](EndpointId endpoint) {
    return fmt::format("waits for its message to {} to leave", name_of(endpoint));
  };
  if (run.stage == CommRun::Stage::finishing) return "is copying its own block";
  if (op.kind == OpKind::recv) return from(peer_of(op));
  if (op.kind == OpKind::send) return run.counts[0].sent ? leaves(peer_of(op)) : until(peer_of(op));
  if (op.kind != OpKind::collective) return fmt::format("waits for {}", name_of(io_peer(op)));

  const GroupView group = view(op);
  const std::uint32_t n = group.size, me = group.my_index;
  if (op.collective == CollectiveType::barrier)
    return fmt::format("waits for {}", name_of(group.member((me + n - (1u << run.counts[0].received)) % n)));
  if (form(slot) == Form::exchange) {
    const auto& rounds = exchange(slot).rounds;
    for (std::uint32_t r = 0; r < run.counts.size(); ++r)
      if (run.counts[r].received < rounds[r].receives.size())
        return fmt::format("waits for {} of {} messages of round {}",
                           rounds[r].receives.size() - run.counts[r].received, rounds[r].receives.size(), r) +
               (rounds[r].receives.size() == 1 ? ", from " + name_of(rounds[r].receives[0].peer) : "");
    return "waits for its messages to leave";
  }
  if (op.collective == CollectiveType::all_to_all) {
    for (std::uint32_t d = 0; d < n; ++d) {
      const EndpointId sender = group.member((me + n - d) % n), receiver = group.member((me + d) % n);
      if (run.counts[d].received == 0 && share(op, (me + n - d) % n, me, n) > 0) return from(sender);
      if (share(op, me, (me + d) % n, n) == 0) continue;
      if (!(run.counts[d].sent & is_posted) &&
          waits_for_clear(share(op, me, (me + d) % n, n), transport.medium(receiver)))
        return until(receiver);
      if (!(run.counts[d].sent & is_sent)) return leaves(receiver);
    }
    return "is complete";
  }
  if (form(slot) == Form::relay) {
    for (const RelayStage& stage : relay(slot).stages)
      for (std::uint32_t i = 0; i < stage.inputs.size(); ++i)
        if (run.counts[stage.first_count + i].received < stage.slices)
          return stage.inputs[i].from == self_ ? "waits for the sum of its part from the NVSwitch"
                                               : from(stage.inputs[i].from);
    return "is complete";
  }
  if (form(slot) == Form::folded_ring)
    return run.open ? "waits for the other members of its group" : "is complete";
  for (std::uint32_t c = 0; c < run.channels; ++c) {
    const RingPlace at = place(slot, c);
    if (op.collective == CollectiveType::broadcast) {
      if (group.member(op.root) == self_) {
        if (slices(slot, c).count > 0 && run.counts[c].sent == 0) return leaves(at.next);
      } else if (run.counts[c].received < slices(slot, c).count) {
        return from(at.previous);
      }
    } else if (run.counts[c].received < ring_steps(op.collective, at.n)) {
      return from(at.previous);
    }
  }
  return "is complete";
}

}  // namespace lightrail
