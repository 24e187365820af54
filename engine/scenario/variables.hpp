#pragma once
#include <map>
#include <string>
#include <vector>

#include "engine/scenario/element.hpp"

namespace lightrail {

/// The scenario's variables in the order of reading: a value may use what is defined above it. --set comes
/// before every definition, and what includes a file before that file.
class Variables {
 public:
  /// "name=value" texts of --set; the last of one name counts.
  Variables(const std::vector<std::string>& settings, ErrorList& errors);

  /// `<variable name="" value=""/>`; optional="on": no mistake where nothing uses it.
  void define(const Element& element, ErrorList& errors);
  /// Replaces every ${...} of the text; mistakes are reported at file:line.
  std::string substitute(const std::string& text, const InputError& place, ErrorList& errors);
  /// Settings of variables that nothing defines.
  void report_unknown_settings(ErrorList& errors) const;
  /// Variables that nothing uses, but optional ones.
  void report_unused(ErrorList& errors) const;
  /// "unknown variable 'x' (did you mean ...)".
  [[nodiscard]] std::string unknown(const std::string& name) const;
  [[nodiscard]] bool is_defined(const std::string& name) const { return values_.count(name) != 0; }
  [[nodiscard]] std::map<std::string, std::string> texts() const;

 private:
  struct Variable {
    std::string value, file;
    int line = 0;
    bool is_used = false, is_optional = false;
  };
  std::string look_up(const std::string& name, std::string& value);
  [[nodiscard]] std::vector<std::string> names() const;

  std::map<std::string, std::string> settings_;
  std::map<std::string, Variable> values_;
};

}  // namespace lightrail
