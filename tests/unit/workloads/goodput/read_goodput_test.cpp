#include "workloads/goodput/read_goodput.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "network/wire/address_book.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"
#include "workloads/program/serving.hpp"

using namespace lightrail;

namespace {

constexpr SimTime one_second = milliseconds(1000);

struct Read {
  std::shared_ptr<const GoodputRequest> request;  ///< null: refused
  std::vector<DeclaredParameter> parameters;
  std::vector<std::string> errors;
};

/// Of a system of 16 GPUs whose job, where the scenario has one, has these operations.
Read read(const std::string& goodput, const std::vector<OpKind>& kinds = {}, std::uint32_t stands_for = 1,
          std::uint32_t gpus = 16, bool serves = false, bool has_jobs = false, std::uint16_t every = 1) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "s.xml", "<scenario name=\"s\"><workload/>\n" + goodput + "\n</scenario>");
  const Scenario scenario = load_scenario(folder / "s.xml", {{}, Catalogue("configs")});
  Model model;
  AddressBook book;
  book.gpu_count = gpus;
  model.add(std::make_shared<const AddressBook>(book));
  auto programs = std::make_shared<ProgramSet>();
  programs->programs.resize(1);
  for (const OpKind kind : kinds) programs->programs[0].ops.push_back(Op{.kind = kind, .every = every});
  if (has_jobs) {  // "a" on the first four GPUs, "b" on the others
    programs->programs.push_back(programs->programs[0]);
    programs->jobs.resize(2);
    programs->jobs[0].name = std::string("a"), programs->jobs[1].name = std::string("b");
    programs->programs[0].job = 0, programs->programs[1].job = 1;
    programs->program_of_gpu.assign(16, 1);
    std::fill_n(programs->program_of_gpu.begin(), 4, 0);
  }
  model.add<ProgramSet>(programs);
  auto groups = std::make_shared<GroupTable>();
  groups->add({"dp", {{16, 1}}, {}, stands_for}, 16);
  model.add<GroupTable>(groups);
  if (serves) model.add(std::make_shared<const ServingPlan>());
  ErrorList errors;
  ModelPart part = read_goodput(scenario, model, errors);
  Read all;
  all.parameters = part.parameters;
  try {
    errors.throw_if_any();
  } catch (const InputErrors& found) {
    for (const InputError& error : found.errors()) all.errors.push_back(error.what);
    return all;
  }
  model.add(std::move(part));
  if (const auto* request = model.resource<GoodputRequest>())
    all.request = std::make_shared<const GoodputRequest>(*request);
  return all;
}

std::string with_rates(const std::string& attributes, const std::string& children) {
  return "<goodput " + attributes + "><failure-rates catalogue=\"faults/rsc_1\"/>" + children + "</goodput>";
}

}  // namespace

TEST_CASE("a scenario without <goodput> has no request") {
  const Read none = read("");
  CHECK_FALSE(none.request);
  CHECK(none.errors.empty());
}

TEST_CASE("GPUs and step are the job's where nothing else is said") {
  const Read all = read(with_rates("", ""));
  REQUIRE(all.request);
  CHECK(all.request->plan.gpus == 16);
  CHECK(all.request->simulates_step);
  CHECK(all.request->plan.failures_per_day() == Approx(2 * 6.5e-3));
  CHECK_FALSE(all.request->plan.checkpoint);
  const Read given = read(with_rates("gpus=\"64\" step=\"3 s\"", ""));
  REQUIRE(given.request);
  CHECK(given.request->plan.gpus == 64);
  CHECK_FALSE(given.request->simulates());
  CHECK(given.request->plan.step == 3 * one_second);
}

TEST_CASE("of several jobs one is named, and its GPUs count") {
  const auto of = [](const std::string& attributes, const std::string& children = "",
                     const std::vector<OpKind>& kinds = {}) {
    return read(with_rates(attributes, children), kinds, 1, 16, false, true);
  };
  const Read b = of("job=\"b\"");
  REQUIRE(b.request);
  CHECK(b.request->job == "b");
  CHECK(b.request->plan.gpus == 12);
  CHECK(of("job=\"a\" gpus=\"40\"").request->plan.gpus == 40);
  CHECK(of("").errors ==
        std::vector<std::string>{"<goodput> needs 'job', the name of one of the jobs whose step it takes"});
  CHECK(of("job=\"c\"").errors ==
        std::vector<std::string>{"<goodput> attribute 'job': there is no job 'c' (expected a, b)"});
  CHECK(read(with_rates("job=\"a\"", "")).errors ==
        std::vector<std::string>{
            "<goodput> attribute 'job': there is no job 'a' (expected none: the only job has no name)"});
  CHECK(of("step=\"1 s\" job=\"a\"").request->plan.gpus == 4);
  CHECK(of("step=\"1 s\"").errors ==
        std::vector<std::string>{"<goodput> needs 'job', the name of one of the jobs, or 'gpus'"});
  const Read saves = of("job=\"a\"", "<checkpoint every=\"60 s\"/>", {OpKind::storage_write});
  REQUIRE(saves.errors.size() == 1);
  CHECK(saves.errors[0].find("needs 'write' of <checkpoint>") != std::string::npos);
}

TEST_CASE("a job that evaluates has steps of two lengths") {
  CHECK(read(with_rates("", ""), {OpKind::compute}, 1, 16, false, false, 4).errors ==
        std::vector<std::string>{
            "<goodput> needs 'step': behind some steps of the job is an evaluation (eval-interval)"});
  CHECK(read(with_rates("step=\"1 s\"", ""), {OpKind::compute}, 1, 16, false, false, 4).errors.empty());
}

