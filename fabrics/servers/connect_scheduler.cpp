#include "fabrics/servers/connect_scheduler.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "engine/model/context.hpp"
#include "fabrics/children.hpp"

namespace lightrail {
namespace {

constexpr std::uint32_t gpu_port = 4;

}  // namespace

void connect_scheduler(const Element& root, SystemBuilder& builder) {
  const Element* element = only_child(root, "scheduler", Need::optional, builder.errors());
  Element with_defaults;
  with_defaults.name = "scheduler";
  const std::optional<Part> part = builder.part("scheduler", element ? *element : with_defaults);
  if (!part) return;
  const std::uint32_t gpus = builder.book.gpu_count, gateways = builder.book.gateway_count;
  const Element& at = element ? *element : *root.child("workload");
  if (gpus + gateways >= self_port)
    return builder.errors().add(
        at.error(fmt::format("a scheduler is joined to at most {} GPUs{}, the system has {}", self_port - 1,
                             gateways > 0 ? " and machines of <users>" : "", gpus + gateways)));
  const ComponentId scheduler =
      builder.add(*part, gpus + gateways, builder.prefix("scheduler"), 0, builder.new_atom());
  const SimTime latency = part->control_latency;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    const ComponentId at_gpu = builder.book.component_of[gpu];
    if (builder.model().components[at_gpu.value].port_count <= gpu_port)
      return builder.errors().add(
          at.error("an inference workload runs on GPUs of a <cluster>, not of a <graph>"));
    builder.connect_control(scheduler, gpu, at_gpu, gpu_port, latency);
  }
  for (std::uint32_t m = 0; m < gateways; ++m) {
    const ComponentId gateway = builder.book.component_of[builder.book.first_gateway + m];
    const std::uint32_t last = builder.model().components[gateway.value].port_count - 1u;
    builder.connect_control(scheduler, gpus + m, gateway, last, latency);
  }
}

}  // namespace lightrail
