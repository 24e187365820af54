#include "components/gpu/transport/paths/several_nics_path.hpp"

#include <algorithm>

#include "components/gpu/transport/paths/stripes.hpp"
#include "network/wire/phase.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {

std::unique_ptr<Path> SeveralNicsPath::make(const BuildContext& build, PathHost& host) {
  if (!host.book().has_nic_addresses()) return nullptr;
  const bool is_pxn = nccl_settings_of(build.model).pxn && host.is_connected(GpuPort::nvlink);
  return std::make_unique<SeveralNicsPath>(host, is_pxn);
}

SeveralNicsPath::SeveralNicsPath(PathHost& host, bool is_pxn)
    : host_(host), rails_(host.book(), host.self()), is_pxn_(is_pxn), nics_(host.book().nics(host.self())) {
  host.tell_parts_to(*this);
}

bool SeveralNicsPath::leads_to(SimTime, EndpointId to, Cargo cargo) const {
  return nics_ > 1 && cargo != Cargo::control && host_.is_gpu(to);
}

std::uint32_t SeveralNicsPath::nic_number(EndpointId address) const {
  const AddressBook& book = host_.book();
  return address.value - book.address(book.device(address), 0).value;
}

void SeveralNicsPath::send(Context& context, const Transfer& transfer) {
  const AddressBook& book = host_.book();
  const auto bytes_of = [&](std::uint32_t stripe) {
    return stripe_bytes(book.striping, transfer.wire_bytes, stripe, nics_, host_.self(), transfer.to,
                        transfer.connection);
  };
  SendToken token = SendToken::nobody();
  if (transfer.notify) {
    std::uint32_t stripes = 0;
    for (std::uint32_t i = 0; i < nics_; ++i) stripes += bytes_of(i) > 0;
    token = SendToken::part_of(outgoing_.open(transfer.owner, stripes));
  }
  for (std::uint32_t i = 0; i < nics_; ++i)
    if (const std::int64_t bytes = bytes_of(i); bytes > 0) send_stripe(context, transfer, i, bytes, token);
}

void SeveralNicsPath::send_stripe(Context& context, const Transfer& transfer, std::uint32_t stripe,
                                  std::int64_t bytes, SendToken token) {
  const AddressBook& book = host_.book();
  const EndpointId from = book.address(host_.self(), stripe);
  const EndpointId to = book.address(transfer.to, stripe % book.nics(transfer.to));
  const std::uint16_t local = rails_.owner(book[to].nic);
  if (is_pxn_ && !transfer.is_by_gpu && local != RailOwners::none && local != host_.here().local)
    return host_.inject(
        context, GpuPort::nvlink,
        {from, to, transfer.connection, bytes, 0, MessageKind::delegated_train, 0, token.value(), local});
  for (std::int64_t left = bytes; left > 0;) {
    const std::int64_t piece = std::min(left, max_work_bytes);
    left -= piece;
    const WorkRequest work{.notify = transfer.notify && left == 0,
                           .bytes = static_cast<std::uint32_t>(piece),
                           .address = Address(from, to, transfer.connection)};
    if (work.notify) host_.await_notice(work.address, token);
    post(context, context.now(), work, stripe, transfer.is_by_gpu ? Cargo::message_by_gpu : Cargo::message);
  }
}

/// Stripes after a message's first are no request of their own to the proxy thread: the plugin posts them
/// together.
void SeveralNicsPath::post(Context& context, SimTime ready, const WorkRequest& work, std::uint32_t nic,
                           Cargo cargo) {
  const PortIndex port = GpuPort::of_nic(nic);
  if (cargo == Cargo::message_by_gpu) return context.send(port, ready, to_payload(work));
  const bool is_first = host_.book().striping == NicStriping::flow || nic_number(work.address.from()) == 0;
  host_.post(context, ready,
             {work, host_.book().device(work.address.to()), port,
              is_first ? ProxyQueue::Share::request : ProxyQueue::Share::part});
}

void SeveralNicsPath::send_control(Context& context, const Train&) {
  host_.fail(context, "a control message is in no stripe");
}

bool SeveralNicsPath::pass_on(Context& context, const Train& train, PortIndex port, SimTime tail) {
  if (!is_stripe(train) || port != GpuPort::nvlink) return false;
  // PXN: another GPU of this server hands it over. It goes out of the NIC on the receiver's rail.
  const WorkRequest work = as_part({.lane = train.lane, .bytes = train.bytes, .address = train.address});
  const std::uint32_t first = host_.here().nic, rail = host_.book()[train.address.to()].nic;
  const bool is_own = rail >= first && rail < first + nics_;
  post(context, tail, work, is_own ? rail - first : nic_number(train.address.from()) % nics_, Cargo::message);
  return true;
}

bool SeveralNicsPath::arrive(Context& context, const Train& train, SimTime tail) {
  if (!is_stripe(train) || host_.book().device(train.address.to()) != host_.self()) return false;
  settle(context, stripes_.add(train.address.flow(), train.bytes, context.now(), tail));
  return true;
}

bool SeveralNicsPath::expect(Context& context, const Expectation& expected) {
  const AddressBook& book = host_.book();
  const std::uint32_t stripes = book.nics(expected.from);
  if (stripes == 1 || host_.is_near(expected.from) ||
      is_control(static_cast<Phase>(expected.connection.phase())))
    return false;
  const std::uint32_t message =
      incoming_.open({expected.from, expected.connection, expected.payload_bytes, expected.wire_bytes,
                      expected.after, expected.owner, expected.is_counted, 0},
                     stripes);
  // Stripes that carry nothing of it are asked for nothing: so messages stay in their order.
  for (std::uint32_t i = 0; i < stripes; ++i) {
    Expectation part = expected;
    part.wire_bytes = stripe_bytes(book.striping, expected.wire_bytes, i, stripes, expected.from,
                                   host_.self(), expected.connection);
    part.payload_bytes = part.wire_bytes;
    part.owner = {message, i};
    settle(context, stripes_.expect(flow_of(book.address(expected.from, i), expected.connection), part));
  }
  return true;
}

/// Hands out the messages of a stripe's flow, which stripes_ has in `slot`, of which that was the last part.
void SeveralNicsPath::settle(Context& context, std::uint32_t slot) {
  while (const auto part = stripes_.next(slot, context.now())) {
    // A stripe without bytes has no head.
    const SimTime head = part->payload_bytes > 0 ? part->head : time_never;
    const auto whole = incoming_.done(part->owner.slot, head, part->at);
    if (!whole) continue;
    const Receipt& message = whole->message;
    host_.deliver(context, message.from, message.connection,
                  {message.owner, whole->last, message.after, whole->first, message.payload_bytes,
                   message.is_counted != 0});
  }
}

/// Parts that have come of messages that were not complete are in no flow any more.
std::int64_t SeveralNicsPath::drop_all() {
  std::int64_t bytes = -stripes_.awaited_bytes();
  incoming_.for_each_open([&](const Receipt& message) { bytes += message.wire_bytes; });
  incoming_ = {}, outgoing_ = {};
  return bytes + stripes_.drop_all(host_.self());
}

void SeveralNicsPath::on_part_sent(std::uint32_t message, SimTime at) {
  if (const auto whole = outgoing_.done(message, at, at)) host_.tell_sent(whole->message, whole->last);
}

void SeveralNicsPath::save(StateWriter& out) const {
  stripes_.save(out), incoming_.save(out), outgoing_.save(out);
}

void SeveralNicsPath::load(StateReader& in) {
  stripes_.load(in), incoming_.load(in), outgoing_.load(in);
}

}  // namespace lightrail
