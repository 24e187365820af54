#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/describe.hpp"

namespace lightrail {

/// Model resource: effective parameters of what is no component (links, fabrics), for
/// /model/params/<element>. `index` says which one: the link class of a link, 0 for what there is one of.
struct DeclaredParameters {
  struct Row {
    std::string element;
    std::uint32_t index = 0;
    ParameterValue value;
  };
  std::vector<Row> rows;
};

}  // namespace lightrail
