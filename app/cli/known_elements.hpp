#pragma once
#include <map>
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
  std::map<std::string, std::vector<std::string>> kinds =
      {};  ///< of a parameter, the kinds that alone have it
};

/// The element that a component of this kind is written as.
[[nodiscard]] std::string element_of_kind(const std::string& kind);

/// Every element that any stage reads, by name: kinds, fabrics, links, workloads, run and output. Elements of
/// one name in several places are merged.
[[nodiscard]] std::vector<ElementDoc> known_elements(const Registry& registry);

/// Elements that mean something else inside another one, as <checkpoint> does in <workload> and in <goodput>:
/// the outer one's name, and the element with the parameters that it has there.
struct InnerElementDoc {
  std::string parent;
  ElementDoc element;
};
[[nodiscard]] std::vector<InnerElementDoc> inner_elements();

/// What an element of that name is where it stands in `parent`: one of `inner`, else the one of `known`; null
/// where there is none.
[[nodiscard]] const ElementDoc* element_in(const std::string& parent, const std::string& name,
                                           const std::vector<ElementDoc>& known,
                                           const std::vector<InnerElementDoc>& inner);

}  // namespace lightrail
