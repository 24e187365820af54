#include "engine/scenario/variables.hpp"

#include <fmt/format.h>

#include "engine/scenario/expression.hpp"
#include "engine/scenario/scenario.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {

namespace {

/// Variables that repeat one another would otherwise double with every definition.
constexpr std::size_t longest_text = 65'536;

}  // namespace

Variables::Variables(const std::vector<std::string>& settings, ErrorList& errors) {
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      errors.add({"", 0, fmt::format("--set '{}': expected name=value", setting)});
    else
      settings_[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
}

void Variables::define(const Element& element, ErrorList& errors) {
  const Attribute* name = element.find("name");
  const Attribute* value = element.find("value");
  const Attribute* optional = element.find("optional");
  bool is_optional = false;
  if (const std::string problem = optional ? parse_value(optional->value, is_optional) : ""; !problem.empty())
    errors.add({optional->file, optional->line, "<variable> attribute 'optional': " + problem});
  for (const char* required : {"name", "value"})
    if (!element.find(required))
      errors.add(element.error(fmt::format("<variable> lacks the required attribute '{}'", required)));
  for (const Attribute& a : element.attributes)
    if (!a.is_read) errors.add({a.file, a.line, fmt::format("<variable> has no attribute '{}'", a.name)});
  for (const Element& child : element.children)
    errors.add(child.error(fmt::format("<variable> has no element <{}>", child.name)));
  if (!name || !value) return;
  if (!is_variable_name(name->value)) {
    errors.add(
        {name->file, name->line,
         fmt::format(
             "<variable> attribute 'name': invalid name '{}' (letters, digits and _ only, no digit first)",
             name->value)});
    return;
  }
  if (auto it = values_.find(name->value); it != values_.end()) {
    // What includes a file may set that file's variables first; within one file it is a mistake.
    if (it->second.file == element.file)
      errors.add(element.error(fmt::format("variable '{}' is already defined at {}:{}", name->value,
                                           it->second.file, it->second.line)));
    return;
  }
  const auto setting = settings_.find(name->value);
  const std::string text =
      setting != settings_.end()
          ? setting->second
          : substitute(value->value, {value->file, value->line, "<variable> attribute 'value': "}, errors);
  values_[name->value] = {text, element.file, element.line, false, is_optional};
}

std::string Variables::substitute(const std::string& text, const InputError& place, ErrorList& errors) {
  std::string out;
  std::size_t at = 0;
  auto fail = [&](const std::string& what) {
    errors.add({place.file, place.line, place.what + what});
    return text;
  };
  for (;;) {
    const auto start = text.find("${", at);
    out += text.substr(at, start == std::string::npos ? start : start - at);
    if (out.size() > longest_text)
      return fail(
          fmt::format("the value grows beyond {} characters while its variables are replaced", longest_text));
    if (start == std::string::npos) return out;
    const auto end = text.find('}', start);
    if (end == std::string::npos) return fail(fmt::format("'{}': missing '}}'", text.substr(start, 40)));
    const std::string expression = text.substr(start + 2, end - start - 2);
    std::string value;
    const std::string problem = evaluate_expression(
        expression, [this](const std::string& n, std::string& v) { return look_up(n, v); }, value);
    if (!problem.empty()) return fail(fmt::format("'${{{}}}': {}", expression.substr(0, 200), problem));
    out += value;
    at = end + 1;
  }
}

std::string Variables::look_up(const std::string& name, std::string& value) {
  const auto it = values_.find(name);
  if (it == values_.end()) return unknown(name);
  it->second.is_used = true;
  value = it->second.value;
  return "";
}

std::string Variables::unknown(const std::string& name) const {
  const std::string guess = did_you_mean(name, names());
  return fmt::format(
      "unknown variable '{}'{}", name,
      guess.empty() ? " (a variable must be defined above its use)" : " (did you mean '" + guess + "'?)");
}

void Variables::report_unknown_settings(ErrorList& errors) const {
  for (const auto& [name, value] : settings_)
    if (!is_defined(name)) {
      const std::string guess = did_you_mean(name, names());
      std::string list;
      for (const auto& n : names()) list += (list.empty() ? "" : ", ") + n;
      errors.add({"", 0,
                  fmt::format("--set {}={}: the scenario has no variable '{}' ({})", name, value, name,
                              !guess.empty() ? "did you mean '" + guess + "'?"
                              : list.empty() ? "it has none"
                                             : "it has " + list)});
    }
}

void Variables::report_unused(ErrorList& errors) const {
  for (const auto& [name, variable] : values_)
    if (!variable.is_used && !variable.is_optional)
      errors.add({variable.file, variable.line,
                  fmt::format("variable '{}' is never used (a template's may be: optional=\"on\")", name)});
}

std::map<std::string, std::string> Variables::texts() const {
  std::map<std::string, std::string> all;
  for (const auto& [name, variable] : values_) all[name] = variable.value;
  return all;
}

std::vector<std::string> Variables::names() const {
  std::vector<std::string> all;
  for (const auto& [name, variable] : values_) all.push_back(name);
  return all;
}

}  // namespace lightrail
