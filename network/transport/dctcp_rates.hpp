#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "network/transport/acknowledged_pacing.hpp"
#include "network/transport/dctcp.hpp"
#include "network/transport/flow_rates.hpp"

namespace lightrail {

/// DCTCP at the sender, for each flow (queue pair) by itself, as NICs would do it: by rates.
///   M. Alizadeh et al.: Data Center TCP (DCTCP). SIGCOMM 2010; RFC 8257; with a rate in place of the window,
///   as HPCC's simulator has it.
///
/// Model: a flow has a rate R, the line's at first, and an estimate a of the share of bytes that are marked,
/// 1 at first. A round trip ends when what was sent at its beginning is acknowledged; the first begins with
/// the flow's first acknowledgement.
///   its end             a = (1 - g) a + g (marked bytes / bytes acknowledged in it)
///   a mark              R = R (1 - a / 2), and no further cut before what is on the way then is there
///   its end, no cut     R grows by `additive`
/// Estimates are multiples of 2^-20. Leaves out slow start and what a loss does to a window.
class DctcpRates final : public AcknowledgedPacing {
 public:
  /// `line`: the rate of the port; outlive this: `spec`, `sender`.
  DctcpRates(const DctcpSpec& spec, BitRate line, const RepairSender& sender);

  [[nodiscard]] SimTime next_start(std::uint64_t flow, SimTime) override { return rates_.next_start(flow); }
  void sent(std::uint64_t flow, SimTime at, std::uint32_t bytes, SimTime line) override;
  void acknowledged(std::uint64_t flow, std::int64_t bytes, std::optional<SimTime> round_trip, bool is_marked,
                    SimTime now) override;
  void trimmed(std::uint64_t flow, std::int64_t bytes, SimTime now) override;
  void timed_out(std::uint64_t, std::int64_t) override {}

  /// Of a flow that has sent something.
  [[nodiscard]] BitRate rate_of(std::uint64_t flow) const { return rates_.rate(rates_.find(flow)); }
  /// a [2^-20].
  [[nodiscard]] std::int64_t estimate_of(std::uint64_t flow) const {
    return states_[rates_.find(flow)].estimate;
  }

  void save(StateWriter& out) const override { rates_.save(out), out.put(states_); }
  void load(StateReader& in) override { rates_.load(in), in.get(states_); }

 private:
  static constexpr int bits = 20;
  static constexpr std::int64_t one = std::int64_t{1} << bits;
  struct State {
    std::int64_t estimate = one;        ///< a [2^-bits]
    std::int64_t round_end = 0;         ///< the round trip lasts until more of the flow is there [B]
    std::int64_t came = 0, marked = 0;  ///< in it [B]
    std::int64_t cut_end = -1;          ///< no cut before more of the flow is there; -1: there was none [B]
  };
  bool ends_round(std::uint32_t place, State& state) const;
  void hear(std::uint32_t place, std::int64_t bytes, bool is_marked);

  const DctcpSpec* spec_;
  std::int64_t gain_;  ///< fixed [2^-bits]
  FlowRates rates_;
  std::vector<State> states_;  ///< by place
};

}  // namespace lightrail
