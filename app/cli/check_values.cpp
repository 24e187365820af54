#include "app/cli/check_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "engine/scenario/units.hpp"

namespace lightrail {
namespace {

template <class T>
bool parse_as(const std::string& type, const std::string& text, std::string& problem) {
  if (type != unit_type<T>()) return false;
  T value{};
  problem = parse_value(text, value);
  return true;
}

/// "" where the value is of the type, or the type has no form of its own.
std::string problem_of_value(const ParameterDoc& parameter, const std::string& text) {
  if (!parameter.choices.empty())
    return std::find(parameter.choices.begin(), parameter.choices.end(), text) != parameter.choices.end()
               ? ""
               : invalid_choice(text, parameter.choices);
  std::string problem;
  const std::string& type = parameter.type;
  static_cast<void>(parse_as<SimTime>(type, text, problem) || parse_as<Bytes>(type, text, problem) ||
                    parse_as<BitRate>(type, text, problem) || parse_as<Flops>(type, text, problem) ||
                    parse_as<PowerDbm>(type, text, problem) || parse_as<Decibel>(type, text, problem) ||
                    parse_as<Watts>(type, text, problem) || parse_as<Metres>(type, text, problem) ||
                    parse_as<Dollars>(type, text, problem) || parse_as<std::int64_t>(type, text, problem) ||
                    parse_as<std::uint32_t>(type, text, problem) || parse_as<double>(type, text, problem) ||
                    parse_as<bool>(type, text, problem));
  return problem;
}

/// The parameter of that name where all elements that are called so agree on it.
const ParameterDoc* find_parameter(const std::vector<ElementDoc>& known, const Element& element,
                                   const std::string& name) {
  const ParameterDoc* found = nullptr;
  for (const ElementDoc& doc : known) {
    if (doc.name != element.name || doc.takes_any) continue;
    for (const ParameterDoc& p : doc.parameters) {
      if (p.name != name) continue;
      if (found && (found->type != p.type || found->choices != p.choices)) return nullptr;
      found = &p;
    }
  }
  return found;
}

}  // namespace

void check_unread_values(const Element& root, const std::vector<ElementDoc>& known,
                         const std::vector<std::string>& tables, ErrorList& errors) {
  for (const Attribute& a : root.attributes) {
    if (a.is_read) continue;
    const ParameterDoc* parameter = find_parameter(known, root, a.name);
    std::string problem = parameter ? problem_of_value(*parameter, a.value) : "";
    if (root.name == "table" && a.name == "name" &&
        std::find(tables.begin(), tables.end(), a.value) == tables.end())
      problem = invalid_choice(a.value, tables);
    if (!problem.empty())
      errors.add({a.file, a.line, fmt::format("<{}> attribute '{}': {}", root.name, a.name, problem)});
  }
  for (const Element& child : root.children) check_unread_values(child, known, tables, errors);
}

}  // namespace lightrail
