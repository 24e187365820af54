#include "workloads/job/gpu_slots.hpp"

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "engine/model/kind.hpp"

namespace lightrail {
namespace {

/// The first component of one of these kinds that has a cable from `from`; invalid: none.
ComponentId neighbour(const Model& model, ComponentId from, std::initializer_list<std::string_view> kinds) {
  const ComponentRecord& record = model.components[from.value];
  for (std::uint32_t port = 0; port < record.port_count; ++port) {
    const LinkId out = model.ports[record.first_port + port].out;
    if (!out.is_valid()) continue;
    const ComponentId to = model.links[out.value].to;
    for (const std::string_view kind : kinds)
      if (model.kinds[model.components[to.value].kind]->name == kind) return to;
  }
  return {};
}

}  // namespace

GpuSlots gpu_slots(const Model& model, const AddressBook& book) {
  GpuSlots slots;
  slots.job.assign(book.gpu_count, GpuSlots::nobody);
  for (std::uint32_t gpu = 0; gpu < book.gpu_count; ++gpu) {
    slots.server.push_back(book[EndpointId{gpu}].server);
    const ComponentId nic = neighbour(model, book.component_of[gpu], {"nic"});
    slots.leaf.push_back(nic.is_valid() ? neighbour(model, nic, {"switch", "ethernet-switch"}).value
                                        : GpuSlots::nobody);
  }
  return slots;
}

}  // namespace lightrail
