#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/quantity.hpp"
#include "network/transport/acknowledged_pacing.hpp"
#include "network/transport/flow_index.hpp"
#include "network/transport/nscc.hpp"
#include "network/transport/repair_sender.hpp"

namespace lightrail {

/// NSCC at the sender: what is on the way of a flow stays within its window W.
///   Ultra Ethernet Specification 1.0, network-signaled congestion control; equations and defaults as
///   uet-htsim has them (github.com/ultraethernet/uet-htsim, uec.cpp).
///
/// Model, with mss the MTU, B the line's rate times base-rtt, a = B / (100 Gb/s 12 us), b = target / 12 us.
/// Of each acknowledged train: its bytes n and delay d, its round trip less the shortest of the flow so far.
///   not marked, d < target   W += 4 mss a b (1 - d / target) n / W         (proportional increase)
///   not marked, d >= target  W += 5 mss a n / W                            (fair increase)
///   marked, d >= target      W *= max(1 - gamma (D - target) / D, 1/2)     once in a round trip
/// where D is the average of d, and a quarter of a round trip in place of what is not marked. For delays
/// below 1 us, as long as a window of bytes came so, W += a n / 4. What W grows by is added up and applied
/// every 8 packets or round trip, and then 0.15 mss a with it.
///   trimmed                  W -= n, or
///   trimmed, or d > 4 target: when less than 1 / adapt-share of the largest window came in the last round
///   trip, W becomes what came, and marks of what was on the way then count no more  (quick adaptation).
/// W is between a train and max-window round trips of the line; a flow with nothing on the way may send. One
/// whose numbers are all on the way (RepairSender::may_send()) waits for the first of them.
/// All integers: bytes, picoseconds; constants are multiples of 2^-16. Leaves out probes, receivers' credits
/// and the choice of paths.
class NsccWindows final : public AcknowledgedPacing {
 public:
  /// `line`: the rate of the port; `mtu_bytes`, `train_bytes`: of its packets, and of trains at most [B];
  /// outlive this: `spec`, `sender`, which knows what is on the way.
  NsccWindows(const NsccSpec& spec, BitRate line, std::uint32_t mtu_bytes, std::uint32_t train_bytes,
              const RepairSender& sender);

  /// How many trains of `train_bytes` a flow of a port of rate `line` may have on the way at most.
  [[nodiscard]] static std::int64_t largest_trains(const NsccSpec& spec, BitRate line,
                                                   std::uint32_t train_bytes);

  [[nodiscard]] SimTime next_start(std::uint64_t flow, SimTime now) override;
  void sent(std::uint64_t flow, SimTime at, std::uint32_t bytes, SimTime line) override;

  void acknowledged(std::uint64_t flow, std::int64_t bytes, std::optional<SimTime> round_trip, bool is_marked,
                    SimTime now) override;
  void trimmed(std::uint64_t flow, std::int64_t bytes, SimTime now) override;
  void timed_out(std::uint64_t flow, std::int64_t bytes) override;
  /// Of a flow [B].
  [[nodiscard]] std::int64_t window_of(std::uint64_t flow) const;

  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  struct Flow {
    std::int64_t window = 0, largest = 0;     ///< W, and what it may become [B]
    SimTime base{};                           ///< shortest round trip
    SimTime delay{};                          ///< D
    std::int64_t growth = 0;                  ///< sum to come, times W [B^2]
    std::int64_t since_growth = 0;            ///< acknowledged since [B]
    SimTime grown_at{}, cut_at{};             ///< eta's last turn, the last cut
    SimTime adapt_at{};                       ///< end of the round trip that quick adaptation looks at
    std::int64_t came = 0;                    ///< in it [B]
    std::int64_t to_ignore = 0, ignored = 0;  ///< after a quick adaptation [B]
    std::int64_t calm = 0;                    ///< came without delay, one after the other [B]
    std::uint32_t is_fast = 0, was_trimmed = 0;
  };
  [[nodiscard]] Flow* find(std::uint64_t flow);
  void measure(Flow& flow, SimTime round_trip) const;
  void average(Flow& flow, SimTime delay, bool is_marked) const;
  [[nodiscard]] bool adapts(Flow& flow, std::uint64_t key, bool is_trimmed, bool is_marked, SimTime delay,
                            SimTime now) const;
  void grow_in_proportion(Flow& flow, std::int64_t bytes, SimTime delay) const;
  [[nodiscard]] bool grows_fast(Flow& flow, std::int64_t bytes, SimTime delay) const;
  void cut(Flow& flow, SimTime now) const;
  void apply_growth(Flow& flow, SimTime now) const;
  void bound(Flow& flow) const;
  [[nodiscard]] std::int64_t round_trip_bytes(SimTime round_trip) const;
  [[nodiscard]] std::int64_t scaled(std::int64_t constant, std::int64_t bytes) const;

  const NsccSpec* spec_;
  const RepairSender* sender_;
  std::int64_t line_;               ///< [bit/s]
  std::int64_t mtu_bytes_, least_;  ///< [B]
  SimTime target_;
  std::int64_t line_bytes_;                                                ///< B [B]
  std::int64_t proportional_, fair_, steady_, gamma_, gain_, max_window_;  ///< [2^-16]
  FlowIndex index_;
  std::vector<Flow> flows_;
};

}  // namespace lightrail
