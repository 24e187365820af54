#include <algorithm>
#include <cstdint>

#include "workloads/collective/comm_engine.hpp"
#include "workloads/collective/ring.hpp"

namespace lightrail {

void CommEngine::begin_relay(Context& context, Transport& transport, std::uint32_t slot) {
  CommRun& run = runs_[slot];
  const auto& all = plan_as<RelayPlan>(slot);
  run.counts.assign(all.counts, {});
  run.open = 0;
  for (const RelayStage& stage : all.stages) run.open += stage.slices > 0;
  for (std::uint32_t s = 0; s < all.stages.size(); ++s) {
    if (all.stages[s].slices == 0) continue;
    for (std::uint32_t i = 0; i < all.stages[s].inputs.size(); ++i)
      expect_relay(context, transport, slot, s, i);
    expect_slots(context, transport, slot, s);
    if (all.stages[s].inputs.empty()) advance_relay(context, transport, slot, s);
  }
}

std::int64_t CommEngine::relay_wire_bytes(std::uint32_t slot, Medium medium, bool is_of_switch,
                                          std::int64_t payload) const {
  const NcclSettings& settings = nccl(op_of(slot));
  const Protocol protocol = runs_[slot].protocol;
  const auto& all = plan_as<RelayPlan>(slot);
  if (is_of_switch) return settings.nvls_wire_bytes(all.switch_efficiency, payload);
  if (medium == Medium::net)
    return settings.net_wire_bytes(protocol, payload, (payload + all.net_chunk - 1) / all.net_chunk);
  return settings.wire_bytes(protocol, medium, payload);
}

/// A slice beyond the buffer's steps waits until the receiver has handed one on.
bool CommEngine::has_slots(const RelayStage::Output& output, const Transport& transport) {
  return output.clear != Connection{} && transport.medium(output.to) == Medium::net;
}

void CommEngine::expect_slots(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t s) {
  const RelayStage& stage = plan_as<RelayPlan>(slot).stages[s];
  const std::uint32_t steps = nccl(op_of(slot)).steps;
  for (std::uint32_t i = 0; i < stage.outputs.size(); ++i)
    for (std::uint32_t k = steps; k < stage.slices && has_slots(stage.outputs[i], transport); ++k)
      transport.expect(context, {stage.outputs[i].to,
                                 stage.outputs[i].clear,
                                 0,
                                 control_bytes,
                                 SimTime{0},
                                 {slot, stage.count_of_output(i)}});
}

/// All slices at once: the software time after one must not hold up the next.
void CommEngine::expect_relay(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t s,
                              std::uint32_t i) {
  const RelayStage& stage = plan_as<RelayPlan>(slot).stages[s];
  const RelayStage::Input& input = stage.inputs[i];
  for (std::uint32_t k = 0; k < stage.slices; ++k) {
    const std::int64_t payload = part_bytes(stage.bytes, op_of(slot).element_bytes, stage.slices, k);
    transport.expect(context,
                     {input.from,
                      input.connection,
                      payload,
                      relay_wire_bytes(slot, transport.medium(input.from), input.is_of_switch, payload),
                      input.after,
                      {slot, stage.first_count + i}});
  }
}

/// Sends what is ready of stage `s`, then of those that wait for it.
void CommEngine::advance_relay(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t s) {
  const auto& all = plan_as<RelayPlan>(slot);
  const RelayStage& stage = all.stages[s];
  CommRun& run = runs_[slot];
  std::uint32_t ready = stage.slices;
  for (std::uint32_t i = 0; i < stage.inputs.size(); ++i)
    ready = std::min(ready, run.counts[stage.first_count + i].received);
  if (stage.after != RelayStage::none)
    ready = std::min(ready, run.counts[all.stages[stage.after].first_count].sent);
  if (stage.back != RelayStage::none)
    ready = std::min(ready, run.counts[all.stages[stage.back].first_count].received + stage.ahead);
  const std::uint32_t steps = nccl(op_of(slot)).steps;
  for (std::uint32_t i = 0; i < stage.outputs.size(); ++i)
    if (has_slots(stage.outputs[i], transport))
      ready = std::min(ready, run.counts[stage.count_of_output(i)].received + steps);
  std::uint32_t& sent = run.counts[stage.first_count].sent;
  if (sent == ready) return;
  const Op& op = op_of(slot);
  for (; sent < ready; ++sent) {
    const std::int64_t payload = part_bytes(stage.bytes, op.element_bytes, stage.slices, sent);
    for (const RelayStage::Input& input : stage.inputs)
      if (input.clear != Connection{} && transport.medium(input.from) == Medium::net &&
          sent + steps < stage.slices)
        transport.send_control(context, input.from, input.clear);
    for (const RelayStage::Output& output : stage.outputs)
      transport.send(context, {output.to,
                               output.connection,
                               payload,
                               relay_wire_bytes(slot, transport.medium(output.to),
                                                output.in_switch != InSwitch::nothing, payload),
                               op.dimension,
                               false,
                               {slot, 0},
                               output.in_switch});
  }
  if (sent == stage.slices) --run.open;
  for (std::uint32_t next = s + 1; next < all.stages.size(); ++next)
    if (all.stages[next].after == s) advance_relay(context, transport, slot, next);
}

void CommEngine::on_relay(Context& context, Transport& transport, Owner owner) {
  const auto& all = plan_as<RelayPlan>(owner.slot);
  auto it = std::upper_bound(
      all.stages.begin(), all.stages.end(), owner.sub,
      [](std::uint32_t count, const RelayStage& stage) { return count < stage.first_count; });
  const auto s = static_cast<std::uint32_t>(it - all.stages.begin()) - 1;
  ++runs_[owner.slot].counts[owner.sub].received;
  advance_relay(context, transport, owner.slot, s);
  for (std::uint32_t before = 0; before < s; ++before)
    if (all.stages[before].back == s) advance_relay(context, transport, owner.slot, before);
}

}  // namespace lightrail
