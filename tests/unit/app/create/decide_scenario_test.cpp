#include "app/create/decide_scenario.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "app/registry/registry.hpp"
#include "engine/base/error.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"
#include "workloads/job/job.hpp"
#include "workloads/trace/trace_file.hpp"

namespace lightrail {

using Catch::Matchers::Contains;

namespace {

NewScenario decided(const NewOptions& options) {
  return decide_scenario(options, "folder/x.xml", Catalogue("configs"), {}, built_in_registry().algorithms);
}

std::string problem(const NewOptions& options) {
  try {
    static_cast<void>(decided(options));
  } catch (const InputErrors& errors) {
    return errors.what();
  }
  return "";
}

NewOptions with(std::string NewOptions::*member, const std::string& value) {
  NewOptions options;
  options.*member = value;
  return options;
}

}  // namespace

TEST_CASE("without options it is an all-reduce on four servers in rails") {
  const NewScenario made = decided({});
  CHECK(made.name == "x");
  CHECK(made.server == "servers/dgx_h100");
  CHECK(made.workload == "collective");
  CHECK(made.collective == "all-reduce");
  CHECK(made.fabric == "rail-optimised");
  CHECK(made.servers == 4);
  CHECK(made.gpus == 8);
  CHECK(made.tiers == 2);
  CHECK(made.rails == 0);
  CHECK(made.parts.switch_entry == "switches/qm9700");
}

TEST_CASE("a GPU's name stands for the largest server that has it") {
  CHECK(decided(with(&NewOptions::server, "gb200")).server == "servers/gb200_nvl72");
  CHECK(decided(with(&NewOptions::server, "h100")).server == "servers/dgx_h100");
  CHECK(decided(with(&NewOptions::server, "h100_sxm")).server == "servers/dgx_h100");
  CHECK(decided(with(&NewOptions::server, "p5")).server == "servers/p5");
  CHECK_THAT(problem(with(&NewOptions::server, "dgx_h10")),
             Contains("new: option --server: invalid choice 'dgx_h10' (one of dgx_a100") &&
                 Contains("did you mean 'dgx_h100'?"));
}

TEST_CASE("servers that need a storage network are not offered") {
  const auto servers = new_servers(Catalogue("configs"), {});
  CHECK(std::count(servers.begin(), servers.end(), "dgx_h100") == 1);
  CHECK(std::count(servers.begin(), servers.end(), "dgx_h100_storage") == 0);
}

TEST_CASE("a model means training, and a job decides which options have an effect") {
  CHECK(decided(with(&NewOptions::model, "llama3_8b")).workload == "training");
  NewOptions both = with(&NewOptions::model, "llama3_8b");
  both.collective = "all-to-all";
  CHECK(problem(both) == "new: option --collective has no effect on workload 'training'");
  both.collective = "", both.workload = "collective";
  CHECK(problem(both) == "new: option --model has no effect on workload 'collective'");
  CHECK(problem(with(&NewOptions::workload, "trace")) == "new: workload 'trace' needs --trace FILE");
  NewOptions none = with(&NewOptions::fabric, "none");
  none.is_ethernet = true;
  CHECK(problem(none) == "new: option --ethernet has no effect on fabric 'none'");
}

TEST_CASE("a trace is replayed on the GPU that it names, and scaled from it to another") {
  const TraceFolder folder;
  auto traced_on = [&](const std::string& gpus, const std::string& server) {
    JobBuilder job(2);
    job.job().capture.gpus = gpus;
    const std::string path = folder.path("t" + gpus + ".h5");
    write_trace(job.take(), path, "test");
    NewOptions options = with(&NewOptions::trace, path);
    options.server = server;
    return decided(options);
  };
  const NewScenario a100 = traced_on("NVIDIA A100-SXM4-80GB", "");
  CHECK(a100.server == "servers/dgx_a100");
  CHECK(a100.recorded_on == "gpus/a100_sxm_80gb");
  CHECK(a100.gpus == 2);
  const NewScenario other = traced_on("NVIDIA A100-SXM4-80GB", "h200");
  CHECK(other.server == "servers/hgx_h200");
  CHECK(other.recorded_on == "gpus/a100_sxm_80gb");
  CHECK(traced_on("Tesla V100-SXM2-16GB", "").recorded_on.empty());
  CHECK(traced_on("", "").recorded_on == "gpus/h100_sxm");
}

TEST_CASE("switches get as many tiers as their ports need") {
  NewOptions options;
  options.servers = 256;  // 2,048 NICs on switches of 64 ports: 64 x 64 / 2
  CHECK(decided(options).tiers == 2);
  options.servers = 257;
  CHECK(decided(options).tiers == 3);
  options.fabric = "rail-only", options.servers = 64;
  CHECK(decided(options).tiers == 1);
  options.servers = 65;
  CHECK(decided(options).tiers == 2);
  CHECK(decided(with(&NewOptions::server, "gb300_nvl72")).rails == 4);
}

TEST_CASE("a plan of training fits, and a model that no plan fits is refused with what it needs") {
  NewOptions options = with(&NewOptions::model, "llama3_70b");
  options.servers = 8;
  CHECK(decided(options).plan.front().first == "tp");
  options.model = "llama3_1_405b", options.servers = 1;
  CHECK_THAT(problem(options),
             Contains("new: models/llama3_1_405b does not fit 8 GPUs of 80 GiB: the nearest "
                      "plan needs") &&
                 Contains("more --servers, or another --server"));
}

TEST_CASE("a replica that serves has as few GPUs as hold it") {
  NewOptions options = with(&NewOptions::workload, "inference");
  CHECK(decided(options).tp == 1);  // 16 GB of 80 GiB
  options.model = "llama3_70b";     // 141 GB: 35 GB on each of four
  CHECK(decided(options).tp == 4);
  options.model = "llama3_1_405b";  // 812 GB: 47.2 GiB on each of 2 x 8, of 0.6 x 80
  CHECK(decided(options).tp == 8);
  CHECK(decided(options).pp == 2);
  options.servers = 1;
  CHECK_THAT(problem(options), Contains("does not fit 8 GPUs of 80 GiB"));
}

}  // namespace lightrail
