#pragma once
#include "engine/model/model.hpp"
#include "fabrics/fabric_detail.hpp"

namespace lightrail {

/// What <run detail="messages"> runs instead of `whole`: every fabric's switches are a MessageFabric, in
/// parts (message_parts()), no buffer limits what a port sends (WholeMessages), control messages pass between
/// packets, and a message is one train, a long one a few: on NVLink, where others would wait for it, of 8 MiB
/// or as long as the scenario's trains, of 16 MiB elsewhere. Throws InputErrors for what happens inside a
/// fabric: optical switches and circuits, faults, and for parts of more NICs than a component may have ports.
[[nodiscard]] Model message_model(const Model& whole);

/// What a run by trains or packets runs instead of `whole`: the switches of these fabrics are a
/// MessageFabric each, in parts, to which trains go as long as elsewhere. Throws InputErrors as
/// message_model() does, each at its <fabric>.
[[nodiscard]] Model with_fabrics_by_messages(const Model& whole, const FabricsByMessages& fabrics);

}  // namespace lightrail
