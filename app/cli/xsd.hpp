#pragma once
#include <string>
#include <vector>

#include "app/cli/element_places.hpp"
#include "app/cli/known_elements.hpp"

namespace lightrail {

/// An XML schema for editors: which elements may stand in which (`places`, app/cli/element_places.hpp), and
/// names, choices, units and meaning of their attributes there. Which attribute is required stays with
/// `lightrail validate`, since catalogue references fill them.
[[nodiscard]] std::string xsd_text(const std::vector<ElementDoc>& elements,
                                   const std::vector<InnerElementDoc>& inner, const Places& places);

}  // namespace lightrail
