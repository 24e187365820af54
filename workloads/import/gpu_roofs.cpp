#include "workloads/import/gpu_roofs.hpp"

#include <fmt/format.h>

#include <string>

#include "engine/scenario/units.hpp"

namespace lightrail {

namespace {

/// An attribute's value as a number in its unit; reports what is wrong or missing and gives 1.
template <class T>
double read(const Element& at, const char* name, ErrorList& errors) {
  const Attribute* found = at.find(name);
  T value{};
  std::string problem = found ? parse_value(found->value, value) : "is required to scale recorded kernels";
  double number = 0;
  if constexpr (std::is_arithmetic_v<T>)
    number = static_cast<double>(value);
  else
    number = static_cast<double>(value.value);
  if (problem.empty() && number <= 0) problem = fmt::format("'{}' must be above 0", found->value);
  if (problem.empty()) return number;
  errors.add({found ? found->file : at.file, found ? found->line : at.line,
              fmt::format("<{}> attribute '{}': {}", at.name, name, problem)});
  return 1;
}

const Element* need(const Element& gpu, const Element* child, const char* text, ErrorList& errors) {
  if (!child)
    errors.add(gpu.error(fmt::format("<gpu> lacks {}, which scaling recorded kernels needs", text)));
  return child;
}

}  // namespace

GpuRoofs read_roofs(const Element& gpu, ErrorList& errors) {
  GpuRoofs roofs{1, 1, 1};
  const Element* bf16 = nullptr;
  for (const Element* gemm : gpu.children_named("gemm"))
    if (const Attribute* dtype = gemm->find("dtype"); !dtype || dtype->value == "bf16") bf16 = gemm;
  if (need(gpu, bf16, "<gemm dtype=\"bf16\">", errors)) {
    double peak = read<Flops>(*bf16, "peak", errors);
    roofs.gemm_flops = peak * read<double>(*bf16, "efficiency", errors);
    if (const Element* attention = need(gpu, gpu.child("attention"), "<attention>", errors))
      roofs.attention_flops = peak * read<double>(*attention, "efficiency", errors);
  }
  double bandwidth = read<BitRate>(gpu, "memory-bandwidth", errors) / 8;
  if (const Element* kernel = need(gpu, gpu.child("memory-kernel"), "<memory-kernel>", errors))
    roofs.memory_bytes = bandwidth * read<double>(*kernel, "efficiency", errors);
  return roofs;
}

const Element* system_gpu(const Element& scenario) {
  const Element* cluster = scenario.child("cluster");
  const Element* server = cluster ? cluster->child("server") : nullptr;
  return server ? server->child("gpu") : nullptr;
}

KernelScale scale_between(const GpuRoofs& from, const GpuRoofs& to, double host_scale) {
  return {from.gemm_flops / to.gemm_flops, from.attention_flops / to.attention_flops,
          from.memory_bytes / to.memory_bytes, host_scale};
}

}  // namespace lightrail
