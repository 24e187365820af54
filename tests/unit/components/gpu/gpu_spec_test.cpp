#include "components/gpu/gpu_spec.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/gpu/gpu.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {
namespace {

std::shared_ptr<const Spec> read_gpu(const std::string& name, ErrorList& errors) {
  Scenario scenario =
      load_scenario("tests/data/gpu_kernels/one_gpu.xml", {{"gpu=" + name}, Catalogue("configs")});
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

namespace {

Element capped(const std::string& cap, const std::string& exponent) {
  Element gpu, gemm;
  gemm.name = "gemm";
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"peak", "100 TFLOP/s"},
                                                        {"latency", "1 us"},
                                                        {"efficiency", "1"},
                                                        {"memory-efficiency", "1"},
                                                        {"sustained", "0.8"}})
    gemm.attributes.push_back({name, value, "x.xml", 4, false});
  gpu.name = "gpu";
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"sms", "1"},
                                                        {"memory", "1 GiB"},
                                                        {"memory-bandwidth", "1 TB/s"},
                                                        {"power", "700 W"},
                                                        {"memory-power", "400 W"},
                                                        {"idle-power", "100 W"},
                                                        {"power-cap", cap},
                                                        {"power-exponent", exponent}})
    gpu.attributes.push_back({name, value, "x.xml", 3, false});
  gpu.children.push_back(gemm);
  return gpu;
}

}  // namespace

TEST_CASE("under a cap of its power a GPU's products run at the clock that draws as much") {
  // Idle 100 W, 600 W above it. A cap of 400 W leaves half of that: half the clock where power grows with it,
  // 2^(-1/3) of the clock where it grows with its cube.
  for (const auto& [exponent, clock] : {std::pair{"1", 0.5}, std::pair{"3", std::pow(0.5, 1.0 / 3)}}) {
    ErrorList errors;
    const auto spec = make_gpu_spec(capped("400 W", exponent), errors);
    errors.throw_if_any();
    const auto& gpu = static_cast<const GpuSpec&>(*spec);
    CHECK(gpu.compute.gemms.at(0).sustained == Approx(0.8 * clock));
    CHECK(gpu.power == Watts{400});
    CHECK(gpu.memory_power == Watts{400});
    CHECK(gpu.idle_power == Watts{100});
  }
  for (const char* none : {"0 W", "700 W", "900 W"}) {
    ErrorList errors;
    const auto spec = make_gpu_spec(capped(none, "1"), errors);
    errors.throw_if_any();
    const auto& gpu = static_cast<const GpuSpec&>(*spec);
    CHECK(gpu.compute.gemms.at(0).sustained == 0.8);
    CHECK(gpu.power == Watts{700});
  }
}

TEST_CASE("a cap of the power that memory would feel, or of a power that is not known, is refused") {
  ErrorList errors;
  (void)make_gpu_spec(capped("399 W", "1"), errors);
  Element unknown = capped("500 W", "1");
  std::erase_if(unknown.attributes, [](const Attribute& a) {
    return a.name == "power" || a.name == "memory-power" || a.name == "idle-power";
  });
  (void)make_gpu_spec(unknown, errors);
  REQUIRE(errors.size() == 2);
  try {
    errors.throw_if_any();
  } catch (const InputErrors& problem) {
    CHECK(to_string(problem.errors()[0])
              .find("x.xml:3: <gpu> attribute 'power-cap' is 399 W, less than its "
                    "memory-power of 400 W") != std::string::npos);
    CHECK(to_string(problem.errors()[1]).find("but what the GPU draws ('power') is not given") !=
          std::string::npos);
  }
}

TEST_CASE("attention is as fast as the library that a GPU names, which its catalogue entry must have") {
  // TFLOP/s of 4 x 4,096 causal tokens and 16 heads of 128, as published for H100 SXM5 (arXiv 2407.08608).
  const auto read = [](const std::string& library, ErrorList& errors) {
    Scenario scenario =
        load_scenario("tests/data/gpu_kernels/one_gpu.xml", {{"gpu=h100_sxm"}, Catalogue("configs")});
    Element gpu = *scenario.root.child("gpu");
    if (!library.empty()) gpu.attributes.push_back({"attention", library, "x.xml", 7, false});
    return gpu_kind()->make_spec(gpu, errors);
  };
  KernelShape shape;
  shape.kind = KernelKind::attention;
  shape.batch = 4, shape.m = shape.n = 4096, shape.heads = shape.kv_heads = 16, shape.head_dim = 128;
  shape.causal = 1;
  for (const auto& [library, published] :
       {std::pair{"flash-attention-2", 319.0}, {"cudnn", 518.0}, {"flash-attention-3", 579.0}, {"", 391.0}}) {
    ErrorList errors;
    const auto spec = read(library, errors);
    errors.throw_if_any();
    const SimTime time = kernel_time(static_cast<const GpuSpec&>(*spec).compute, shape);
    CHECK(4.0 * 4 * 16 * 4096 * 4096 * 128 / 2 / static_cast<double>(time.count()) ==
          Approx(published).epsilon(0.002));
  }
  ErrorList errors;
  (void)read("flash-attention-4", errors);
  REQUIRE(errors.size() == 1);
  try {
    errors.throw_if_any();
  } catch (const InputErrors& problem) {
    CHECK(
        to_string(problem.errors()[0]) ==
        "x.xml:7: <gpu> attribute 'attention' is 'flash-attention-4', of which it has no <attention> (it has "
        "catalogue, flash-attention-2, cudnn, flash-attention-3)");
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
