#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "network/port/congestion_marker.hpp"
#include "network/port/credit/credit_flow_control.hpp"
#include "network/port/credit/shared_credits.hpp"
#include "network/reduction/reduction_trees.hpp"
#include "network/reduction/reductions.hpp"
#include "network/routing/packet_switch_spec.hpp"
#include "network/routing/routed_crossbar.hpp"
#include "network/routing/routing_registry.hpp"
#include "network/wire/train.hpp"
#include "workloads/collective/group_plan.hpp"

namespace lightrail {

struct SwitchSpec final : PacketSwitchSpec, AggregationSpec {
  Bytes buffer{512 * 1024};
  Bytes reserve{0};  ///< of `buffer`, what only its lane may use; 0: all of it
  Crossbar::Queueing queueing = Crossbar::Queueing::virtual_output;
  double sharp_efficiency = 0;
  std::uint32_t sharp_radix = 0;
  Bytes sharp_buffer{0};

  [[nodiscard]] double sum_efficiency() const override { return sharp_efficiency; }
  [[nodiscard]] std::uint32_t sum_radix() const override { return sharp_radix; }
  [[nodiscard]] Bytes sum_room() const override { return sharp_buffer; }
  [[nodiscard]] InputBuffer input_buffer(PortIndex) const override {
    const bool is_shared = reserve.value > 0;
    return {static_cast<std::uint8_t>(lanes), buffer.value,
            is_shared ? &shared_credit_flow_control() : &credit_flow_control(), reserve.value};
  }
};

/// An InfiniBand-like packet switch: lossless by credits per virtual lane, cut-through, up/down routes.
///
/// Assumes: every input has its own buffer per lane; the crossbar is never the bottleneck; outputs serve
/// trains in the order of their arrival, unless lanes have weights. What an optical switch lost is sent again
/// from here, when the source's retransmission timer would end. SHARP: trains to be reduced are kept until
/// all branches of their tree here (ReductionTree) have brought theirs; the sum goes up, and from the root
/// down to each branch; the arithmetic takes no time, its rate is in the senders' wire bytes
/// (`sharp-efficiency`), and what a tree holds in a switch is bounded by its senders (`sharp-buffer`).
/// Marks trains that meet congestion where there is a CongestionControl (CongestionMarker). Leaves out
/// priorities between lanes, multicast but for SHARP's sums, link errors.
class Switch final : public Component, public HasBufferWaits {
 public:
  explicit Switch(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void handle_all(EventBatch& batch) override;
  void tell_hot(HotLines& lines) const override { path_.tell_hot(lines); }
  void prefetch(std::span<const Delivery> events, std::span<const OutLink> links) const override {
    path_.prefetch(events, links);
  }
  void finish(Context& context) override;
  [[nodiscard]] bool is_idle_wake(const Event& event) const override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  [[nodiscard]] std::vector<BufferWait> buffer_waits() const override {
    return path_.crossbar().egress().buffer_waits();
  }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  void take_event(const Event& event, PortIndex port, Context& context);
  void forward(const Frame& frame, PortIndex in, Context& context);
  /// Any message that is neither a train nor of flow control.
  void handle_rare(const Payload& payload, PortIndex port, Context& context);
  /// A train of a member's, or the sum of a switch below.
  void reduce(Context& context, const Train& train, PortIndex port);
  /// The sum, on its way down.
  void spread(Context& context, const Train& sum, PortIndex port, const ReductionTree::Node& node);
  /// Keeps the train, which is in the memory of the sums when its tail is here: its buffer is free then.
  void take(Context& context, const Train& train, PortIndex port);
  /// Of the tree of the train's sender.
  const ReductionTree::Node& node_of(Context& context, const Train& train, PortIndex port) const;

  const Model& model_;
  const SwitchSpec& spec_;
  bool is_plain_ = true;  ///< neither levels nor marker_
  RoutedCrossbar path_;
  std::optional<CongestionMarker> marker_;  ///< where there is congestion control
  Reductions reductions_;
};

/// `routings`: what its attribute `routing` may name.
[[nodiscard]] std::shared_ptr<const ComponentKind> switch_kind(
    const RoutingRegistry& routings = built_in_routings());

}  // namespace lightrail
