#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/transport/flow_index.hpp"
#include "network/transport/flow_pacing.hpp"

namespace lightrail {

/// InfiniBand's injection rate control, for each flow (queue pair) by itself.
///
/// Model: a flow has an index into the congestion control table. A notice of a marked packet adds `increase`,
/// up to `limit`; a timer of the NIC, which runs from the beginning, takes one off whenever it ends, down to
/// `minimum`. Behind a train the flow pauses for what the table says of its index then, in times that the
/// train took on the line: 1 / (1 + pause) of the line's rate. Costs no event. A flow is remembered while its
/// index is not the least.
class InjectionRates final : public FlowPacing {
 public:
  explicit InjectionRates(const CongestionControl& control) : control_(&control) {}

  void slow_down(std::uint64_t flow, std::uint32_t marks, SimTime now) override;
  [[nodiscard]] SimTime next_start(std::uint64_t flow, SimTime) override {
    const std::uint32_t slot = index_.find(flow);
    return slot == FlowIndex::none ? SimTime{0} : rates_[slot].next;
  }
  void sent(std::uint64_t flow, SimTime at, std::uint32_t bytes, SimTime line) override;
  /// Of a flow, now.
  [[nodiscard]] std::uint32_t index_of(std::uint64_t flow, SimTime now) const;

  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  struct Rate {
    SimTime next{};
    SimTime updated{};  ///< when `index` was right
    std::uint32_t index = 0;
    std::uint32_t next_free = FlowIndex::none;
  };
  [[nodiscard]] std::uint32_t index_at(const Rate& rate, SimTime now) const;
  std::uint32_t slot_of(std::uint64_t flow);

  const CongestionControl* control_;
  FlowIndex index_;
  std::vector<Rate> rates_;
  std::uint32_t free_ = FlowIndex::none;
};

}  // namespace lightrail
