#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/model/kind.hpp"

namespace lightrail {

/// Throws InputErrors when the component has more ports than `limit`.
void check_port_count(const BuildContext& build, std::uint32_t limit);

/// Throws InputErrors when the link at `port` is faster than the port in either direction.
void check_port_rate(const BuildContext& build, PortIndex port, BitRate limit);

/// Adds an error where the reserve of a lane is more than its `buffer`.
void check_reserve(const Element& element, Bytes buffer, Bytes reserve, ErrorList& errors);

/// Checks an element's <source parameter="" kind="" text=""/>: where a figure of the catalogue is from. A
/// parameter that is none of `parameters`, an unknown kind of source and an empty text are errors.
void check_sources(const Element& element, const std::vector<ParameterDoc>& parameters, ErrorList& errors);

/// Lets the kind's elements carry <source>, of the kind's parameters. Call after bind_spec.
void accept_sources(ComponentKind& kind);

}  // namespace lightrail
