#include "workloads/goodput/goodput_spec.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace lightrail;

namespace {

ParameterDoc documented(const std::vector<ParameterDoc>& all, const std::string& name) {
  return *std::find_if(all.begin(), all.end(), [&](const ParameterDoc& doc) { return doc.name == name; });
}

}  // namespace

TEST_CASE("every stage of a restart that has a time by itself says where that is from") {
  for (const ParameterDoc& doc : restart_parameters().documentation()) {
    INFO(doc.name);
    CHECK((doc.default_value == "0 s" || doc.doc.find("(default: ") != std::string::npos));
  }
}

TEST_CASE("the defaults of a restart are those that their sources give") {
  const auto docs = restart_parameters().documentation();
  CHECK(documented(docs, "watchdog").default_value == "600 s");
  CHECK(documented(docs, "rendezvous").default_value == "30 s");
  CHECK(documented(docs, "load").default_value == "129.49 s");
  // 30 s for 10,000 GPUs.
  CHECK(RestartSpec{}.init_per_gpu * 10'000 == milliseconds(30'000));
}

TEST_CASE("what cannot be guessed of checkpoints, failures, spares and replicas is required") {
  CHECK(documented(job_checkpoint_parameters().documentation(), "every").is_required);
  CHECK(documented(category_parameters().documentation(), "failures").is_required);
  CHECK(documented(spares_parameters().documentation(), "servers").is_required);
  CHECK(documented(replicas_parameters().documentation(), "groups").is_required);
}
