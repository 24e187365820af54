#pragma once
#include <string>
#include <vector>

#include "app/registry/registry.hpp"
#include "engine/model/describe.hpp"

namespace lightrail {

/// An element of the scenario and its parameters.
struct ElementDoc {
  std::string name;
  std::vector<ParameterDoc> parameters;
  bool takes_any = false;  ///< <component kind="">: parameters are the kind's
};

/// The element that a component of this kind is written as.
[[nodiscard]] std::string element_of_kind(const std::string& kind);

/// Every element that any stage reads, by name: kinds, fabrics, links, workloads, run and output. Elements of
/// one name in several places are merged.
[[nodiscard]] std::vector<ElementDoc> known_elements(const Registry& registry);

/// An XML schema for editors: names, types and units of every attribute. Which element may stand where and
/// which attribute is required stays with `lightrail validate`, since catalogue references fill both.
[[nodiscard]] std::string xsd_text(const std::vector<ElementDoc>& elements);

}  // namespace lightrail
