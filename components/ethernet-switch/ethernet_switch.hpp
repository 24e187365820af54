#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "network/port/pause/pause_spec.hpp"
#include "network/port/pause/watchdog_spec.hpp"
#include "network/port/red_marker.hpp"
#include "network/port/trimmer.hpp"
#include "network/routing/packet_switch_spec.hpp"
#include "network/routing/routed_crossbar.hpp"
#include "network/routing/routing_registry.hpp"

namespace lightrail {

/// How acknowledgements and congestion notices go through a switch: in the queues of their class, or ahead of
/// everything that has payload, pauses or not.
enum class SwitchAnswers : std::uint8_t { in_class, first };

struct EthernetSwitchSpec final : PacketSwitchSpec, PauseSpec {
  /// Defaults of HPCC's simulator (switch-mmu: 4 KiB, 3 KiB, alpha 1/8).
  EthernetSwitchSpec();
  Bytes buffer{32 * 1024 * 1024};  ///< of all ports and classes
  SwitchAnswers answers = SwitchAnswers::in_class;
  std::vector<EcnSpec> ecn;             ///< of classes whose packets it marks
  std::vector<TrimSpec> trims;          ///< of classes whose packets it trims
  std::vector<WatchdogSpec> watchdogs;  ///< of classes whose storms of pauses it ends

  /// Call when parameters have changed.
  void settle() { pauses_ = PauseFlowControl(watched(pause_settings(*this, lanes, buffer), watchdogs)); }
  [[nodiscard]] LaneMask lossless_lanes() const { return pauses_.settings().lossless; }
  /// As large as what a port and class has of the memory while it is alone, by which trains are kept short.
  [[nodiscard]] InputBuffer input_buffer(PortIndex) const override;

 private:
  PauseFlowControl pauses_;
};

/// An Ethernet switch for RoCE: one memory for all ports, lossless classes by pauses (PFC), cut-through,
/// up/down routes.
///
/// Model: classes are virtual lanes. A packet is accounted to the port and class that it came in on, under a
/// dynamic threshold (SharedMemory); beyond it a lossless class pauses its sender (PauseReceiver). Outputs
/// serve their classes in turns by weight (LaneWeights, else equal ones) and mark packets by the queue that
/// they find (RedMarker). One that stays paused may be in a storm, which a watchdog ends (PauseWatchdog).
/// Classes that are not lossless may be trimmed there instead of dropped (Trimmer). With answers="first" what
/// tells senders something (acknowledgements, notices) passes all payload and takes no room of the memory.
/// Leaves out other egress thresholds, cells, priorities between classes, the FCS of what is cut through.
class EthernetSwitch final : public Component, public HasBufferWaits {
 public:
  explicit EthernetSwitch(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void handle_all(EventBatch& batch) override;
  void tell_hot(HotLines& lines) const override { path_.tell_hot(lines); }
  void prefetch(std::span<const Delivery> events, std::span<const OutLink> links) const override {
    path_.prefetch(events, links);
  }
  void finish(Context& context) override;
  [[nodiscard]] bool is_idle_wake(const Event& event) const override {
    return path_.is_idle_wake(event) || is_idle_watch(event.payload);
  }
  [[nodiscard]] std::vector<std::string> waits_for() const override { return path_.waits_for(); }
  [[nodiscard]] std::vector<BufferWait> buffer_waits() const override {
    return path_.crossbar().egress().buffer_waits();
  }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  /// The timer of a watchdog of a port where nothing waits.
  [[nodiscard]] bool is_idle_watch(const Payload& payload) const {
    if (kind_of(payload) != MessageKind::flow_control) return false;
    const auto timer = as<FlowTimer>(payload);
    return timer.side == FlowTimer::Side::sender && !path_.crossbar().egress().has_waiting(timer.port);
  }
  void forward(const Frame& frame, PortIndex in, Context& context);
  bool trim(const Frame& leaving, PortIndex in, PortIndex out, Context& context);

  RoutedCrossbar path_;
  bool answers_first_;
  std::optional<RedMarker> marker_;  ///< where some class is marked
  std::optional<Trimmer> trimmer_;   ///< where some class is trimmed
};

/// `routings`: what its attribute `routing` may name.
[[nodiscard]] std::shared_ptr<const ComponentKind> ethernet_switch_kind(
    const RoutingRegistry& routings = built_in_routings());

}  // namespace lightrail
