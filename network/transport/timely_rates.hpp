#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "network/transport/acknowledged_pacing.hpp"
#include "network/transport/flow_rates.hpp"
#include "network/transport/timely.hpp"

namespace lightrail {

/// TIMELY at the sender, for each flow (queue pair) by itself.
///   R. Mittal et al.: TIMELY: RTT-based Congestion Control for the Datacenter. SIGCOMM 2015, algorithm 1;
///   once in a round trip, with steps and limits as HPCC's simulator has them.
///
/// Model: a flow has a rate R, the line's at first. A round trip ends when what was sent at its beginning is
/// acknowledged, by an acknowledgement that took r from the tail of its train on; the first one begins with
/// the flow's first acknowledgement, whose r is only kept. With r' of the round trip before:
///   d = (1 - alpha) d + alpha (r - r'),  G = d / least-rtt
///   r < T_low, or r <= T_high and G <= 0   R grows by `additive`, behind `hyper-after` such in a row by
///   `hyper` r > T_high                             R = R (1 - beta (1 - T_high / r)) else R = R (1 -
///   min(beta G, 1))
/// Fractions are multiples of 2^-20. A packet that was sent twice says nothing of a round trip: the next one
/// does. Leaves out the segments of 16 to 64 KB that TIMELY measures: a train is one.
class TimelyRates final : public AcknowledgedPacing {
 public:
  /// `line`: the rate of the port; outlive this: `spec`, `sender`.
  TimelyRates(const TimelySpec& spec, BitRate line, const RepairSender& sender);

  [[nodiscard]] SimTime next_start(std::uint64_t flow, SimTime) override { return rates_.next_start(flow); }
  void sent(std::uint64_t flow, SimTime at, std::uint32_t bytes, SimTime line) override;
  void acknowledged(std::uint64_t flow, std::int64_t bytes, std::optional<SimTime> round_trip, bool is_marked,
                    SimTime now) override;
  void trimmed(std::uint64_t, std::int64_t, SimTime) override {}
  void timed_out(std::uint64_t, std::int64_t) override {}

  /// Of a flow that has sent something.
  [[nodiscard]] BitRate rate_of(std::uint64_t flow) const { return rates_.rate(rates_.find(flow)); }

  void save(StateWriter& out) const override { rates_.save(out), out.put(states_); }
  void load(StateReader& in) override { rates_.load(in), in.get(states_); }

 private:
  static constexpr int bits = 20;
  static constexpr std::int64_t one = std::int64_t{1} << bits;
  struct State {
    std::int64_t round_end = 0;  ///< the round trip lasts until more of the flow is there [B]
    SimTime last{};              ///< r'
    SimTime difference{};        ///< d
    std::int64_t steps = 0;      ///< upwards, in a row
  };
  void change(std::uint32_t place, State& state, SimTime round_trip);
  /// What part of a rate is cut off [2^-bits]; nothing: it grows.
  [[nodiscard]] std::optional<std::int64_t> cut(const State& state, SimTime round_trip) const;

  const TimelySpec* spec_;
  std::int64_t average_, decrease_;  ///< fixed [2^-bits]
  FlowRates rates_;
  std::vector<State> states_;  ///< by place
};

}  // namespace lightrail
