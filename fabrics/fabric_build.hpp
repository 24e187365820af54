#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabrics/children.hpp"
#include "fabrics/clos/fabric_layout.hpp"
#include "fabrics/servers/servers.hpp"
#include "fabrics/system/system_builder.hpp"
#include "network/routing/routing.hpp"

namespace lightrail {

class FabricKind;

/// Counts switches and lids over all fabrics of a system.
struct FabricCounter {
  std::uint32_t next_lid = 0, next_leaf = 0, next_spine = 0, next_core = 0;
};

/// What the fabrics of a system have together.
struct FabricResults {
  FabricCounter counter;
  RoutingTables routing;
  std::vector<FabricLayout> layouts;  ///< for people
};

/// What a kind of fabric builds from and into. Mistakes go to errors(); what was begun is then thrown away.
struct FabricBuild {
  const FabricKind& kind;
  const Element& element;             ///< <fabric>
  const LinkRoles& links;             ///< its <link role="...">: the roles that the kind takes
  const std::vector<NicPlace>& nics;  ///< to be joined, server by server, NIC by NIC
  SystemBuilder& builder;
  FabricCounter& counter;
  RoutingTables& routing;
  std::size_t errors_before;  ///< mistakes found before the <fabric> was read
  NicRole role;               ///< of the NICs that it joins
  std::vector<FabricLayout>& layouts;

  [[nodiscard]] ErrorList& errors() const { return builder.errors(); }
  [[nodiscard]] bool has_errors() const { return errors().size() > errors_before; }
  /// Among the <fabric>s, for its parameters.
  [[nodiscard]] std::uint32_t index() const { return static_cast<std::uint32_t>(role); }
  /// At the <fabric>; `what` begins with what is wrong.
  void fail(const std::string& what) const { errors().add(element.error(what)); }
  /// False, and an error, when there are no NICs to join.
  [[nodiscard]] bool require_nics() const;

  /// Keeps a route; returns its index, for any number of switches.
  std::uint32_t add_route(SwitchRoute route);
  /// A switch in an atom of its own, named prefix_of(role) + `prefix` + `number`, that
  /// routes by add_route's `route`.
  ComponentId add_switch(const Part& part, const std::string& prefix, std::uint32_t number,
                         std::uint32_t route);
  /// Joins port `nic_port` of `nic` to a port of `device` and gives the NIC an address: `lid` (dense over all
  /// fabrics, from counter.next_lid on, which the caller moves), one for all its ports.
  void attach(ComponentId nic, std::uint32_t lid, ComponentId device, std::uint32_t port, std::uint32_t cable,
              std::uint32_t nic_port = 0);
};

/// Reads the <switch> or <ethernet-switch> of a fabric, with the fabric's `routing` as if it stood on that
/// itself. Null on a mistake: none there, or one without ports.
[[nodiscard]] std::optional<Part> read_switch(const FabricBuild& fabric);

}  // namespace lightrail
