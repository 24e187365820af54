#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/message_parts.hpp"
#include "engine/model/kind.hpp"
#include "engine/model/sub_model.hpp"
#include "network/routing/fabric_paths.hpp"

namespace lightrail {

/// InputErrors of `what` messages do. Whoever knows the place adds it.
[[noreturn]] void refuse_messages(const std::string& what);

/// A fabric that is left out, and how what stands for it is cut.
struct LeftOutFabric {
  std::uint32_t number = 0;                 ///< FabricPaths::Attached::fabric
  std::vector<FabricPaths::Attached> nics;  ///< not empty
  MessageParts parts;
};

/// Throws InputErrors for a part that has more NICs than a component has ports, beside one for each other
/// part.
void require_ports(const MessageParts& parts);

/// By number: those of these NICs. Throws InputErrors for NICs of two ports, and as require_ports() does.
[[nodiscard]] std::vector<LeftOutFabric> left_out_fabrics(const Model& whole, const FabricPaths& paths,
                                                          const std::vector<FabricPaths::Attached>& nics);
/// Of any part.
[[nodiscard]] std::uint32_t most_nics_of_part(const std::vector<LeftOutFabric>& fabrics);

/// Adds the MessageFabric of a fabric to the model that is left, one for each part, and joins NICs and parts.
/// Throws InputErrors for a NIC with two cables.
void add_message_fabric(SubModel& part, const Model& whole, const std::shared_ptr<const ComponentKind>& kind,
                        const std::shared_ptr<const FabricPaths>& paths, const LeftOutFabric& of);

}  // namespace lightrail