TEST_CASE("every value that took effect is declared, defaults included") {
  const Read all = read(with_rates("step=\"3 s\"", ""));
  const auto value = [&](const std::string& element, const std::string& name) {
    const auto it = std::find_if(
        all.parameters.begin(), all.parameters.end(),
        [&](const DeclaredParameter& p) { return p.element == element && p.value.name == name; });
    return it == all.parameters.end() ? "none" : it->value.value;
  };
  CHECK(value("restart", "watchdog") == "600 s");
  CHECK(value("goodput", "step") == "3 s");
  CHECK(value("category", "failures") == "6.5");
  CHECK(value("failure-rates", "gpus-per-node") == "8");
}

TEST_CASE("communicators take longer the more GPUs there are") {
  const Read all = read(with_rates("step=\"3 s\" gpus=\"10000\"", "<restart init=\"5 s\"/>"));
  REQUIRE(all.request);
  CHECK(all.request->plan.restart.initialisation == 35 * one_second);
}

TEST_CASE("a synchronous checkpoint blocks until it is written, an asynchronous one until it is copied") {
  const std::string times = "every=\"1 min\" blocking=\"2 s\" write=\"20 s\"/>";
  const Read waits = read(with_rates("step=\"3 s\"", "<checkpoint " + times));
  REQUIRE(waits.request);
  CHECK(waits.request->plan.checkpoint->blocking == 22 * one_second);
  CHECK(waits.request->plan.checkpoint->write == SimTime{});
  const Read goes_on = read(with_rates("step=\"3 s\"", "<checkpoint mode=\"asynchronous\" " + times));
  REQUIRE(goes_on.request);
  CHECK(goes_on.request->plan.checkpoint->blocking == 2 * one_second);
  CHECK(goes_on.request->plan.checkpoint->write == 20 * one_second);
}

TEST_CASE("times follow from a size and rates: a GPU's share to its host, all of it to and from storage") {
  // 160 GB of 16 GPUs at 5 GB/s each: 2 s; to storage at 8 GB/s: 20 s; back at 16 GB/s: 10 s.
  const Read all = read(with_rates("step=\"3 s\"",
                                   "<checkpoint mode=\"asynchronous\" every=\"1 min\" size=\"160 GB\" "
                                   "copy-rate=\"5 GB/s\" write-rate=\"8 GB/s\" read-rate=\"16 GB/s\"/>"));
  REQUIRE(all.request);
  CHECK(all.request->plan.checkpoint->blocking == 2 * one_second);
  CHECK(all.request->plan.checkpoint->write == 20 * one_second);
  CHECK(all.request->plan.restart.load == 10 * one_second);
}

TEST_CASE("a checkpoint without times is simulated where the job writes to storage") {
  const std::string text = with_rates("", "<checkpoint every=\"1 min\"/>");
  const Read simulated = read(text, {OpKind::compute, OpKind::storage_write});
  REQUIRE(simulated.request);
  CHECK(simulated.request->simulates_write);
  CHECK(read(text, {OpKind::compute, OpKind::storage_read}).errors ==
        std::vector<std::string>{
            "<checkpoint> needs 'blocking' or 'write', a size with rates, or a workload that "
            "writes to storage"});
}

TEST_CASE("a job whose replicas stand for others has to say how many GPUs it has") {
  CHECK(read(with_rates("step=\"3 s\"", ""), {}, 4).errors ==
        std::vector<std::string>{"<goodput> needs 'gpus': those that are simulated stand for others (fold)"});
  CHECK(read(with_rates("step=\"3 s\" gpus=\"64\"", ""), {}, 4).request);
}

TEST_CASE("what weeks rest on is said: defaults without a source, spares without end, nothing saved") {
  const auto texts = [](const Read& all) {
    std::vector<std::string> found;
    for (const Remark& remark : all.request->remarks) found.push_back(remark.about + ": " + remark.text);
    return found;
  };
  CHECK(texts(read(with_rates("step=\"3 s\"", "<restart detection=\"1 s\"/>"))) ==
        std::vector<std::string>{"defaults: without a source: replacement, warm-up",
                                 "spares: a spare is always there (<spares> says how many are)",
                                 "checkpoint: none: a failure loses all steps"});
  CHECK(texts(read(with_rates("step=\"3 s\"",
                              "<checkpoint every=\"1 min\" blocking=\"1 s\"/><spares servers=\"1\"/>"
                              "<restart detection=\"1 s\" replacement=\"1 s\" warm-up=\"1 s\"/>"))) ==
        std::vector<std::string>{"defaults: without a source: repair"});
}

TEST_CASE("a system without GPUs has to say how many the job has") {
  const std::string saving = "<checkpoint every=\"1 min\" size=\"1 GB\" copy-rate=\"1 GB/s\"/>";
  CHECK(read(with_rates("step=\"3 s\"", saving), {}, 1, 0).errors ==
        std::vector<std::string>{"<goodput> needs 'gpus': the system has none"});
}

TEST_CASE("an inference job has no steps") {
  CHECK(read(with_rates("", ""), {}, 1, 16, true).errors ==
        std::vector<std::string>{"<goodput> needs 'step', or a <workload> whose iterations tell it"});
}

TEST_CASE("replicas recover from each other") {
  const Read all = read(with_rates("step=\"3 s\"", "<replicas groups=\"4\"/>"));
  REQUIRE(all.request);
  CHECK(all.request->plan.replicas->groups == 4);
  CHECK(all.request->plan.replicas->heartbeat == 5 * one_second);
}
