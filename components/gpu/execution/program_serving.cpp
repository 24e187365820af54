#include <cstdint>

#include "components/gpu/execution/program_runner.hpp"
#include "network/wire/phase.hpp"

namespace lightrail {
namespace {

/// Owner::slot of keys and values that come in; sub: the request.
constexpr std::uint32_t kv_slot = 0xfffffffe;
constexpr Connection kv_connection = Connection::make(0, 0, static_cast<std::uint32_t>(Phase::kv));

}  // namespace

void ProgramRunner::on_scheduler(Context& context, GpuTransport& transport, const Payload& p) {
  using namespace serving_control;
  LIGHTRAIL_EXPECT(batch_queue_.has_value());
  const MessageKind kind = kind_of(p);
  if (kind == MessageKind::prefill) return batch_queue_->take(as<Prefill>(p));
  if (kind == MessageKind::decode) return batch_queue_->take(as<Decode>(p));
  if (kind == MessageKind::go) {
    if (batch_queue_->take(as<Go>(p))) schedule(context, transport);
    return;
  }
  if (!KvMove::carries(kind))
    throw SimulationError(context.now(), model_.component_name(context.self()),
                          unexpected(p) + " from the scheduler; a gpu takes no such message");
  const auto move = as<KvMove>(p);
  const std::int64_t bytes = move.units * KvMove::unit;
  const EndpointId peer{move.gpu};
  if (kind == MessageKind::kv_receive)
    return transport.expect(context,
                            {peer, kv_connection, bytes, bytes, SimTime{0}, {kv_slot, move.request}});
  Transfer transfer;
  transfer.to = peer;
  transfer.connection = kv_connection;
  transfer.payload_bytes = transfer.wire_bytes = bytes;
  transfer.dimension = model_.resource<ServingPlan>()->kv_dimension;
  transport.send(context, transfer);
}

bool ProgramRunner::on_served(Context& context, Owner owner) {
  if (owner.slot != kv_slot) return false;
  context.send(GpuPort::scheduler, context.now(), to_payload(serving_control::KvDone{.request = owner.sub}));
  return true;
}

}  // namespace lightrail
