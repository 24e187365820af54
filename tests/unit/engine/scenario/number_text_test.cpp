#include "engine/scenario/number_text.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("a number splits into digits, exponent and unit") {
  NumberText n;
  REQUIRE(split_number(" -012.50e3 Gb/s ", n));
  CHECK(n.is_negative);
  CHECK(n.digits == "125");
  CHECK(n.exponent == 2);
  CHECK(n.unit == "Gb/s");
  CHECK(plain_decimal(n) == "-12500");
}

TEST_CASE("an e without digits belongs to the unit") {
  NumberText n;
  REQUIRE(split_number("3 eggs", n));
  CHECK(n.unit == "eggs");
  REQUIRE(split_number("3e", n));
  CHECK(n.unit == "e");
  REQUIRE(split_number("3e-2", n));
  CHECK(n.exponent == -2);
}

TEST_CASE("what does not start with a number is none") {
  NumberText n;
  for (const char* text : {"", " ", "-", "+", ".5", "x1", "inf"}) CHECK_FALSE(split_number(text, n));
}

TEST_CASE("zero has no digits") {
  NumberText n;
  REQUIRE(split_number("0.000 s", n));
  CHECK(n.digits.empty());
  CHECK(plain_decimal(n) == "0");
}

TEST_CASE("small numbers print with leading zeros") {
  NumberText n;
  REQUIRE(split_number("4e-3", n));
  CHECK(plain_decimal(n) == "0.004");
  REQUIRE(split_number("1.25", n));
  CHECK(plain_decimal(n) == "1.25");
}
