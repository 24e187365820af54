#include "app/create/new_scenario_text.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace lightrail {

using Catch::Matchers::Contains;

namespace {

NewScenario made() {
  NewScenario s;
  s.name = "x", s.server = "servers/a", s.servers = 2, s.gpus = 8, s.nics = 8, s.fabric = "fat-tree";
  s.parts = {"", "switch", "switches/s", "links/h", "links/t", "", "30 m", "100 m"};
  s.workload = "collective", s.collective = "all-gather";
  return s;
}

}  // namespace

TEST_CASE("a scenario says what it is and which commands answer what") {
  const NewScenario s = made();
  CHECK(new_scenario_sentence(s) == "all-gather on 2 servers of a (16 GPUs), fat-tree");
  const std::string text = new_scenario_text(s, "sub/x.xml");
  CHECK_THAT(text, Contains("Made by lightrail new: all-gather on 2 servers of a (16 GPUs), fat-tree."));
  CHECK_THAT(text, Contains("lightrail run sub/x.xml ") && Contains("lightrail explain x.h5 "));
  CHECK_THAT(text, Contains("<sweep><vary name=\"size\" values=\"1 MB; 16 MB; 256 MB\"/></sweep>"));
  CHECK_THAT(text, Contains("<link role=\"host\" catalogue=\"links/h\"/>\n"
                            "    <link role=\"trunk\" catalogue=\"links/t\" length=\"30 m\"/>\n  </fabric>"));
}

TEST_CASE("a small job records all of its GPUs, as the critical path needs it") {
  NewScenario s = made();
  CHECK_THAT(new_scenario_text(s, "x.xml"), Contains("<output><table name=\"ops\" gpus=\"all\"/></output>"));
  s.servers = 9;  // 72 GPUs
  CHECK_THAT(new_scenario_text(s, "x.xml"), !Contains("<output>"));
}

TEST_CASE("a third tier has cables to cores, a dragonfly between groups, a single switch to NICs alone") {
  NewScenario s = made();
  s.tiers = 3;
  CHECK_THAT(new_scenario_text(s, "x.xml"), Contains("role=\"core\" catalogue=\"links/t\" length=\"100 m\""));
  s.fabric = "dragonfly-plus";
  CHECK_THAT(new_scenario_text(s, "x.xml"), Contains("role=\"global\"") && !Contains("tiers="));
  s.fabric = "single-switch";
  CHECK_THAT(new_scenario_text(s, "x.xml"), !Contains("role=\"trunk\"") && !Contains("tiers="));
  s.fabric = "none", s.servers = 1;
  CHECK_THAT(new_scenario_text(s, "x.xml"), Contains("<fabric kind=\"none\"/>"));
  CHECK(new_scenario_sentence(s) == "all-gather on 1 server of a (8 GPUs), no network between them");
}

TEST_CASE("training has its plan, but for what is usual, and a batch that grows with the servers") {
  NewScenario s = made();
  s.workload = "training", s.model = "models/m";
  s.plan = {{"tp", "2"}, {"cp", "1"}, {"pp", "1"}, {"ep", "1"}, {"recompute", "full"}};
  CHECK_THAT(new_scenario_text(s, "x.xml"), Contains("global-batch=\"${sequences * 8 * servers}\"") &&
                                                Contains("tp=\"2\" pp=\"1\" recompute=\"full\">") &&
                                                !Contains("cp="));
}

TEST_CASE("a replay says on which GPU its trace was taken, and what that means for its kernels") {
  NewScenario s = made();
  s.workload = "trace", s.trace = "t.h5", s.recorded_on = "gpus/g";
  CHECK_THAT(
      new_scenario_text(s, "x.xml"),
      Contains("The trace does not name its GPU: `recorded` is taken as the server's; kernels scale") &&
          Contains("<variable name=\"recorded\" value=\"gpus/g\"/>") &&
          Contains("<recorded-on><gpu catalogue=\"${recorded}\"/></recorded-on>"));
  s.traced_gpu = "NVIDIA G";
  CHECK_THAT(new_scenario_text(s, "x.xml"),
             Contains("The trace was taken on NVIDIA G; kernels scale from `recorded` to the server's GPU."));
  s.recorded_on = "";
  CHECK_THAT(new_scenario_text(s, "x.xml"),
             Contains("taken on NVIDIA G, which the catalogue lacks: kernels keep their times.") &&
                 !Contains("recorded-on") && !Contains("name=\"recorded\""));
}

TEST_CASE("Ethernet takes the place of the servers' NICs") {
  NewScenario s = made();
  s.parts.nic = "nics/n", s.parts.switch_element = "ethernet-switch";
  CHECK_THAT(new_scenario_text(s, "x.xml"),
             Contains("<server catalogue=\"servers/a\"><nic catalogue=\"nics/n\"/></server>") &&
                 Contains("<ethernet-switch catalogue=\"switches/s\"/>") && Contains("routing=\"ecmp\""));
  CHECK(new_scenario_sentence(s) == "all-gather on 2 servers of a (16 GPUs), fat-tree, Ethernet");
}

}  // namespace lightrail
