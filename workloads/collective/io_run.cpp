#include <cstdint>

#include "network/wire/phase.hpp"
#include "workloads/collective/comm_engine.hpp"

namespace lightrail {
namespace {

/// What an I/O operation waits for; its Owner::sub.
enum IoWait : std::uint32_t { wait_data, wait_ready, wait_done };

}  // namespace

void CommEngine::begin_io(Context& context, Transport& transport, std::uint32_t slot) {
  const Op& op = op_of(slot);
  runs_[slot].counts.assign(1, {});
  runs_[slot].open = 1;
  if (op.kind == OpKind::host_copy && op.peer == 0) return send_io(context, transport, slot);
  transport.send_control(context, io_peer(op), io_connection(runs_[slot].op, Phase::io_request));
  const bool is_write = op.kind == OpKind::storage_write;
  transport.expect(context, {io_peer(op),
                             io_connection(runs_[slot].op, is_write ? Phase::io_ready : Phase::io_data),
                             is_write ? 0 : op.bytes,
                             is_write ? control_bytes : op.bytes,
                             SimTime{0},
                             {slot, is_write ? wait_ready : wait_data}});
}

void CommEngine::send_io(Context& context, Transport& transport, std::uint32_t slot) {
  const Op& op = op_of(slot);
  const std::uint32_t index = runs_[slot].op;
  transport.send(context, {io_peer(op),
                           io_connection(index, Phase::io_data),
                           op.bytes,
                           op.bytes,
                           op.dimension,
                           false,
                           {slot, 0},
                           InSwitch::nothing,
                           false,
                           false,
                           op.kind == OpKind::storage_write && op.io != IoMode::own
                               ? io_->host_of((*book_)[self_].server)
                               : EndpointId{}});
  transport.expect(
      context,
      {io_peer(op), io_connection(index, Phase::io_done), 0, control_bytes, SimTime{0}, {slot, wait_done}});
}

void CommEngine::on_io(Context& context, Transport& transport, Owner owner) {
  if (owner.sub == wait_ready) return send_io(context, transport, owner.slot);
  --runs_[owner.slot].open;
}

}  // namespace lightrail
