#include "app/explain/difference.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace lightrail;

namespace {

constexpr const char* before = R"(<?xml version="1.0"?>
<scenario name="x">
  <cluster servers="2">
    <server gpus="8">
      <gpu bf16="1 P"/>
    </server>
    <server gpus="4"/>
  </cluster>
  <workload kind="training" tp="2"/>
</scenario>
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::vector<std::string> found(const std::string& after) {
  std::vector<std::string> all;
  for (const InputDifference& d : scenario_differences(before, after))
    all.push_back(d.what + ": " + d.before + " -> " + d.after);
  return all;
}

}  // namespace

TEST_CASE("a scenario differs in nothing from itself") {
  CHECK(found(before).empty());
}

TEST_CASE("an attribute that changed is named by its path, siblings by their place") {
  CHECK(found(replaced(before, "tp=\"2\"", "tp=\"4\"")) ==
        std::vector<std::string>{"scenario/workload@tp: 2 -> 4"});
  CHECK(found(replaced(before, "gpus=\"4\"", "gpus=\"2\"")) ==
        std::vector<std::string>{"scenario/cluster/server[1]@gpus: 4 -> 2"});
  CHECK(found(replaced(before, "1 P", "2 P")) ==
        std::vector<std::string>{"scenario/cluster/server/gpu@bf16: 1 P -> 2 P"});
}

TEST_CASE("what only one scenario has is absent in the other") {
  CHECK(found(replaced(before, " tp=\"2\"", "")) ==
        std::vector<std::string>{"scenario/workload@tp: 2 -> (absent)"});
  CHECK(found(replaced(before, "    <server gpus=\"4\"/>\n", "")) ==
        std::vector<std::string>{"scenario/cluster/server[1]: present -> (absent)",
                                 "scenario/cluster/server[1]@gpus: 4 -> (absent)"});
}

TEST_CASE("the changes of parts are listed with their sum") {
  Difference all;
  all.step_before.gpus = all.step_after.gpus = 2;
  all.step_before.gpu_time_ps = 6'000'000;
  all.step_after.gpu_time_ps = 10'000'000;
  all.parts = {{"compute", 2'000'000, 3'500'000}, {"pp bubble", 1'000'000, 1'500'000}};
  const std::string text = to_text(all);
  CHECK(text.find("  compute                            2.000 us     3.500 us     +1.500 us  +50.00 %") !=
        std::string::npos);
  CHECK(text.find("  all                                3.000 us     5.000 us     +2.000 us  +66.67 %") !=
        std::string::npos);
  CHECK(text.find("what differs in the input\n  nothing\n") != std::string::npos);
}
