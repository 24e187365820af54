#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/error.hpp"
#include "engine/model/context.hpp"
#include "engine/model/state_io.hpp"
#include "network/port/port_end.hpp"
#include "network/port/send_queue.hpp"
#include "network/wire/frame.hpp"
#include "network/wire/message.hpp"

namespace lightrail {

/// Flow control: what keeps a link's sender from sending more than the receiver's input buffer holds.
///
/// The receiving device's Spec names it with its buffer (InputBuffer::control), so each direction of a link
/// has its own and both ends know which. It has three sides, each one object for all ports of a component
/// that have this flow control: SendControl at the sender, ReceiveControl at the receiver, and TransitControl
/// in an optical switch between them. They talk in messages of MessageKind::flow_control, whose layout is
/// their own.
///
/// Cheap where it counts: of every train the ports (EgressBank, InputBank) only compare and add numbers that
/// a side has given them; they call it at the moments that it asked for.

/// Bytes that are no limit.
inline constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();

/// A virtual lane of a port that sends. Its flow control sets `allowed`, the port does the rest.
struct SendLane {
  std::uint32_t allowed = unlimited;  ///< may leave now [B]
  std::uint32_t first_waiting = SendQueue::none, last_waiting = SendQueue::none;
};

/// Lanes of which every port has room in its first cache line.
inline constexpr std::uint32_t near_lanes = 2;

/// The lanes of one port.
class SendLanes {
 public:
  /// `far`: those from near_lanes on; null where there are none. `capacity`: of one of them [B].
  SendLanes(SendLane* near, SendLane* far, std::uint32_t count, std::uint32_t capacity)
      : near_(near), far_(far), count_(count), capacity_(capacity) {}
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  SendLane& operator[](std::uint32_t lane) const {
    LIGHTRAIL_EXPECT(lane < count_);
    return lane < near_lanes ? near_[lane] : far_[lane - near_lanes];
  }

 private:
  SendLane* near_;
  SendLane* far_;
  std::uint32_t count_, capacity_;
};

/// A set of lanes: bit k for lane k.
using LaneMask = std::uint8_t;
static_assert(max_lanes <= 8);

/// A timer of one of the sides, or of a line, which wakes its own component with it.
struct FlowTimer {
  /// `line`: of a port whose lanes take turns; `input`: of an input that is a FIFO.
  enum class Side : std::uint8_t { sender, receiver, line, input };
  MessageKind kind = MessageKind::flow_control;
  Side side = Side::sender;
  PortIndex port = 0;        ///< whose flow control is woken
  std::uint32_t detail = 0;  ///< the flow control's own
  std::uint64_t more = 0;    ///< the flow control's own

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::flow_control; }
};
static_assert(Message<FlowTimer>);

/// What a port that sends has to obey.
struct SendTerms {
  /// What is to happen when a train has got the line.
  enum class Leaving : std::uint8_t {
    ignored,     ///< nothing
    subtracted,  ///< its bytes are subtracted from `allowed` of its lane
    told         ///< SendControl::on_left is called
  };
  std::uint32_t lanes = 0;             ///< 0: one for all trains, whatever lane they are on
  std::uint32_t capacity = unlimited;  ///< of a lane of the far buffer; a longer train can never leave [B]
  std::uint32_t allowed = unlimited;   ///< of each lane before the run [B]
  Leaving leaving = Leaving::ignored;
  /// Where the flow control stops lanes at times (SendControl::stops_at): a train gets the line no earlier
  /// than so long before it begins, since what has the line cannot be stopped. time_never: it stops nobody.
  SimTime ahead = time_never;
  bool hears_waiting = false;  ///< SendControl::on_waiting is called
  /// The far end's messages are Credits, of which a lane may send as many bytes more and nothing else is to
  /// be done: SendControl::on_message is called only for a port that has borrowed (borrow()). Asked anew when
  /// a state has been loaded.
  bool adds_credits = false;
};

