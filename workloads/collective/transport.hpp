#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "engine/model/context.hpp"
#include "network/wire/train.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {

/// Who is told: a run's slot and a number of its own (channel, peer).
struct Owner {
  std::uint32_t slot = 0, sub = 0;
};

/// What the NVSwitch does with payload on its way.
enum class InSwitch : std::uint8_t {
  nothing,
  reduce,     ///< adds it to what the group's other members of this server send, and hands the sum to `to`
  fold,       ///< hands every member of the group as many bytes once all have sent theirs (a folded ring)
  multicast,  ///< hands it to all members of the group in this server; `to` is the sender
  /// Not the NVSwitch but the switches of a tree (FabricSums): add it to what the group's members at the same
  /// place of other servers send, and hand every one of them the sum; `to` is the sender.
  fabric_reduce
};

/// Payload to another endpoint.
struct Transfer {
  EndpointId to{};
  Connection connection{};
  std::int64_t payload_bytes = 0;  ///< counted as traffic
  std::int64_t wire_bytes = 0;     ///< with the protocol's overhead; > 0
  std::uint16_t dimension = 0;
  bool notify = false;  ///< its end, the last byte on the wire, is a MessageEnd
  Owner owner{};
  InSwitch in_switch = InSwitch::nothing;
  bool is_by_gpu = false;    ///< the GPU posts it to its own NIC: no proxy thread, no PXN
  bool is_exchange = false;  ///< of an all-to-all: may wait for circuits of a later phase
  /// Valid: this host of the server has the bytes and sends them in the GPU's name. Connection: of I/O.
  EndpointId by{};
  /// A part of a message that the transport has cut: part `owner.sub`, from 0 on, of the message that it
  /// numbers `owner.slot`. Its end is told to the transport.
  bool is_part = false;
};

/// The next message of (from, connection). Messages of a connection are handed out in the order of asking.
struct Expectation {
  EndpointId from{};
  Connection connection{};
  std::int64_t payload_bytes = 0;
  std::int64_t wire_bytes = 0;  ///< a control message: control_bytes
  SimTime after{};              ///< software time between the last byte and CommEngine::on_received
  Owner owner{};
  bool is_counted = false;  ///< nothing follows from this message alone: its end is a MessageEnd
  bool is_by_gpu = false;   ///< Transfer::is_by_gpu
};

/// A message of which the owner only wants to know when it ends: told (CommEngine::on_end) as soon as that is
/// sure, with the time. Costs no event of its own.
struct MessageEnd {
  Owner owner{};
  SimTime at{};  ///< >= now
  bool is_sent = false;
};

/// What an exchange will send to one of its members.
struct PeerBytes {
  EndpointId to{};
  std::int64_t bytes = 0;
};

/// An operation whose time a formula gives.
struct Appointment {
  std::uint32_t program = 0, op = 0;
  std::uint32_t slot = 0;
  std::int64_t payload_bytes = 0;  ///< that the GPU sends: counted as traffic
  std::uint16_t dimension = 0;
  std::uint16_t port_from_last = 1;  ///< FormulaDetail::port_from_last
  SimTime skew{};                    ///< it comes so much later
};

/// A collective that may be recalled (RecallPlan) has started.
struct RecallableStart {
  std::uint32_t slot = 0;
  std::uint32_t alike = 0;   ///< RecallPlan::alike
  std::uint32_t number = 0;  ///< of the collectives of its group, from 0 on
  SimTime delay{};           ///< until CommEngine::on_timer, which hands over its first message
  bool is_alone = false;     ///< nothing else of this GPU's runs beside it on NVLink
  bool is_first = false;     ///< this GPU is the first of the group
};

/// What a GPU's communication state machines may do. Implemented by the GPU, and by tests.
class Transport {
 public:
  [[nodiscard]] virtual EndpointId self() const = 0;
  [[nodiscard]] virtual Medium medium(EndpointId peer) const = 0;
  virtual void send(Context& context, const Transfer& transfer) = 0;
  virtual void send_control(Context& context, EndpointId to, Connection connection) = 0;
  /// Whether control messages go by a network of their own, which takes up to milliseconds; alike for all.
  [[nodiscard]] virtual bool has_slow_control() const { return false; }
  virtual void expect(Context& context, const Expectation& expectation) = 0;
  /// CommEngine::on_timer after `delay`.
  virtual void wake_after(Context& context, SimTime delay, Owner owner) = 0;

  /// CommEngine::on_met once all who take part have come and what a formula says has passed; only where
  /// there is a FormulaDetail.
  virtual void meet(Context&, const Appointment&) {}

  /// Before the collective's first message: CommEngine::on_recalled may be called for it until then; only
  /// where there is a RecallPlan.
  virtual void tell_start(Context&, const RecallableStart&) {}

  /// Whether a controller of circuits wants to know what exchanges of a dimension will send.
  [[nodiscard]] virtual bool wants_demand(std::uint16_t) const { return false; }
  /// Announces the exchange after the last announced one, before it starts. `is_known`: the program knows its
  /// demand; else it is a prediction, where those are asked for, or nothing happens.
  virtual void announce_ahead(Context&, std::span<const PeerBytes>, bool) {}
  /// Whether predictions are what the same exchange sent in the past; else they are the demand itself.
  [[nodiscard]] virtual bool predicts_from_history() const { return false; }
  /// The program has no exchange that a controller wants to know of.
  virtual void announce_absence(Context&) {}
  /// The exchange starts now: true; or when CommEngine::on_timer is called once more.
  virtual bool start_exchange(Context&, std::span<const PeerBytes>, Owner) { return true; }

 protected:
  ~Transport() = default;
};

}  // namespace lightrail
