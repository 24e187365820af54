#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/prefetch.hpp"
#include "engine/model/hot_lines.hpp"
#include "network/port/credit/credit.hpp"
#include "network/port/flow_control.hpp"
#include "network/port/port_end.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// The receiving side of all ports of one component: counts what leaves its input buffers, and tells the
/// ports' flow control when it wants to know.
///
/// Trains may have got their output line long before they leave, and those of other outputs leave sooner.
/// While some leave later than a quarter of a buffer takes to come in, each is told of by itself, at its own
/// time: in one report with them, a free place would wait for a busy output, as behind the head of a queue.
class alignas(64) InputBank {
 public:
  /// `ports`: of the component, by index; `name`: the component's. Throws InputErrors when a buffer is too
  /// small for its flow control.
  InputBank(std::span<const PortEnd> ports, const std::string& name);

  /// The head of `train` has come in on `port`. False: its flow control lost it, for want of room.
  bool taken(Context& context, PortIndex port, const Frame& train) {
    if (train.lane < lanes_) of(port, train.lane).held += train.bytes;
    return !hears_arrivals_ || tell_taken(context, port, train);
  }
  /// The tail of `train`, which came in on `port` and was taken(), leaves its buffer at `at` (>= now).
  [[gnu::always_inline]] void freed(Context& context, PortIndex port, const Frame& train, SimTime at) {
    if (lanes_ == 0) return;
    LIGHTRAIL_EXPECT(train.lane < lanes_);
    Freed& freed = of(port, train.lane);
    if (freed.report_bytes == no_report) {
      if (hears_departures_) tell_leaving(context, port, train, at);
      return;
    }
    freed.held -= train.bytes;
    freed.at = std::max(freed.at, at);
    if (freed.at - context.now() > batch_time_) return report_alone(context, port, train, at, freed);
    freed.bytes += train.bytes;
    freed.report_at = std::max(freed.report_at, at);
    if (freed.bytes >= freed.report_bytes || std::uint64_t{4} * freed.bytes + freed.held >= freed.capacity)
      report(context, port, train.lane, freed);
  }
  /// Bytes of lane 0 of a port that have become free and are not reported yet [B].
  [[nodiscard]] std::uint32_t unreported(PortIndex port) const { return lanes_ == 0 ? 0 : of(port, 0).bytes; }
  void set_unreported(PortIndex port, std::uint32_t bytes) {
    if (lanes_ > 0) of(port, 0).bytes = bytes;
  }
  /// Of lane 0 of a port whose trains leave its buffer as they come: with so many bytes unreported they are
  /// reported, so that always fewer are [B].
  [[nodiscard]] std::uint32_t report_limit(PortIndex port) const {
    if (lanes_ == 0) return 1;
    const Freed& freed = of(port, 0);
    const std::uint64_t quarter = (std::uint64_t{freed.capacity} + 3) / 4;
    return static_cast<std::uint32_t>(
        std::max<std::uint64_t>(1, std::min<std::uint64_t>(freed.report_bytes, quarter)));
  }
  /// When the last byte of lane 0 of a port has left its buffer, or will; time_never: some are held.
  [[nodiscard]] SimTime free_at(PortIndex port) const {
    if (lanes_ == 0) return SimTime{0};
    return of(port, 0).held > 0 ? time_never : of(port, 0).at;
  }
  void on_timer(Context& context, const FlowTimer& timer) {
    control_of_[timer.port]->on_timer(context, timer);
  }
  /// How the ports' flow control sends frames of its own; outlives this.
  void send_by(FrameLine& line);
  void finish(Context& context);

  void save(StateWriter& out) const;
  void load(StateReader& in);
  /// What leads to its lanes.
  void tell_hot(HotLines& lines) const { lines.add(port_count_); }
  void prefetch(PortIndex port, std::uint8_t lane) const {
    if (lane < lanes_) prefetch_line(&of(port, lane));
  }

 private:
  static constexpr std::uint32_t no_report = 0xffffffff;
  /// Of a port and lane, since the last report. Never across two cache lines.
  struct alignas(32) Freed {
    SimTime at{};         ///< when the last train that was ever here leaves
    SimTime report_at{};  ///< when the last of `bytes` does
    std::uint32_t bytes = 0;
    std::uint32_t held = 0;                  ///< in the buffer now [B]
    std::uint32_t report_bytes = no_report;  ///< fixed; no_report: nobody wants to know
    std::uint32_t capacity = unlimited;      ///< fixed
  };
  [[nodiscard]] bool tell_taken(Context& context, PortIndex port, const Frame& train);
  void tell_leaving(Context& context, PortIndex port, const Frame& train, SimTime at);
  void tell_freed(Context& context, PortIndex port, std::uint8_t lane, std::uint32_t bytes, SimTime at) {
    if (sends_credits_) return context.send(port, at, to_payload(Credit{.lane = lane, .bytes = bytes}));
    control_of_[port]->on_freed(context, port, lane, bytes, at);
  }
  void report(Context& context, PortIndex port, std::uint8_t lane, Freed& freed);
  void report_alone(Context& context, PortIndex port, const Frame& train, SimTime at, Freed& freed);

  static constexpr std::size_t near_freed = 6;
  [[nodiscard]] const Freed& of(PortIndex port, std::uint32_t lane) const {
    return freed_.get()[std::size_t{lane} * port_count_ + port];
  }
  [[nodiscard]] std::size_t count() const { return std::size_t{lanes_} * port_count_; }
  Freed& of(PortIndex port, std::uint32_t lane) {
    return const_cast<Freed&>(std::as_const(*this).of(port, lane));
  }

  // What every train needs, and in its line the first of those that lie here: mostly that of a NIC's fabric.
  struct Free {
    bool is_far;  ///< they are not in near_freed_
    void operator()(Freed* first) const {
      if (is_far) delete[] first;
    }
  };
  std::unique_ptr<Freed[], Free> freed_{nullptr, Free{false}};  ///< by lane and port, wherever they lie
  std::uint32_t port_count_;
  std::uint8_t lanes_;               ///< of the port that has most
  bool hears_arrivals_ = false;      ///< some port's flow control does
  bool hears_departures_ = false;    ///< likewise
  bool sends_credits_ = true;        ///< so do all that would be told of what is freed (ReceiveTerms)
  SimTime batch_time_ = time_never;  ///< fixed: a quarter of the smallest buffer on its line
  std::array<Freed, near_freed> near_freed_{};
  std::vector<ReceiveControl*> control_of_;  ///< by port
  std::vector<std::unique_ptr<ReceiveControl>> controls_;
};

}  // namespace lightrail
