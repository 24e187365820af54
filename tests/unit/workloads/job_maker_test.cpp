#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "network/wire/address_book.hpp"
#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/job/workload_kind.hpp"
#include "workloads/job_maker.hpp"

using namespace lightrail;

namespace {

/// 24 GPUs in servers of 8.
Model three_servers() {
  auto book = std::make_shared<AddressBook>();
  book->gpu_count = 24;
  for (std::uint32_t gpu = 0; gpu < 24; ++gpu) {
    book->endpoints.push_back({.server = gpu / 8});
    book->component_of.emplace_back(gpu);
  }
  Model model;
  model.add<AddressBook>(std::move(book));
  model.add(std::make_shared<const AlgorithmRegistry>());
  return model;
}

}  // namespace

TEST_CASE("a job sees as many GPUs as it has, and the servers that these are in") {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> servers;
  auto probe = std::make_shared<WorkloadKind>();
  probe->name = "probe";
  probe->make = [&](WorkloadContext& context) {
    count = context.gpu_count, servers = context.servers;
    Program last;
    last.role = "last";
    context.job.assign(2, context.job.program(std::move(last)));
  };
  WorkloadRegistry kinds;
  kinds.add(probe);
  const Scenario scenario = scenario_of(R"(<workload kind="probe" iterations="7"/>)");
  const Model model = three_servers();
  ErrorList errors;
  const JobMaker maker(scenario, kinds, model, errors);
  const WorkloadJob made = maker.make(scenario.root.child("workload"), nullptr, {17, 3, 9});
  errors.throw_if_any();
  CHECK(count == 3);
  CHECK(servers == std::vector<std::uint32_t>{2, 0, 1});
  CHECK(made.job.gpu_count == 3);
  CHECK(made.job.programs.iterations == 7);
  CHECK(made.job.groups.at(0).size() == 3);
  CHECK(made.job.programs.programs.at(made.job.programs.program_of_gpu[2]).role == "last");
}
