#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/quantity.hpp"
#include "engine/model/model.hpp"

namespace lightrail {

/// A Spec of a switch that may be a node of a tree that adds up what others send (an aggregation node of
/// SHARP).
class AggregationSpec {
 public:
  /// Share of the links' rate that its sums reach; 0: it makes none.
  [[nodiscard]] virtual double sum_efficiency() const = 0;
  /// Branches of one tree at it at most; 0: as many as it has ports.
  [[nodiscard]] virtual std::uint32_t sum_radix() const = 0;
  /// Payload of one tree that it holds at most until all branches have brought it [B]; 0: no limit.
  [[nodiscard]] virtual Bytes sum_room() const = 0;

 protected:
  ~AggregationSpec() = default;
};

/// The way up of what some endpoints send to be added, and of the sum down to them: switches, each with a
/// port up but for the root.
struct ReductionTree {
  /// Of a branch that leads to a switch.
  static constexpr EndpointId no_head{0xffffffff};
  struct Node {
    ComponentId at{};
    PortIndex up = self_port;           ///< self_port: the root
    std::vector<PortIndex> branches{};  ///< ports to members' NICs and to switches below
    std::vector<EndpointId> heads{};    ///< of each branch: the member, or no_head
  };
  std::vector<Node> nodes;  ///< by component
  double efficiency = 1;    ///< the least of its switches
  Bytes room{0};            ///< the least of those that have a limit; 0: none has

  /// Null: the switch is not part of it.
  [[nodiscard]] const Node* node_at(ComponentId at) const;
};

/// Finds trees over the switches of a model that reduce and the cables between them that never fail. It holds
/// references to the model.
class ReductionTrees {
 public:
  explicit ReductionTrees(const Model& model);

  /// A member, and the link from its NIC to the fabric.
  struct Leaf {
    EndpointId head{};
    LinkId up{};
  };
  /// The tree over `leaves` (one or more). Its root is a switch from which the farthest of them is as near as
  /// can be, and all are; of equally good roots, then of equally short ways, `turn` says which, so that trees
  /// of neighbours lie on different switches. Or why there is none, to follow "needs".
  [[nodiscard]] std::variant<ReductionTree, std::string> tree(std::span<const Leaf> leaves,
                                                              std::uint32_t turn);

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct Way {
    std::uint32_t to = 0;  ///< switch
    PortIndex port = 0, far_port = 0;
  };
  struct Switch {
    ComponentId at{};
    const AggregationSpec* spec = nullptr;
    std::vector<Way> ways;  ///< to other switches, by port
  };

  void add_ways(Switch& from);
  /// Cables from that switch to each; none: there is no way.
  const std::vector<std::uint32_t>& distances(std::uint32_t from);
  /// The best roots, by component.
  [[nodiscard]] std::vector<std::uint32_t> roots(std::span<const std::uint32_t> lowest);
  /// Joins `from` to the tree of that root by ways that the tree has already, else by the `turn`-th of them.
  void join(std::uint32_t from, std::uint32_t root, std::uint32_t turn,
            std::vector<ReductionTree::Node>& nodes);
  [[nodiscard]] std::string name_of(std::uint32_t at) const;

  const Model& model_;
  std::vector<Switch> switches_;
  std::vector<std::uint32_t> switch_of_;  ///< by component; none: it makes no sums
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> distances_;  ///< by switch: looked up alone
};

}  // namespace lightrail
