#pragma once
#include <string>

#include "engine/base/error.hpp"
#include "engine/model/kind.hpp"

namespace lightrail {

/// What the fabric has made for a component that stands in no other; InputErrors without it, or where it does
/// not fit. `belongs` ends the sentence: "a controller belongs to ...".
template <class Resource, class Fits>
[[nodiscard]] const Resource& require_resource(const BuildContext& build, const std::string& belongs,
                                               const Fits& fits) {
  if (const auto* resource = build.model.resource<Resource>(); resource && fits(*resource)) return *resource;
  throw InputErrors(InputError{"", 0, build.model.component_name(build.id) + ": " + belongs});
}

}  // namespace lightrail
