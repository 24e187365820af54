#include "engine/model/require_together.hpp"

#include <fmt/format.h>

#include <string>

namespace lightrail {
namespace {

void refuse(const Element& element, const char* parameter, const std::string& why, ErrorList& errors) {
  if (const Attribute* given = element.find(parameter))
    errors.add(
        {given->file, given->line, fmt::format("<{}> attribute '{}' {}", element.name, parameter, why)});
}

}  // namespace

void require_together(const Element& element, std::initializer_list<GivenWith> pairs, ErrorList& errors) {
  for (const auto& [parameter, other] : pairs)
    if (!element.find(other))
      refuse(element, parameter, fmt::format("does nothing without '{}'", other), errors);
}

void refuse_without(const Element& element, std::initializer_list<const char*> parameters, const char* needed,
                    ErrorList& errors) {
  for (const char* parameter : parameters)
    refuse(element, parameter, fmt::format("has no effect without {}", needed), errors);
}

}  // namespace lightrail
