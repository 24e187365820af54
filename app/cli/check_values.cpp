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

class Checker {
 public:
  Checker(const std::vector<ElementDoc>& known, const std::vector<std::string>& tables, ErrorList& errors)
      : known_(known), tables_(tables), errors_(errors) {}

  void check(const Element& element, const std::string& parent) {
    const ElementDoc* doc = element_in(parent, element.name, known_, inner_);
    for (const Attribute& a : element.attributes) {
      if (a.is_read) continue;
      const std::string problem = element.name == "table" && a.name == "name" ? problem_of_table(a.value)
                                  : doc && !doc->takes_any                    ? problem_of(*doc, a)
                                                                              : "";
      if (!problem.empty())
        errors_.add({a.file, a.line, fmt::format("<{}> attribute '{}': {}", element.name, a.name, problem)});
    }
    for (const Element& child : element.children) check(child, element.name);
  }

 private:
  [[nodiscard]] std::string problem_of_table(const std::string& name) const {
    return std::find(tables_.begin(), tables_.end(), name) == tables_.end() ? invalid_choice(name, tables_)
                                                                            : "";
  }

  [[nodiscard]] static std::string problem_of(const ElementDoc& doc, const Attribute& a) {
    const auto parameter = std::find_if(doc.parameters.begin(), doc.parameters.end(),
                                        [&](const ParameterDoc& p) { return p.name == a.name; });
    return parameter == doc.parameters.end() ? "" : problem_of_value(*parameter, a.value);
  }

  const std::vector<ElementDoc>& known_;
  const std::vector<std::string>& tables_;
  ErrorList& errors_;
  std::vector<InnerElementDoc> inner_ = inner_elements();
};

}  // namespace

void check_unread_values(const Element& root, const std::vector<ElementDoc>& known,
                         const std::vector<std::string>& tables, ErrorList& errors) {
  Checker(known, tables, errors).check(root, "");
}

}  // namespace lightrail
