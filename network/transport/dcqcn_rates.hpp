#pragma once
#include <cstdint>
#include <vector>

#include "network/transport/dcqcn.hpp"
#include "network/transport/flow_index.hpp"
#include "network/transport/flow_pacing.hpp"

namespace lightrail {

/// DCQCN at the sender, for each flow (queue pair) by itself.
///   Y. Zhu et al.: Congestion Control for Large-Scale RDMA Deployments. SIGCOMM 2015; in the variant of
///   NVIDIA's adapters, with a timer of its own for the decrease, as HPCC's simulator has it.
///
/// Model: a flow has a rate R, a target T (both the line's at first) and an estimate of congestion a. The
/// first notice sets a to 1 and begins the timers of estimate and decrease.
///   estimate: a = (1 - g) a, plus g where a notice has come since;
///   decrease: where a notice has come since, T = R if steps upwards have been made (or `clamps`), then
///             R = max(R (1 - a / 2), least), steps and bytes begin anew, and so does the timer of increase;
///   increase, by its timer or by bytes: the k-th step by time and l-th by bytes. While max(k, l) <= F only
///             R = (R + T) / 2; behind that T grows before by `additive`, where min(k, l) > F + 1 by `hyper`
///             (without bytes: where k > F + 1); never beyond the line's rate.
/// A flow pauses behind a train until the train would have been sent at its rate; a rate that changes in the
/// meantime counts for all of the train, as in HPCC's simulator. The timers cost no event: what they have
/// done is worked out when the flow sends, could send or is notified. Estimates are multiples of 2^-20.
class DcqcnRates final : public FlowPacing {
 public:
  /// `line`: the rate of the port; outlives: `spec`.
  DcqcnRates(const DcqcnSpec& spec, BitRate line);

  void slow_down(std::uint64_t flow, std::uint32_t marks, SimTime now) override;
  [[nodiscard]] SimTime next_start(std::uint64_t flow, SimTime now) override;
  void sent(std::uint64_t flow, SimTime at, std::uint32_t bytes, SimTime line) override;
  /// Of a flow, now; timers are advanced.
  [[nodiscard]] BitRate rate_of(std::uint64_t flow, SimTime now);

  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  static constexpr int alpha_bits = 20;
  struct Flow {
    SimTime sent_at{}, line{};    ///< of its last train: its start, and its time on the line
    std::int64_t sent_bytes = 0;  ///< of it
    SimTime alpha_at{}, decrease_at{}, increase_at = time_never;
    std::int64_t rate = 0, target = 0;  ///< [bit/s]
    std::int64_t bytes = 0;             ///< since the last step by bytes, or the cut
    std::int64_t alpha = 0;             ///< [2^-alpha_bits]
    std::uint32_t time_steps = 0, byte_steps = 0;
    std::uint32_t is_noticed_for_alpha = 0, is_noticed_for_rate = 0;
  };
  void advance(Flow& flow, SimTime now) const;
  void renew(Flow& flow, SimTime now) const;
  void cut(Flow& flow) const;
  void step(Flow& flow) const;

  const DcqcnSpec* spec_;
  std::int64_t line_;
  std::int64_t gain_;  ///< [2^-alpha_bits]
  FlowIndex index_;
  std::vector<Flow> flows_;
};

}  // namespace lightrail
