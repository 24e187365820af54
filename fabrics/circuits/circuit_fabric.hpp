#pragma once
#include <vector>

#include "fabrics/children.hpp"
#include "fabrics/fabric_spec.hpp"
#include "fabrics/servers/servers.hpp"

namespace lightrail {

/// True for a <fabric> with a <controller>: its GPUs have a port for it.
bool has_controller(const Element* fabric);

/// Joins the optical NICs of each region of servers by an optical switch of its own, with a controller where
/// the fabric has a <controller>. Returns the NICs that are left for the packet fabric; the GPUs of a server
/// receive there. Sets the resource Regions. `packet_rate`: of a NIC there.
std::vector<NicPlace> build_mixnet(const Element& fabric, const FabricSpec& spec, const LinkRoles& links,
                                   BitRate packet_rate, const std::vector<NicPlace>& nics,
                                   SystemBuilder& builder);

/// Joins all NICs by one patch panel whose circuits never change; servers relay for those that they are not
/// joined to. Sets the resource Regions.
void build_topoopt(const Element& fabric, const FabricSpec& spec, const std::vector<NicPlace>& nics,
                   SystemBuilder& builder, FabricCounter& counter);

}  // namespace lightrail
