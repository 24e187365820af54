#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/model/model.hpp"
#include "network/routing/routing.hpp"

namespace lightrail {

/// The paths through a model's packet switches, without what happens on them: by which NIC the fabric leaves
/// for an address, and how long a train's head takes that meets nobody. Where several ports lead on, the
/// first stands for all.
class FabricPaths {
 public:
  /// Throws InputErrors for a switch without routes, and for one of a plugin's kind that does not say its
  /// latency.
  explicit FabricPaths(const Model& model);

  /// A component that has a cable to a packet switch and is none: a NIC.
  struct Attached {
    ComponentId nic{};
    LinkId to_switch{};          ///< the NIC's link; its way back is the other direction of the cable
    std::uint32_t switch_index;  ///< the one it ends at
    std::uint32_t fabric;        ///< switches that cables join, counted from 0
    NicRole role;
  };
  /// By component id, and so by NIC.
  [[nodiscard]] const std::vector<Attached>& attached() const { return attached_; }
  [[nodiscard]] std::uint32_t fabrics() const { return fabrics_; }
  [[nodiscard]] std::uint32_t switches() const { return static_cast<std::uint32_t>(nodes_.size()); }

  struct Path {
    ComponentId nic{};               ///< where it ends
    std::uint32_t switch_index = 0;  ///< the last one
    SimTime latency{};               ///< from the head's arrival at the first switch to where it leaves the
                                     ///< last one: switches, and the cables between them
  };
  /// From a switch to the NIC that has `lid`; nothing: no port leads there.
  [[nodiscard]] std::optional<Path> path(std::uint32_t from_switch, Lid lid) const;
  /// By switch: what a path to it that begins at one of `from` takes at least, counted as Path::latency is,
  /// whatever routes say; time_never: no cables lead there.
  [[nodiscard]] std::vector<SimTime> nearest(std::span<const std::uint32_t> from) const;

 private:
  struct Hop {
    std::uint32_t next = none;  ///< switch; none: a NIC, or no cable
    ComponentId nic{};
    SimTime latency{};
  };
  struct Node {
    std::uint32_t route = 0, first_hop = 0, fabric = 0;
    SimTime latency{};
  };
  static constexpr std::uint32_t none = 0xffffffff;

  void add_switch(const Model& model, ComponentId id);
  void add_cables(const Model& model, ComponentId nic);
  void number_fabrics();
  /// Of a switch, by port.
  [[nodiscard]] std::span<const Hop> hops_of(std::uint32_t node) const {
    const std::size_t first = nodes_[node].first_hop;
    const std::size_t end = node + 1 < nodes_.size() ? nodes_[node + 1].first_hop : hops_.size();
    return std::span(hops_).subspan(first, end - first);
  }

  std::vector<std::uint32_t> node_of_;  ///< by component; none: no packet switch
  std::vector<SwitchRoute> routes_;
  std::vector<Node> nodes_;
  std::vector<Hop> hops_;  ///< by node and port
  std::vector<Attached> attached_;
  std::uint32_t fabrics_ = 0;
};

}  // namespace lightrail
