#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/gpu/transport/path_host.hpp"
#include "network/wire/delegated_train.hpp"
#include "network/wire/returned_work.hpp"
#include "network/wire/work_request.hpp"
#include "workloads/collective/transport.hpp"

namespace lightrail {

/// What a path wants to know of exchanges before they start, where a controller plans ahead for them; the
/// functions are those of Transport.
class ExchangePlanner {
 public:
  [[nodiscard]] virtual bool wants_demand(std::uint16_t dimension) const = 0;
  virtual void announce_ahead(Context& context, std::span<const PeerBytes> demand, bool is_known) = 0;
  [[nodiscard]] virtual bool predicts_from_history() const = 0;
  virtual void announce_absence(Context& context) = 0;
  virtual bool start_exchange(Context& context, std::span<const PeerBytes> demand, Owner owner) = 0;

 protected:
  ~ExchangePlanner() = default;
};

/// Cuts messages in parts that arrive by themselves, at both ends.
class MessageSplitter : public PartListener {
 public:
  /// A message that this GPU will receive. False: it comes whole, and the caller waits for it.
  virtual bool expect(Context& context, const Expectation& expectation) = 0;
  /// A train for this GPU, head now, tail at `tail`. False: it is of a message that comes whole.
  virtual bool arrive(Context& context, const Train& train, SimTime tail) = 0;
  /// Of parts that have come [B]: nothing has asked for them.
  [[nodiscard]] virtual std::int64_t unclaimed_bytes() const = 0;

 protected:
  ~MessageSplitter() = default;
};

/// What goes a way.
enum class Cargo : std::uint8_t {
  message,         ///< NCCL's proxy thread gives it to a NIC
  message_by_gpu,  ///< the GPU itself does, which knows its own NICs alone
  control          ///< a control message
};

/// One way for a GPU's messages to endpoints of other servers. A GPU has those that apply to its server and
/// fabric (paths.hpp), in a fixed order; the first that leads to a destination carries what is for it.
///
/// What comes in or happens is offered to the paths in the same order until one takes it: those functions
/// give true when they did.
class Path {
 public:
  Path() = default;
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;
  virtual ~Path() = default;

  /// Whether such cargo of this GPU's for `to`, in another server, goes this way now.
  [[nodiscard]] virtual bool leads_to(SimTime now, EndpointId to, Cargo cargo) const = 0;
  /// A message of this GPU; InSwitch::nothing.
  virtual void send(Context& context, const Transfer& transfer) = 0;
  /// A control message of this GPU (MessageKind::control).
  virtual void send_control(Context& context, const Train& control) = 0;
  /// Transport::has_slow_control.
  [[nodiscard]] virtual bool has_slow_control() const { return false; }

  /// A train or control message for another endpoint came in on `port`: head now, tail at `tail` (>= now).
  virtual bool pass_on(Context&, const Train&, PortIndex /*port*/, SimTime /*tail*/) { return false; }
  /// The NIC says that a message has left. True: no message of this GPU's own that somebody waits for.
  virtual bool on_notice(Context&, const SentNotice&) { return false; }
  /// The NIC gives back what an optical switch could not pass on: head now, tail at `tail` (>= now).
  virtual bool on_returned_train(Context&, const ReturnedTrain&, SimTime /*tail*/) { return false; }
  /// The NIC gives work back that it has not sent.
  virtual bool on_returned(Context&, const ReturnedWork&) { return false; }
  /// The GPU's event to itself, of a kind from GpuWake::forward_train on (gpu_wakes.hpp).
  virtual bool on_wake(Context&, const Payload&) { return false; }
  /// From the controller of circuits, on GpuPort::control (region_control.hpp, rail_control.hpp).
  virtual bool on_control(Context&, const Payload&) { return false; }

  /// Not null: exchanges are announced to it.
  [[nodiscard]] virtual ExchangePlanner* planner() { return nullptr; }
  /// Not null: messages may come in parts.
  [[nodiscard]] virtual MessageSplitter* splitter() { return nullptr; }
  /// Forgets all messages that it has to do with; returns how much payload had come of those that were not
  /// complete [B].
  virtual std::int64_t drop_all() { return 0; }
  /// What it waits for, a sentence an item.
  [[nodiscard]] virtual std::vector<std::string> waits_for() const { return {}; }
  virtual void save(StateWriter&) const {}
  virtual void load(StateReader&) {}
};

}  // namespace lightrail
