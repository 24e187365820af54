#include <string>
#include <vector>

#include "engine/scenario/scenario.hpp"

namespace lightrail {

namespace {

/// " (did you mean 'radix'?)", or what there is to choose from, or nothing.
std::string hint(const std::string& word, const std::vector<std::string>& known) {
  const std::string guess = did_you_mean(word, known);
  if (!guess.empty()) return " (did you mean '" + guess + "'?)";
  if (known.empty()) return "";
  std::string list;
  for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
  return " (known here: " + list + ")";
}

}  // namespace

void report_unread(const Element& element, ErrorList& errors) {
  for (const Attribute& a : element.attributes)
    if (!a.is_read)
      errors.add({a.file, a.line,
                  "<" + element.name + "> has no attribute '" + a.name + "'" +
                      hint(a.name, element.asked_attributes)});
  for (const Element& child : element.children) {
    if (child.is_read)
      report_unread(child, errors);
    else
      errors.add(child.error("<" + element.name + "> has no element <" + child.name + ">" +
                             hint(child.name, element.asked_children)));
  }
}

}  // namespace lightrail
