#include <catch2/catch.hpp>

#include <string>

#include "workloads/job_spec.hpp"

using namespace lightrail;

TEST_CASE("a job is packed, begins at once and runs unless it is said otherwise") {
  std::string defaults;
  for (const ParameterDoc& doc : job_parameters().documentation())
    if (doc.name == "placement" || doc.name == "start" || doc.name == "active")
      defaults += doc.default_value + ";";
  CHECK(defaults == "packed;0 s;on;");
}
