#include "engine/cli/unknown_names.hpp"

#include <algorithm>
#include <map>

#include "engine/scenario/scenario.hpp"

namespace lightrail {

namespace {

using Names = std::vector<std::string>;

std::string hint(const std::string& word, const Names& known) {
  const std::string guess = did_you_mean(word, known);
  return guess.empty() ? "" : " (did you mean '" + guess + "'?)";
}

void report(const Element& element, const std::map<std::string, Names>& known, const Names& elements,
            ErrorList& errors) {
  const auto it = known.find(element.name);
  if (it == known.end()) {
    errors.add(element.error("unknown element <" + element.name + ">" + hint(element.name, elements)));
    return;
  }
  for (const Attribute& a : element.attributes)
    if (!a.is_read && std::find(it->second.begin(), it->second.end(), a.name) == it->second.end())
      errors.add({a.file, a.line,
                  "<" + element.name + "> has no attribute '" + a.name + "'" + hint(a.name, it->second)});
  for (const Element& child : element.children) report(child, known, elements, errors);
}

}  // namespace

void report_unknown_names(const Element& root, const std::vector<ElementDoc>& known, ErrorList& errors) {
  std::map<std::string, Names> attributes;
  Names elements;
  for (const ElementDoc& e : known) {
    elements.push_back(e.name);
    for (const ParameterDoc& p : e.parameters) attributes[e.name].push_back(p.name);
    // The ones that structure rather than parameterise.
    for (const char* common : {"name", "role", "count"}) attributes[e.name].push_back(common);
  }
  report(root, attributes, elements, errors);
}

}  // namespace lightrail
