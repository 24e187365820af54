#include "components/gpu/gpu_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/require_together.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {

Describe<GpuSpec> gpu_parameters() {
  const Watts none{0}, most{1e5};
  return Describe<GpuSpec>()
      .required("sms", &GpuSpec::sms, "streaming multiprocessors", 1u, 10'000u)
      .required("memory", &GpuSpec::memory, "size of the HBM", Bytes{1}, Bytes{1ll << 45})
      .required("memory-bandwidth", &GpuSpec::memory_bandwidth, "of the HBM", BitRate{1},
                BitRate{1'000'000'000'000'000})
      .field("collective-sms", &GpuSpec::collective_sms,
             "multiprocessors that a running collective holds, so that kernels beside it slow down", 0u,
             10'000u)
      .field("point-sms", &GpuSpec::point_sms, "multiprocessors that a running send or receive holds", 0u,
             10'000u)
      .field("collective-memory", &GpuSpec::collective_memory,
             "bytes of HBM traffic for a byte that a running collective receives, so that kernels bound by "
             "memory slow down",
             0.0, 100.0)
      .choice("attention", &GpuSpec::attention, "library of the attention kernels: one of its <attention>",
              attention_library_names())
      .field("power", &GpuSpec::power, "while a kernel runs, for the power table; 0: not known", none, most)
      .field("memory-power", &GpuSpec::memory_power,
             "while only kernels run that are bound by memory; as power where it is left out", none, most)
      .field("communication-power", &GpuSpec::communication_power,
             "while only communication runs; as memory-power where it is left out", none, most)
      .field("idle-power", &GpuSpec::idle_power, "while nothing runs", none, most)
      .field("power-cap", &GpuSpec::power_cap,
             "limit of what the GPU draws: products and attention run at a lower clock; 0: none", none, most)
      .field("power-exponent", &GpuSpec::power_exponent,
             "power above idle grows with this power of the clock: 1 where the voltage stays, 3 where it "
             "falls with the clock",
             1.0, 3.0);
}

namespace {

/// The less a GPU does the less it draws. What is not given, or is a catalogue's beside a smaller figure of
/// the scenario's, is as much as the next larger.
void settle_powers(const Element& element, GpuSpec& spec, ErrorList& errors) {
  if (spec.power.value == 0) return;
  const char* more = "power";
  Watts above = spec.power;
  for (const auto& [name, watts] : {std::pair{"memory-power", &spec.memory_power},
                                    std::pair{"communication-power", &spec.communication_power},
                                    std::pair{"idle-power", &spec.idle_power}}) {
    const Attribute *given = element.find(name), *other = element.find(more);
    if (!given && watts != &spec.idle_power) *watts = above;
    if (given && other && *watts > above && given->file == other->file)
      errors.add({given->file, given->line,
                  fmt::format("<gpu> attribute '{}' is {}, more than its {} of {}", name,
                              format_value(*watts), more, format_value(above))});
    *watts = std::min(*watts, above);
    if (*watts < above) above = *watts, more = name;
  }
}

/// Under a cap of its power a GPU lowers its clock until kernels that compute draw no more: the share s of
/// the clock with idle + (power - idle) s^exponent = cap. Memory keeps its clock, so a cap that kernels bound
/// by memory would feel is refused.
void apply_power_cap(const Element& element, GpuSpec& spec, ErrorList& errors) {
  if (spec.power_cap.value == 0) return;
  const Attribute* given = element.find("power-cap");
  auto refuse = [&](const std::string& what) {
    errors.add({given->file, given->line,
                fmt::format("<gpu> attribute 'power-cap' is {}{}", format_value(spec.power_cap), what)});
  };
  if (spec.power.value == 0) return refuse(", but what the GPU draws ('power') is not given");
  if (spec.power_cap < spec.memory_power)
    return refuse(
        fmt::format(", less than its memory-power of {} (memory would be slower too, which is not "
                    "modelled)",
                    format_value(spec.memory_power)));
  if (spec.power_cap >= spec.power) return;
  const double idle = spec.idle_power.value;
  const double clock =
      std::pow((spec.power_cap.value - idle) / (spec.power.value - idle), 1 / spec.power_exponent);
  for (GemmSpec& gemm : spec.compute.gemms) gemm.sustained *= clock;
  spec.power = spec.power_cap;
}

}  // namespace

std::shared_ptr<const Spec> make_gpu_spec(const Element& element, ErrorList& errors) {
  auto spec = std::make_shared<GpuSpec>();
  gpu_parameters().parse(element, *spec, errors);
  require_together(element,
                   {{"idle-power", "power"}, {"memory-power", "power"}, {"communication-power", "power"}},
                   errors);
  settle_powers(element, *spec, errors);
  parse_compute(element, spec->attention, spec->compute, errors);
  apply_power_cap(element, *spec, errors);
  if (const Element* child = element.child("collectives"))
    nccl_device_parameters().parse(*child, spec->nccl.emplace(), errors);
  spec->compute.sms = spec->sms;
  spec->compute.collective_sms = spec->collective_sms;
  spec->compute.point_sms = spec->point_sms;
  spec->compute.collective_memory = spec->collective_memory;
  spec->compute.memory_bandwidth = spec->memory_bandwidth;
  return spec;
}

std::vector<ParameterValue> gpu_values(const GpuSpec& spec) {
  std::vector<ParameterValue> all = gpu_parameters().values(spec);
  for (ParameterValue& value : compute_values(spec.compute)) all.push_back(std::move(value));
  if (!spec.nccl) return all;
  for (ParameterValue& value : nccl_device_parameters().values(*spec.nccl)) {
    value.name = "collectives " + value.name;
    all.push_back(std::move(value));
  }
  return all;
}

}  // namespace lightrail
