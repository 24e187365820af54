#include "links/sources.hpp"

#include <algorithm>

namespace lightrail {

namespace {

void check_choice(const Element& source, const char* name, const std::vector<std::string>& choices,
                  ErrorList& errors) {
  const Attribute* attribute = source.find(name);
  if (!attribute) {
    errors.add(source.error("<source> lacks the required attribute '" + std::string(name) + "'"));
  } else if (std::find(choices.begin(), choices.end(), attribute->value) == choices.end()) {
    errors.add(
        {attribute->file, attribute->line,
         "<source> attribute '" + attribute->name + "': " + invalid_choice(attribute->value, choices)});
  }
}

}  // namespace

void read_sources(const Element& element, const std::vector<ParameterDoc>& parameters, ErrorList& errors) {
  std::vector<std::string> names;
  for (const ParameterDoc& doc : parameters) names.push_back(doc.name);
  for (const Element* source : element.children_named("source")) {
    check_choice(*source, "parameter", names, errors);
    check_choice(*source, "kind", {"datasheet", "measured", "published", "estimate"}, errors);
    const Attribute* text = source->find("text");
    if (!text || text->value.empty())
      errors.add(source->error("<source> lacks a text that says where the figure is from"));
  }
}

}  // namespace lightrail
