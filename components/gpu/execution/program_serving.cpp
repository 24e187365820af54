#include <cstdint>

#include "components/gpu/execution/program_runner.hpp"
#include "network/wire/phase.hpp"

namespace lightrail {
namespace {

/// Owner::slot of keys and values, and of a prompt, that come in; sub: the request.
constexpr std::uint32_t kv_slot = 0xfffffffe, prompt_slot = 0xfffffffd;
constexpr Connection kv_connection = Connection::make(0, 0, static_cast<std::uint32_t>(Phase::kv));
constexpr Connection users_connection = Connection::make(0, 0, static_cast<std::uint32_t>(Phase::users));

Transfer transfer_of(EndpointId to, Connection connection, std::int64_t bytes, std::uint16_t dimension) {
  Transfer transfer;
  transfer.to = to;
  transfer.connection = connection;
  transfer.payload_bytes = transfer.wire_bytes = bytes;
  transfer.dimension = dimension;
  return transfer;
}

Expectation expectation_of(EndpointId from, Connection connection, std::int64_t bytes, Owner owner) {
  return {from, connection, bytes, bytes, SimTime{0}, owner};
}

}  // namespace

void ProgramRunner::on_scheduler(Context& context, GpuTransport& transport, const Payload& p) {
  using namespace serving_control;
  LIGHTRAIL_EXPECT(batch_queue_.has_value());
  const ServingPlan& plan = *model_.resource<ServingPlan>();
  switch (kind_of(p)) {
    case MessageKind::prefill:
      return batch_queue_->take(as<Prefill>(p));
    case MessageKind::decode:
      return batch_queue_->take(as<Decode>(p));
    case MessageKind::go:
      if (batch_queue_->take(as<Go>(p))) schedule(context, transport);
      return;
    case MessageKind::kv_receive: {
      const auto move = as<KvMove>(p);
      return transport.expect(context, expectation_of(EndpointId{move.gpu}, kv_connection,
                                                      move.units * KvMove::unit, {kv_slot, move.request}));
    }
    case MessageKind::kv_send: {
      const auto move = as<KvMove>(p);
      return transport.send(context, transfer_of(EndpointId{move.gpu}, kv_connection,
                                                 move.units * KvMove::unit, plan.kv_dimension));
    }
    case MessageKind::prompt_receive: {
      const auto move = as<PromptMove>(p);
      return transport.expect(
          context, expectation_of(EndpointId{move.endpoint}, users_connection, plan.bytes_in(move.request),
                                  {prompt_slot, move.request}));
    }
    case MessageKind::tokens_send: {
      const auto move = as<TokensMove>(p);
      return transport.send(context, transfer_of(EndpointId{move.endpoint}, users_connection,
                                                 move.tokens * plan.users.token_bytes, plan.users.dimension));
    }
    default:
      throw SimulationError(context.now(), model_.component_name(context.self()),
                            unexpected(p) + " from the scheduler; a gpu takes no such message");
  }
}

bool ProgramRunner::on_served(Context& context, Owner owner) {
  using namespace serving_control;
  if (owner.slot == kv_slot)
    context.send(GpuPort::scheduler, context.now(), to_payload(KvDone{.request = owner.sub}));
  else if (owner.slot == prompt_slot)
    context.send(GpuPort::scheduler, context.now(),
                 to_payload(PromptDone{.request = owner.sub, .at = context.now()}));
  else
    return false;
  return true;
}

}  // namespace lightrail
