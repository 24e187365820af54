#include "engine/model/half_given.hpp"

#include <fmt/format.h>

namespace lightrail {

void refuse_half_given(const Element& element, std::initializer_list<GivenWith> pairs, ErrorList& errors) {
  for (const auto& [parameter, other] : pairs)
    if (const Attribute* given = element.find(parameter); given && !element.find(other))
      errors.add(
          {given->file, given->line,
           fmt::format("<{}> attribute '{}' does nothing without '{}'", element.name, parameter, other)});
}

}  // namespace lightrail
