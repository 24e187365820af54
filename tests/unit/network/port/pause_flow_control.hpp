#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "network/port/flow_control.hpp"

namespace lightrail::test {

/// A second flow control, for tests of the interface alone: a receiver whose lane is filled beyond a
/// threshold says stop, and go when it has emptied again. The sender gives its line one train at a time,
/// since a train that has the line cannot be stopped. Leaves out what pause frames have beside it: quanta,
/// their own time on the line, one frame for all classes.
struct PauseMessage {
  MessageKind kind = MessageKind::flow_control;
  std::uint8_t lane = 0;
  std::uint16_t is_stop = 0;
  std::uint32_t unused = 0;
  std::uint64_t unused_too = 0;
  static constexpr bool carries(MessageKind kind) { return kind == MessageKind::flow_control; }
};
static_assert(Message<PauseMessage>);

/// [B] of a lane.
struct PauseThresholds {
  std::uint32_t stop = 10'000, go = 4'000;
};

class PauseSender final : public SendControl {
 public:
  explicit PauseSender(std::span<const PortEnd> ports) : stopped_(ports.size()), busy_(ports.size()) {
    for (const PortEnd& end : ports) far_.push_back(end.far);
  }
  SendTerms terms(PortIndex port) const override {
    return {.lanes = far_[port].lanes,
            .capacity = static_cast<std::uint32_t>(far_[port].bytes),
            .leaving = SendTerms::Leaving::told};
  }
  LaneMask on_message(Context&, PortIndex port, const Payload& message, SendLanes lanes) override {
    const auto pause = as<PauseMessage>(message);
    const auto bit = static_cast<LaneMask>(1u << pause.lane);
    stopped_[port] = static_cast<LaneMask>(pause.is_stop != 0 ? stopped_[port] | bit : stopped_[port] & ~bit);
    return open(port, lanes);
  }
  LaneMask on_timer(Context&, const FlowTimer& timer, SendLanes lanes) override {
    busy_[timer.port] = 0;
    return open(timer.port, lanes);
  }
  void on_left(Context& context, PortIndex port, const Frame&, SimTime tail, SendLanes lanes) override {
    busy_[port] = 1;
    (void)open(port, lanes);
    context.wake(tail, to_payload(FlowTimer{.side = FlowTimer::Side::sender, .port = port}));
  }
  std::string_view awaited() const override { return "a go"; }
  void save(StateWriter& out) const override { out.put(stopped_), out.put(busy_); }
  void load(StateReader& in) override { in.get(stopped_), in.get(busy_); }

 private:
  LaneMask open(PortIndex port, SendLanes lanes) const {
    LaneMask opened = 0;
    for (std::uint32_t k = 0; k < lanes.count(); ++k) {
      const bool goes = busy_[port] == 0 && (stopped_[port] >> k & 1) == 0;
      lanes[k].allowed = goes ? unlimited : 0;
      if (goes) opened = static_cast<LaneMask>(opened | 1u << k);
    }
    return opened;
  }
  std::vector<InputBuffer> far_;
  std::vector<LaneMask> stopped_;  // by port
  std::vector<std::uint8_t> busy_;
};

class PauseReceiver final : public ReceiveControl {
 public:
  PauseReceiver(std::span<const PortEnd> ports, PauseThresholds thresholds,
                std::map<std::string, std::uint32_t>& highest, const std::string& name)
      : thresholds_(thresholds),
        highest_(highest[name]),
        filled_(ports.size() * max_lanes),
        is_stopped_(ports.size() * max_lanes) {
    for (const PortEnd& end : ports) near_.push_back(end.near);
  }
  ReceiveTerms terms(PortIndex port) const override {
    const bool is_mine = near_[port].bytes > 0;
    return {.lanes = near_[port].lanes, .report_bytes = 0, .hears_arrivals = is_mine};
  }
  bool on_taken(Context& context, PortIndex port, const Frame& train) override {
    std::uint32_t& filled = filled_[port * max_lanes + train.lane];
    filled += train.bytes;
    highest_ = std::max(highest_, filled);
    LIGHTRAIL_EXPECT(filled <= near_[port].bytes);  // it would be lost
    if (filled > thresholds_.stop) tell(context, port, train.lane, true);
    return true;
  }
  void on_freed(Context& context, PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                SimTime at) override {
    context.wake(at, to_payload(FlowTimer{
                         .side = FlowTimer::Side::receiver, .port = port, .detail = bytes, .more = lane}));
  }
  void on_timer(Context& context, const FlowTimer& timer) override {
    const auto lane = static_cast<std::uint8_t>(timer.more);
    std::uint32_t& filled = filled_[timer.port * max_lanes + lane];
    filled -= timer.detail;
    if (filled <= thresholds_.go) tell(context, timer.port, lane, false);
  }
  void save(StateWriter& out) const override { out.put(filled_), out.put(is_stopped_); }
  void load(StateReader& in) override { in.get(filled_), in.get(is_stopped_); }

 private:
  void tell(Context& context, PortIndex port, std::uint8_t lane, bool is_stop) {
    std::uint8_t& is_stopped = is_stopped_[port * max_lanes + lane];
    if ((is_stopped != 0) == is_stop) return;
    is_stopped = is_stop ? 1 : 0;
    context.send(port, context.now(), to_payload(PauseMessage{.lane = lane, .is_stop = is_stopped}));
  }
  PauseThresholds thresholds_;
  std::uint32_t& highest_;
  std::vector<InputBuffer> near_;
  std::vector<std::uint32_t> filled_;  // by port and lane
  std::vector<std::uint8_t> is_stopped_;
};

class PauseKind final : public FlowControlKind {
 public:
  PauseThresholds thresholds;
  mutable std::map<std::string, std::uint32_t> highest;  ///< by component: most that a lane held [B]

  std::unique_ptr<SendControl> make_sender(std::span<const PortEnd> ports) const override {
    return std::make_unique<PauseSender>(ports);
  }
  std::unique_ptr<ReceiveControl> make_receiver(std::span<const PortEnd> ports,
                                                const std::string& name) const override {
    return std::make_unique<PauseReceiver>(ports, thresholds, highest, name);
  }
  std::unique_ptr<TransitControl> make_transit(std::uint32_t) const override { return nullptr; }
};

}  // namespace lightrail::test
