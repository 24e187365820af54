#pragma once
#include <cstdint>
#include <string>

#include "engine/model/parameter.hpp"

namespace lightrail {

/// An effective parameter of what is no component (links, fabrics), for /model/params/<element>.
struct DeclaredParameter {
  std::string element;      ///< "link", "fabric", "variation"
  std::uint32_t index = 0;  ///< which of them: the link class of a link, 0 for what there is one of
  ParameterValue value;
};

}  // namespace lightrail
