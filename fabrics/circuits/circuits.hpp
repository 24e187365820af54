#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/scenario/element.hpp"

namespace lightrail {

/// Light of an optical switch: from port `first` to port `second`.
using Circuits = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// "0-4 1>5" -> 0 to 4, 4 to 0, 1 to 5. Words that are no circuit are passed over: the ocs kind refuses them.
[[nodiscard]] Circuits parse_circuits(const std::string& text);

/// The circuits at the start, then those of every <at> of the <schedule>.
[[nodiscard]] std::vector<Circuits> circuits_of(const Element& ocs);

}  // namespace lightrail