/// The sender's side. A port lets a train go when no other waits on its lane and `allowed` is not less than
/// its bytes; else it waits until a message or timer of the flow control opens the lane.
class SendControl {
 public:
  virtual ~SendControl() = default;
  [[nodiscard]] virtual SendTerms terms(PortIndex port) const = 0;
  /// A message of the far end's ReceiveControl has come in on `port`. Sets what the lanes may send; returns
  /// those on which more may leave than before.
  [[nodiscard]] virtual LaneMask on_message(Context& context, PortIndex port, const Payload& message,
                                            SendLanes lanes) = 0;
  /// The same when an own timer (FlowTimer) has ended.
  [[nodiscard]] virtual LaneMask on_timer(Context& context, const FlowTimer& timer, SendLanes lanes);
  /// `train` has the line up to `tail` (>= now). Called where the terms ask for it.
  virtual void on_left(Context& context, PortIndex port, const Frame& train, SimTime tail, SendLanes lanes);
  /// `train` is to wait on its lane, of which `lanes` tells how it is without it; or it waits there, and an
  /// own timer has ended. False: it is thrown away instead. Called where the terms ask for it.
  [[nodiscard]] virtual bool on_waiting(Context& context, PortIndex port, const Frame& train,
                                        SendLanes lanes);
  /// Whether a small message of `bytes` may leave although its lane does not allow it: before trains that
  /// have the line and have not begun, at the cost of what they hold of the far buffer, of which no more than
  /// `limit` [B] may be taken so.
  [[nodiscard]] virtual bool can_borrow(PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                                        std::uint32_t limit) const;
  /// It leaves next: raises `allowed` of its lane, `state`, to `bytes`.
  virtual void borrow(PortIndex port, std::uint8_t lane, std::uint32_t bytes, SendLane& state);
  /// From when on trains of `lane` may not begin, as far as is known now; time_never: nothing stops it. Asked
  /// where the terms have `ahead`.
  [[nodiscard]] virtual SimTime stops_at(PortIndex port, std::uint8_t lane) const;
  /// What a train that may not leave waits for, as error texts have it: "5 trains wait for credits".
  [[nodiscard]] virtual std::string_view awaited() const = 0;
  /// Rows of its tables, at the end of the run.
  virtual void finish(Context&) {}
  virtual void save(StateWriter&) const {}
  virtual void load(StateReader&) {}
};

/// The line of a port that receives, for flow control whose messages are frames on it (EgressBank).
class FrameLine {
 public:
  /// Sends `message` as a frame of `bytes`: it waits for the packet that is on the line, not for others that
  /// have it, and arrives with its last byte.
  virtual void send_frame(Context& context, PortIndex port, std::uint32_t bytes, const Payload& message) = 0;

 protected:
  ~FrameLine() = default;
};

/// What a port that receives has to tell.
struct ReceiveTerms {
  std::uint32_t lanes = 0;  ///< of the input buffer; 0: nothing is told
  /// ReceiveControl::on_freed is called when so many bytes of a lane have become free [B], or a quarter of
  /// what is free of `capacity`: the fuller the buffer, the finer; what leaves late is told of
  /// by itself (InputBank).
  std::uint32_t report_bytes = 0;
  std::uint32_t capacity = unlimited;  ///< of a lane [B]
  bool hears_arrivals = false;         ///< ReceiveControl::on_taken is called
  bool hears_departures = false;       ///< on_leaving is called for every train, and on_freed never
  bool sends_credits = false;          ///< on_freed would send a Credit and nothing else: it may be left out
};

/// The receiver's side, of a device with input buffers.
class ReceiveControl {
 public:
  virtual ~ReceiveControl() = default;
  [[nodiscard]] virtual ReceiveTerms terms(PortIndex port) const = 0;
  /// The head of `train` has come in on `port`: it is in the buffer. False: it found no room and is lost.
  [[nodiscard]] virtual bool on_taken(Context& context, PortIndex port, const Frame& train);
  /// `bytes` of the buffer of a lane are free again, the last of them at `at` (>= now).
  virtual void on_freed(Context& context, PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                        SimTime at) = 0;
  /// `train`, which came in on `port`, leaves its buffer at `at` (>= now).
  virtual void on_leaving(Context& context, PortIndex port, const Frame& train, SimTime at);
  /// An own timer has ended.
  virtual void on_timer(Context& context, const FlowTimer& timer);
  /// How it sends frames of its own; outlives it. Called once, before the run.
  virtual void send_by(FrameLine&) {}
  /// Rows of its tables, at the end of the run.
  virtual void finish(Context&) {}
  virtual void save(StateWriter&) const {}
  virtual void load(StateReader&) {}
};

/// The side in an optical switch, which has no buffer and may join a port to another one at any time.
class TransitControl {
 public:
  virtual ~TransitControl() = default;
  /// `train` came in on `in` and leaves on `out`.
  virtual void on_passed(PortIndex in, PortIndex out, const Frame& train) = 0;
  /// `train`, which came in on `in`, is lost: it fills no buffer.
  virtual void on_lost(Context& context, PortIndex in, const Frame& train) = 0;
  /// A message of the flow control came in on `port`.
  virtual void on_message(Context& context, PortIndex port, const Payload& message) = 0;
  virtual void save(StateWriter&) const {}
  virtual void load(StateReader&) {}
};

/// One way of flow control. What a Spec points to: a constant of the program.
class FlowControlKind {
 public:
  /// Makes a side for a component with these ports, by index; it concerns those that have this flow control
  /// at their far (sender) or near (receiver) end.
  [[nodiscard]] virtual std::unique_ptr<SendControl> make_sender(std::span<const PortEnd> ports) const = 0;
  /// Throws InputErrors when a buffer is too small for the trains of the component's links; `name`: the
  /// component's.
  [[nodiscard]] virtual std::unique_ptr<ReceiveControl> make_receiver(std::span<const PortEnd> ports,
                                                                      const std::string& name) const = 0;
  [[nodiscard]] virtual std::unique_ptr<TransitControl> make_transit(std::uint32_t port_count) const = 0;

 protected:
  ~FlowControlKind() = default;
};

}  // namespace lightrail
