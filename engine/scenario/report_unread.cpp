#include <fmt/format.h>

#include <algorithm>
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

/// Why nobody read `child` of `element`: a second one where one is meant, or none is known.
std::string problem_of(const Element& element, const Element& child) {
  const auto first = std::find_if(element.children.begin(), element.children.end(),
                                  [&](const Element& e) { return e.is_read && e.name == child.name; });
  if (first == element.children.end())
    return fmt::format("<{}> has no element <{}>{}", element.name, child.name,
                       hint(child.name, element.asked_children));
  return fmt::format("<{}> has a second <{}>, where one is expected (the first is at {}{})", element.name,
                     child.name, first->file == child.file ? "line " : first->file + ":", first->line);
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
      errors.add(child.error(problem_of(element, child)));
  }
}

}  // namespace lightrail
