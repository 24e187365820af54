#pragma once
#include <cstdint>

#include "engine/base/quantity.hpp"
#include "engine/model/kind.hpp"

namespace lightrail {

/// Throws InputErrors when the component has more ports than `limit`.
void check_port_count(const BuildContext& build, std::uint32_t limit);

/// Throws InputErrors when the link at `port` is faster than the port in either direction.
void check_port_rate(const BuildContext& build, PortIndex port, BitRate limit);

/// Adds an error where the reserve of a lane is more than its `buffer`.
void check_reserve(const Element& element, Bytes buffer, Bytes reserve, ErrorList& errors);

/// Lets the kind's elements carry <source parameter="" kind="" text=""/>: where a figure of the catalogue is
/// from. A parameter that the kind does not have, an unknown kind of source and an empty text are errors.
/// Call after bind_spec.
void accept_sources(ComponentKind& kind);

}  // namespace lightrail
