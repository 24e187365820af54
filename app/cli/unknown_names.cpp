#include "app/cli/unknown_names.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/scenario/scenario.hpp"

namespace lightrail {

namespace {

using Names = std::vector<std::string>;

std::string hint(const std::string& word, const Names& known) {
  const std::string guess = did_you_mean(word, known);
  return guess.empty() ? "" : " (did you mean '" + guess + "'?)";
}

Names attributes_of(const ElementDoc& doc) {
  Names names{"name", "role", "count"};  // what structures rather than parameterises
  for (const ParameterDoc& p : doc.parameters) names.push_back(p.name);
  return names;
}

void report(const Element& element, const std::string& parent, const std::vector<ElementDoc>& known,
            const std::vector<InnerElementDoc>& inner, ErrorList& errors) {
  const ElementDoc* doc = element_in(parent, element.name, known, inner);
  if (!doc) {
    Names names;
    for (const ElementDoc& e : known) names.push_back(e.name);
    errors.add(element.error("unknown element <" + element.name + ">" + hint(element.name, names)));
    return;
  }
  const Names names = attributes_of(*doc);
  for (const Attribute& a : element.attributes)
    if (!a.is_read && !doc->takes_any && std::find(names.begin(), names.end(), a.name) == names.end())
      errors.add(
          {a.file, a.line, "<" + element.name + "> has no attribute '" + a.name + "'" + hint(a.name, names)});
  for (const Element& child : element.children) report(child, element.name, known, inner, errors);
}

}  // namespace

void report_unknown_names(const Element& root, const std::vector<ElementDoc>& known, ErrorList& errors) {
  report(root, "", known, inner_elements(), errors);
}

}  // namespace lightrail
