#include <cstdint>
#include <vector>

#include "network/wire/phase.hpp"
#include "workloads/collective/comm_engine.hpp"

namespace lightrail {

/// counts[r]: what round r has received; sent: 1 when its messages have been handed over.
void CommEngine::begin_exchange(Context& context, Transport& transport, std::uint32_t slot) {
  const auto& all = plan_as<ExchangePlan>(slot);
  const Op& op = op_of(slot);
  runs_[slot].counts.assign(all.rounds.size(), {});
  std::size_t open = 0;
  for (const ExchangePlan::Round& round : all.rounds) open += round.sends.size() + round.receives.size();
  runs_[slot].open = static_cast<std::uint32_t>(open);
  std::vector<bool> is_awaited(all.rounds.size());  // by a later round
  for (const ExchangePlan::Round& round : all.rounds)
    for (const std::uint32_t on : {round.after, round.also_after})
      if (on != ExchangePlan::none) is_awaited[on] = true;
  for (std::uint32_t r = 0; r < all.rounds.size(); ++r) {
    const bool is_counted = !is_awaited[r];
    for (const ExchangePlan::Message& m : all.rounds[r].receives)
      transport.expect(context, {m.peer,
                                 connection(op, Phase::exchange, all.rounds[r].lane),
                                 m.payload,
                                 m.wire,
                                 m.after,
                                 {slot, r},
                                 is_counted,
                                 all.is_by_gpu});
  }
  advance_exchange(context, transport, slot);
}

/// Hands over the messages of all rounds whose turn has come, in their order.
void CommEngine::advance_exchange(Context& context, Transport& transport, std::uint32_t slot) {
  const auto& all = plan_as<ExchangePlan>(slot);
  const Op& op = op_of(slot);
  auto& counts = runs_[slot].counts;
  // A round follows the one it waits for when that has been sent and all that it receives has come in.
  auto is_over = [&](std::uint32_t r) {
    return r == ExchangePlan::none || (counts[r].sent && counts[r].received == all.rounds[r].receives.size());
  };
  bool has_moved = false;
  for (std::uint32_t r = 0; r < all.rounds.size() || (all.is_out_of_order && has_moved); ++r) {
    if (r == all.rounds.size()) r = 0, has_moved = false;
    const ExchangePlan::Round& round = all.rounds[r];
    if (counts[r].sent || !is_over(round.after) || !is_over(round.also_after)) continue;
    counts[r].sent = 1;
    has_moved = true;
    for (const ExchangePlan::Message& m : round.sends)
      transport.send(context, {m.peer,
                               connection(op, Phase::exchange, round.lane),
                               m.payload,
                               m.wire,
                               op.dimension,
                               true,
                               {slot, no_count},
                               InSwitch::nothing,
                               all.is_by_gpu,
                               op.collective == CollectiveType::all_to_all});
  }
}

void CommEngine::on_exchange(Context& context, Transport& transport, Owner owner) {
  CommRun& run = runs_[owner.slot];
  --run.open;
  if (++run.counts[owner.sub].received == plan_as<ExchangePlan>(owner.slot).rounds[owner.sub].receives.size())
    advance_exchange(context, transport, owner.slot);
}

}  // namespace lightrail
