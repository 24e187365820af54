#pragma once
#include "engine/model/model.hpp"
#include "fabrics/fabric_detail.hpp"

namespace lightrail {

/// What <run detail="messages"> runs instead of `whole`: every fabric's switches are one MessageFabric, no
/// buffer limits what a port sends (WholeMessages), and a message is one train, a long one a few: of 8 MiB on
/// NVLink, where others would wait for it, of 16 MiB elsewhere. Throws InputErrors for what happens inside a
/// fabric: optical switches and circuits, faults, and for fabrics of more NICs than a component may have
/// ports.
[[nodiscard]] Model message_model(const Model& whole);

/// What a run by trains or packets runs instead of `whole`: the switches of these fabrics are one
/// MessageFabric each, to which trains go as long as elsewhere. Throws InputErrors as message_model() does,
/// each at its <fabric>.
[[nodiscard]] Model with_fabrics_by_messages(const Model& whole, const FabricsByMessages& fabrics);

}  // namespace lightrail
