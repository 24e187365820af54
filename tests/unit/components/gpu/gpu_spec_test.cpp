#include "components/gpu/gpu_spec.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>

#include "components/gpu/gpu.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {
namespace {

std::shared_ptr<const Spec> read_gpu(const std::string& name, ErrorList& errors) {
  Scenario scenario = load_scenario("tests/data/gpu_kernels/one_gpu.xml", {{"gpu=" + name}, "configs"});
  auto spec = gpu_kind()->make_spec(*scenario.root.child("gpu"), errors);
  report_unread(scenario.root, errors);
  return spec;
}

}  // namespace

TEST_CASE("every GPU of the catalogue is read completely and can time what training needs") {
  for (const char* name : {"a100_sxm_80gb", "h100_sxm", "h200_sxm", "h800_sxm", "h20_sxm", "b200_sxm",
                           "b300_sxm", "gb200", "gb300"}) {
    INFO(name);
    ErrorList errors;
    auto spec = read_gpu(name, errors);
    errors.throw_if_any();
    const auto& gpu = static_cast<const GpuSpec&>(*spec);
    CHECK(gpu.power.value >= 400);
    CHECK(gpu.power > gpu.idle_power);
    for (KernelKind kind : {KernelKind::gemm, KernelKind::attention, KernelKind::memory_bound}) {
      KernelShape shape;
      shape.kind = kind;
      CHECK(missing_for(gpu.compute, shape).empty());
    }
    CHECK(gpu_kind()->values(*spec).size() > gpu_kind()->parameters.size());
  }
}

TEST_CASE("a GPU without its size of memory is refused") {
  Element element;
  element.name = "gpu";
  element.attributes = {{"sms", "1", "x.xml", 3, false}, {"memory-bandwidth", "1 TB/s", "x.xml", 3, false}};
  ErrorList errors;
  (void)make_gpu_spec(element, errors);
  CHECK(errors.size() == 1);
}

}  // namespace lightrail
