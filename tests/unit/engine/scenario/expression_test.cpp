#include "engine/scenario/expression.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>

using namespace lightrail;

namespace {

std::string look_up(const std::string& name, std::string& value) {
  static const std::map<std::string, std::string> all{
      {"servers", "30"}, {"length", "50 m"}, {"rate", "400 Gb/s"}, {"mode", "on"}};
  const auto it = all.find(name);
  if (it == all.end()) return "unknown variable '" + name + "'";
  value = it->second;
  return "";
}
std::string result(const std::string& text) {
  std::string value;
  const std::string problem = evaluate_expression(text, look_up, value);
  return problem.empty() ? value : "error: " + problem;
}

}  // namespace

TEST_CASE("a lone variable gives its text unchanged") {
  CHECK(result("mode") == "on");
  CHECK(result(" length ") == "50 m");
}

TEST_CASE("products bind tighter than sums, parentheses tightest, left to right") {
  CHECK(result("8 * servers") == "240");
  CHECK(result("1 + 2 * 3") == "7");
  CHECK(result("(1 + 2) * 3") == "9");
  CHECK(result("10 - 4 - 3") == "3");
  CHECK(result("16 / 4 / 2") == "2");
  CHECK(result("-servers + 40") == "10");
}

TEST_CASE("nothing is left of equal things") {
  CHECK(result("5 - 5") == "0");
  CHECK(result("0 * length") == "0 m");
}

TEST_CASE("fractions are exact") {
  CHECK(result("1 / 3 * 3") == "1");
  CHECK(result("0.1 + 0.2") == "0.3");
  CHECK(result("servers / 8") == "3.75");
  CHECK(result("1 / 3") == "0.3333333333333333");
  CHECK(result("1e18 * 1e18") == "1000000000000000000000000000000000000");
}

TEST_CASE("units follow the arithmetic") {
  CHECK(result("2 * length") == "100 m");
  CHECK(result("length / 4") == "12.5 m");
  CHECK(result("length + length") == "100 m");
  CHECK(result("length / length") == "1");
}

TEST_CASE("mistakes in expressions are named") {
  CHECK(result("8 * server") == "error: unknown variable 'server'");
  CHECK(result("length + rate") == "error: cannot add '50 m' and '400 Gb/s' (different units)");
  CHECK(result("length * rate") == "error: cannot multiply '50 m' and '400 Gb/s' (both have a unit)");
  CHECK(result("length / rate") == "error: cannot divide '50 m' by '400 Gb/s' (different units)");
  CHECK(result("1 / 0") == "error: division by zero");
  CHECK(result("2 * mode") == "error: variable 'mode' is 'on', which is no number");
  CHECK(result("") == "error: it is empty");
  CHECK(result("2 *") == "error: it ends too early");
  CHECK(result("(2") == "error: missing ')'");
  CHECK(result("2 $ 3") == "error: unexpected '$ 3'");
  CHECK(result("2 m") == "error: unexpected 'm'");
  CHECK(result("2m") == "error: '2m' is no number (give units to variables)");
  CHECK(result("1e37 * 1e37") == "error: a number grows beyond 38 digits");
  CHECK(result("1e60") == "error: a number grows beyond 38 digits");
  std::string deep(100, '(');
  deep += '1';
  deep.append(100, ')');
  CHECK(result(deep) == "error: parentheses nested more than 50 levels deep");
}
