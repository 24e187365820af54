#pragma once
#include <vector>

#include "engine/base/error.hpp"

namespace lightrail {

/// Model resource: where the element of each Spec stands, by its index in Model::specs; `what` is empty.
struct SpecPlaces {
  std::vector<InputError> places;
};

}  // namespace lightrail
