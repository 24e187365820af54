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
void require_together(const Element& element, std::initializer_list<GivenWith> pairs, ErrorList& errors);

/// Complains about every one of these that `element` has, for they have no effect without `needed`.
void refuse_without(const Element& element, std::initializer_list<const char*> parameters, const char* needed,
                    ErrorList& errors);

}  // namespace lightrail
