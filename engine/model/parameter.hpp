#pragma once
#include <string>
#include <vector>

namespace lightrail {

/// One row of `lightrail describe`, of the XSD and of the documentation.
struct ParameterDoc {
  std::string name, type, unit, default_value, range, doc;
  bool is_required = false;
  std::vector<std::string> choices;
};

/// One effective value in the output's parameter table.
struct ParameterValue {
  std::string name, value, unit, source;  ///< source: "default", or file:line of the attribute
};

}  // namespace lightrail
