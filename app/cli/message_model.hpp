#pragma once
#include "engine/model/model.hpp"

namespace lightrail {

/// What <run detail="messages"> runs instead of `whole`: every fabric's switches are one MessageFabric, no
/// buffer limits what a port sends (WholeMessages), and a message is one train. Throws InputErrors for what
/// happens inside a fabric: optical switches and circuits, faults, and for fabrics of more NICs than a
/// component may have ports.
[[nodiscard]] Model message_model(const Model& whole);

}  // namespace lightrail
