#pragma once
#include <functional>
#include <string>

namespace lightrail {

/// Gives the text of a variable; returns "" or why there is none.
using VariableLookup = std::function<std::string(const std::string& name, std::string& value)>;

/// Letters, digits and _, not starting with a digit.
[[nodiscard]] bool is_variable_name(const std::string& text);

/// `${...}` without its braces: + - * / ( ) over numbers and variables. Exact fractions; a value may carry a
/// unit: sums need equal units, a product at most one, a quotient of equal units has none. A lone variable
/// name gives its text unchanged. Returns "" or what is wrong.
[[nodiscard]] std::string evaluate_expression(const std::string& text, const VariableLookup& lookup,
                                              std::string& value);

}  // namespace lightrail
