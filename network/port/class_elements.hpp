#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/counted.hpp"
#include "engine/base/quantity.hpp"
#include "engine/base/wide.hpp"
#include "engine/model/describe.hpp"
#include "network/port/build_checks.hpp"

namespace lightrail {

/// What is set class by class in a switch: the children `name` of an element, one a class (SpecT::lane) at
/// most. `check(child, spec)` adds the errors that only they know.
template <class SpecT, class Check>
[[nodiscard]] std::vector<SpecT> read_class_elements(const Element& element, const char* name,
                                                     const Describe<SpecT>& parameters, std::uint32_t lanes,
                                                     ErrorList& errors, Check&& check) {
  std::vector<SpecT> all;
  for (const Element* child : element.children_named(name)) {
    const std::size_t before = errors.size();
    SpecT spec;
    parameters.parse(*child, spec, errors);
    check_sources(*child, parameters.documentation(), errors);
    if (errors.size() > before) continue;
    if (spec.lane >= lanes)
      errors.add(child->error_at(
          "lane", fmt::format("<{}> attribute 'lane': there is no class {}: the device has {}", name,
                              spec.lane, counted(lanes, "lane"))));
    check(*child, spec);
    if (std::any_of(all.begin(), all.end(), [&](const SpecT& other) { return other.lane == spec.lane; }))
      errors.add(child->error(fmt::format("<{}> has two <{}> of class {}", element.name, name, spec.lane)));
    all.push_back(spec);
  }
  return all;
}

/// A length of a queue that is meant for ports of `meant`, at a port of `own`; where one is 0 as it is [B].
[[nodiscard]] inline std::int64_t length_at_port(Bytes length, BitRate meant, BitRate own) {
  if (meant.value == 0 || own.value == 0) return length.value;
  return static_cast<std::int64_t>(static_cast<Wide>(length.value) * own.value / meant.value);
}

}  // namespace lightrail
