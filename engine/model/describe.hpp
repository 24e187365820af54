#pragma once
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/parameter.hpp"
#include "engine/scenario/element.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {

/// The parameters of a kind, each bound to a member of its XSpec. One table drives parsing, defaults, units,
/// ranges, documentation, XSD and the output's parameter table. Members may be SimTime, Bytes, BitRate,
/// Flops, PowerDbm, Decibel, Watts, Metres, Dollars, double, std::int64_t, std::uint32_t, bool, std::string,
/// or an enum (with choice()). The default of a parameter is the member's initialiser in XSpec.
template <class XSpec>
class Describe {
 public:
  /// Optional parameter.
  template <class T>
  Describe& field(const char* name, T XSpec::*member, const char* doc) {
    return add(name, member, doc, false, {}, {});
  }
  /// Optional parameter with a range in the member's own unit, both ends included.
  template <class T>
  Describe& field(const char* name, T XSpec::*member, const char* doc, T low, T high) {
    return add(name, member, doc, false, {low}, {high});
  }
  template <class T>
  Describe& required(const char* name, T XSpec::*member, const char* doc) {
    return add(name, member, doc, true, {}, {});
  }
  template <class T>
  Describe& required(const char* name, T XSpec::*member, const char* doc, T low, T high) {
    return add(name, member, doc, true, {low}, {high});
  }
  /// Enum by name: {{"static", Routing::fixed}, ...}.
  template <class E>
  requires std::is_enum_v<E> Describe& choice(const char* name, E XSpec::*member, const char* doc,
                                              std::vector<std::pair<std::string, E>> names) {
    std::vector<std::string> choices;
    for (auto& [text, value] : names) choices.push_back(text);
    Field f;
    f.doc = {name, "choice", "", text_of(XSpec{}.*member, names), "", doc, false, choices};
    f.parse = [member, names, choices](const std::string& text, XSpec& spec) -> std::string {
      for (auto& [n, v] : names)
        if (n == text) return spec.*member = v, "";
      return invalid_choice(text, choices);
    };
    f.value = [member, names](const XSpec& spec) { return text_of(spec.*member, names); };
    fields_.push_back(std::move(f));
    return *this;
  }

  [[nodiscard]] std::vector<ParameterDoc> documentation() const {
    std::vector<ParameterDoc> docs;
    for (const auto& f : fields_) docs.push_back(f.doc);
    return docs;
  }
  /// Reads every parameter that `element` has; complains about invalid and missing ones. Attributes that no
  /// table reads are left unread (report_unread turns them into errors).
  void parse(const Element& element, XSpec& spec, ErrorList& errors) const {
    for (const auto& f : fields_) {
      const Attribute* attribute = element.find(f.doc.name);
      if (!attribute) {
        if (f.doc.is_required)
          errors.add(
              element.error("<" + element.name + "> lacks the required attribute '" + f.doc.name + "'"));
        continue;
      }
      std::string problem = f.parse(attribute->value, spec);
      if (!problem.empty())
        errors.add({attribute->file, attribute->line,
                    "<" + element.name + "> attribute '" + f.doc.name + "': " + problem});
    }
  }
  [[nodiscard]] std::vector<ParameterValue> values(const XSpec& spec) const {
    std::vector<ParameterValue> all;
    for (const auto& f : fields_) all.push_back({f.doc.name, f.value(spec), f.doc.unit, ""});
    return all;
  }

 private:
  struct Field {
    ParameterDoc doc;
    std::function<std::string(const std::string&, XSpec&)> parse;  ///< "" or what is wrong
    std::function<std::string(const XSpec&)> value;
  };
  template <class E>
  [[nodiscard]] static std::string text_of(E value, const std::vector<std::pair<std::string, E>>& names) {
    for (auto& [n, v] : names)
      if (v == value) return n;
    return "?";
  }
  template <class T>
  Describe& add(const char* name, T XSpec::*member, const char* doc, bool is_required, std::vector<T> low,
                std::vector<T> high) {
    Field f;
    f.doc = {name,
             unit_type<T>(),
             unit_name<T>(),
             is_required ? "" : format_value(XSpec{}.*member),
             low.empty() ? "" : format_value(low[0]) + " ... " + format_value(high[0]),
             doc,
             is_required,
             {}};
    f.parse = [member, low, high](const std::string& text, XSpec& spec) -> std::string {
      T parsed{};
      if (std::string problem = parse_value(text, parsed); !problem.empty()) return problem;
      if (!low.empty() && (parsed < low[0] || parsed > high[0]))
        return "'" + text + "' is out of range (" + format_value(low[0]) + " ... " + format_value(high[0]) +
               ")";
      spec.*member = parsed;
      return "";
    };
    f.value = [member](const XSpec& spec) { return format_value(spec.*member); };
    fields_.push_back(std::move(f));
    return *this;
  }
  std::vector<Field> fields_;
};

}  // namespace lightrail
