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

void refuse_without(const Element& element, std::initializer_list<const char*> parameters, const char* needed,
                    ErrorList& errors) {
  for (const char* parameter : parameters)
    if (const Attribute* given = element.find(parameter))
      errors.add(
          {given->file, given->line,
           fmt::format("<{}> attribute '{}' has no effect without {}", element.name, parameter, needed)});
}

}  // namespace lightrail
