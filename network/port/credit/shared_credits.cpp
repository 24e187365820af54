#include "network/port/credit/shared_credits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "network/port/credit/counted_buffer.hpp"
#include "network/port/credit/credit.hpp"
#include "network/port/credit/credit_return.hpp"
#include "network/port/credit/credit_transit.hpp"
#include "network/port/credit/shared_buffer.hpp"

namespace lightrail {
namespace {

/// What the lanes of a buffer share [B].
std::int64_t pool_of(const InputBuffer& buffer) {
  return buffer.lanes * (buffer.bytes - buffer.reserve);
}
std::uint32_t cut_to_width(std::int64_t bytes) {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(bytes, unlimited));
}

class Sender final : public SendControl {
 public:
  explicit Sender(std::span<const PortEnd> ports) {
    for (const PortEnd& end : ports) {
      lanes_.push_back(end.far.lanes);
      buffers_.emplace_back(counted_buffer(end.far.reserve, end), pool_of(end.far));
    }
    served_.resize(ports.size());
  }
  [[nodiscard]] SendTerms terms(PortIndex port) const override {
    const std::uint32_t bytes = cut_to_width(buffers_[port].free(0));
    return {.lanes = lanes_[port], .capacity = bytes, .allowed = bytes, .leaving = SendTerms::Leaving::told};
  }
  [[nodiscard]] LaneMask on_message(Context&, PortIndex port, const Payload& message,
                                    SendLanes lanes) override {
    const auto credit = as<Credit>(message);
    buffers_[port].give(credit.lane, credit.bytes);
    const std::uint32_t opened = open(port, lanes);
    const LaneMask next = next_waiting(port, lanes, opened);
    return next != 0 ? next : next_waiting(port, lanes, ~0u);
  }
  void on_left(Context&, PortIndex port, const Frame& train, SimTime, SendLanes lanes) override {
    buffers_[port].take(train.lane, train.bytes);
    static_cast<void>(open(port, lanes));
  }
  [[nodiscard]] bool can_borrow(PortIndex port, std::uint8_t, std::uint32_t bytes,
                                std::uint32_t limit) const override {
    return buffers_[port].overdrawn() + bytes <= limit;
  }
  void borrow(PortIndex, std::uint8_t, std::uint32_t bytes, SendLane& state) override {
    state.allowed = bytes;
  }
  [[nodiscard]] std::string_view awaited() const override { return "credits"; }
  void save(StateWriter& out) const override {
    for (const SharedBuffer& buffer : buffers_) out.put(buffer.state());
    out.put(served_);
  }
  void load(StateReader& in) override {
    for (SharedBuffer& buffer : buffers_) {
      SharedBuffer::State state;
      in.get(state);
      buffer.set(state);
    }
    in.get(served_);
  }

 private:
  /// Sets what the lanes may send; returns those that may send more than before, a bit each.
  [[nodiscard]] std::uint32_t open(PortIndex port, SendLanes lanes) const {
    std::uint32_t opened = 0;
    for (std::uint32_t k = 0; k < lanes.count(); ++k) {
      const std::uint32_t allowed = cut_to_width(buffers_[port].free(k));
      if (allowed > lanes[k].allowed) opened |= 1u << k;
      lanes[k].allowed = allowed;
    }
    return opened;
  }
  /// Of these lanes those whose trains wait take turns, one lane for each message, so that none keeps what is
  /// shared. Nobody is forgotten: either more credits are on their way, or all of the buffer is free and
  /// whoever waits can send.
  LaneMask next_waiting(PortIndex port, SendLanes lanes, std::uint32_t among) {
    for (std::uint32_t i = 1; i <= lanes.count(); ++i) {
      const std::uint32_t lane = (served_[port] + i) % lanes.count();
      if ((among >> lane & 1) == 0 || lanes[lane].first_waiting == SendQueue::none) continue;
      served_[port] = static_cast<std::uint8_t>(lane);
      return static_cast<LaneMask>(1u << lane);
    }
    return 0;
  }

  std::vector<std::uint8_t> lanes_;    ///< by port
  std::vector<SharedBuffer> buffers_;  ///< by port
  std::vector<std::uint8_t> served_;   ///< by port: the lane whose turn was last
};

class Receiver final : public ReceiveControl {
 public:
  Receiver(std::span<const PortEnd> ports, const std::string& name) : terms_(ports.size()) {
    const std::int64_t longest = longest_train(ports);
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const PortEnd& end = ports[i];
      if (!end.is_connected || end.near.control != &shared_credit_flow_control()) continue;
      if (end.is_circuit)
        throw InputErrors(InputError{
            "", 0,
            fmt::format("{}: lanes cannot share a buffer (lane-reserve) at port {}, which is joined to an "
                        "optical switch",
                        name, i)});
      if (end.near.reserve < longest)
        throw InputErrors(InputError{
            "", 0,
            fmt::format("{}: the reserve of a lane of {} B at port {} does not hold one train of {} B (raise "
                        "lane-reserve or lower the grain)",
                        name, end.near.reserve, i, longest)});
      const std::int64_t reserve = counted_buffer(end.near.reserve, end);
      terms_[i].lanes = end.near.lanes;
      terms_[i].capacity = cut_to_width(reserve + pool_of(end.near));
      const std::int64_t batch = is_long_way(end, reserve) ? 0 : reserve - longest;
      terms_[i].report_bytes = static_cast<std::uint32_t>(std::min(batch, std::int64_t{1} << 31));
    }
  }
  [[nodiscard]] ReceiveTerms terms(PortIndex port) const override { return terms_[port]; }
  void on_freed(Context& context, PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                SimTime at) override {
    context.send(port, at, to_payload(Credit{.lane = lane, .bytes = bytes}));
  }

 private:
  std::vector<ReceiveTerms> terms_;  ///< by port
};

class SharedCredits final : public FlowControlKind {
 public:
  [[nodiscard]] std::unique_ptr<SendControl> make_sender(std::span<const PortEnd> ports) const override {
    return std::make_unique<Sender>(ports);
  }
  [[nodiscard]] std::unique_ptr<ReceiveControl> make_receiver(std::span<const PortEnd> ports,
                                                              const std::string& name) const override {
    return std::make_unique<Receiver>(ports, name);
  }
  [[nodiscard]] std::unique_ptr<TransitControl> make_transit(std::uint32_t port_count) const override {
    return std::make_unique<CreditTransit>(port_count);
  }
};

}  // namespace

const FlowControlKind& shared_credit_flow_control() {
  static const SharedCredits kind;
  return kind;
}

}  // namespace lightrail
