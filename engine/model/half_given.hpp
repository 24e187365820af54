#pragma once
#include <initializer_list>

#include "engine/scenario/element.hpp"

namespace lightrail {

/// A parameter that does nothing where the other one is left out.
struct GivenWith {
  const char* parameter;
  const char* other;
};

/// Complains about every parameter that `element` has without the other one.
void refuse_half_given(const Element& element, std::initializer_list<GivenWith> pairs, ErrorList& errors);

}  // namespace lightrail
