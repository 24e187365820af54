#include "engine/scenario/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/wide.hpp"
#include "engine/scenario/number_text.hpp"

namespace lightrail {

namespace {

/// Thrown and caught within this file: what is wrong with the expression.
struct Problem {
  std::string text;
};

Wide checked(bool overflows, Wide value) {
  if (overflows) throw Problem{"a number grows beyond 38 digits"};
  return value;
}
Wide times(Wide a, Wide b) {
  Wide r = 0;
  const bool overflows = __builtin_mul_overflow(a, b, &r);
  return checked(overflows, r);
}
Wide plus(Wide a, Wide b) {
  Wide r = 0;
  const bool overflows = __builtin_add_overflow(a, b, &r);
  return checked(overflows, r);
}
Wide common_divisor(Wide a, Wide b) {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/// A fraction in lowest terms, denominator > 0, and its unit.
struct Value {
  Wide numerator = 0, denominator = 1;
  std::string unit;
};

Value reduced(Wide numerator, Wide denominator, std::string unit) {
  if (denominator < 0) numerator = -numerator, denominator = -denominator;
  const Wide divisor = std::max<Wide>(1, common_divisor(numerator, denominator));
  return {numerator / divisor, denominator / divisor, std::move(unit)};
}

Value value_of(const std::string& text, const std::string& what) {
  NumberText number;
  if (!split_number(text, number)) throw Problem{fmt::format("{} is '{}', which is no number", what, text)};
  if (number.digits.size() > 37 || number.exponent > 37 || number.exponent < -37)
    throw Problem{"a number grows beyond 38 digits"};
  Wide numerator = 0, denominator = 1;
  for (char digit : number.digits) numerator = plus(times(numerator, 10), digit - '0');
  for (int i = 0; i < number.exponent; ++i) numerator = times(numerator, 10);
  for (int i = 0; i > number.exponent; --i) denominator = times(denominator, 10);
  return reduced(number.is_negative ? -numerator : numerator, denominator, number.unit);
}

std::string digits_of(Wide value) {
  std::string digits;
  for (; value > 0; value /= 10)
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
  return digits.empty() ? "0" : digits;
}

/// Exact where the decimal ends, else the 17 digits of a double.
std::string text_of(const Value& value) {
  Wide numerator = value.numerator, denominator = value.denominator;
  int exponent = 0;
  while (denominator % 10 == 0) denominator /= 10, --exponent;
  while (denominator % 2 == 0) denominator /= 2, numerator = times(numerator, 5), --exponent;
  while (denominator % 5 == 0) denominator /= 5, numerator = times(numerator, 2), --exponent;
  NumberText number;
  if (denominator == 1) {
    const bool is_negative = numerator < 0;
    LIGHTRAIL_EXPECT(split_number(
        digits_of(is_negative ? -numerator : numerator) + "e" + std::to_string(exponent), number));
    number.is_negative = is_negative;
  } else {
    number = shortest_number(static_cast<double>(static_cast<long double>(value.numerator) /
                                                 static_cast<long double>(value.denominator)));
  }
  return plain_decimal(number) + (value.unit.empty() ? "" : " " + value.unit);
}

class Parser {
 public:
  Parser(const std::string& text, const VariableLookup& lookup) : text_(text), lookup_(lookup) {}
  Value parse() {
    Value value = sum(0);
    if (at_ < text_.size()) throw Problem{fmt::format("unexpected '{}'", text_.substr(at_, 10))};
    return value;
  }

 private:
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    skip();
    return true;
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  Value sum(int depth) {
    Value left = product(depth);
    for (;;) {
      const bool is_plus = take('+');
      if (!is_plus && !take('-')) return left;
      const Value right = product(depth);
      if (left.unit != right.unit)
        throw Problem{
            fmt::format("cannot add '{}' and '{}' (different units)", text_of(left), text_of(right))};
      const Wide other = times(right.numerator, left.denominator);
      left = reduced(plus(times(left.numerator, right.denominator), is_plus ? other : -other),
                     times(left.denominator, right.denominator), left.unit);
    }
  }
  Value product(int depth) {
    Value left = factor(depth);
    for (;;) {
      if (take('*')) {
        const Value right = factor(depth);
        if (!left.unit.empty() && !right.unit.empty())
          throw Problem{
              fmt::format("cannot multiply '{}' and '{}' (both have a unit)", text_of(left), text_of(right))};
        left = reduced(times(left.numerator, right.numerator), times(left.denominator, right.denominator),
                       left.unit + right.unit);
      } else if (take('/')) {
        const Value right = factor(depth);
        if (right.numerator == 0) throw Problem{"division by zero"};
        if (!right.unit.empty() && left.unit != right.unit)
          throw Problem{
              fmt::format("cannot divide '{}' by '{}' (different units)", text_of(left), text_of(right))};
        left = reduced(times(left.numerator, right.denominator), times(left.denominator, right.numerator),
                       right.unit.empty() ? left.unit : "");
      } else {
        return left;
      }
    }
  }
  Value factor(int depth) {
    if (depth > 50) throw Problem{"parentheses nested more than 50 levels deep"};
    if (take('(')) {
      Value inner = sum(depth + 1);
      if (!take(')')) throw Problem{"missing ')'"};
      return inner;
    }
    if (take('-')) {
      Value value = factor(depth + 1);
      value.numerator = -value.numerator;
      return value;
    }
    skip();
    const std::size_t start = at_;
    auto is_word = [&](std::size_t i) {
      return i < text_.size() &&
             (std::isalnum(static_cast<unsigned char>(text_[i])) || text_[i] == '_' || text_[i] == '.');
    };
    while (is_word(at_)) ++at_;
    const std::string word = text_.substr(start, at_ - start);
    if (word.empty())
      throw Problem{at_ < text_.size() ? fmt::format("unexpected '{}'", text_.substr(at_, 10))
                                       : "it ends too early"};
    skip();
    if (std::isdigit(static_cast<unsigned char>(word[0]))) {
      Value number = value_of(word, "'" + word + "'");
      if (!number.unit.empty())
        throw Problem{fmt::format("'{}' is no number (give units to variables)", word)};
      return number;
    }
    std::string value;
    if (const std::string problem = lookup_(word, value); !problem.empty()) throw Problem{problem};
    return value_of(value, "variable '" + word + "'");
  }

  const std::string& text_;
  const VariableLookup& lookup_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_variable_name(const std::string& text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) return false;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

std::string evaluate_expression(const std::string& text, const VariableLookup& lookup, std::string& value) {
  const auto first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  if (first == std::string::npos) return "it is empty";
  const std::string trimmed = text.substr(first, last - first + 1);
  if (is_variable_name(trimmed)) return lookup(trimmed, value);
  try {
    value = text_of(Parser(text, lookup).parse());
    return "";
  } catch (const Problem& problem) {
    return problem.text;
  }
}

}  // namespace lightrail
