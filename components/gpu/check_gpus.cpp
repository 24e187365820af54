#include "components/gpu/check_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>

#include "components/gpu/execution/launch_server.hpp"
#include "engine/model/kind.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/nic_role.hpp"
#include "workloads/program/iterations.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail {

namespace {

/// Networks behind hosts on which the GPU has a NIC.
ByRole<bool> networks_of(const AddressBook& book, EndpointId gpu) {
  ByRole<bool> has;
  for (const NicRole role : host_networks) {
    const AddressBook* network = book.behind_host(role);
    has[role] = network && (*network)[gpu].lid.is_valid();
  }
  return has;
}
/// All that there are.
ByRole<bool> networks_of(const AddressBook& book) {
  ByRole<bool> has;
  for (const NicRole role : host_networks) has[role] = book.behind_host(role) != nullptr;
  return has;
}

}  // namespace

std::string missing_kernel(const ComputeSpec& spec, const ProgramSet& set, std::uint32_t program,
                           const std::vector<std::string>& names) {
  const Program& p = set.programs[program];
  for (std::uint32_t i = 0; i < p.ops.size(); ++i) {
    const Op& op = p.ops[i];
    if (op.kind != OpKind::compute || op.duration != SimTime{0}) continue;
    if (const std::string missing = missing_for(spec, set.shapes[op.shape]); !missing.empty())
      return describe_op(p, i, names) + ": the GPU that runs it has " + missing;
  }
  return "";
}

std::string missing_memory(const GpuSpec& spec, const Program& program, const std::string& gpu) {
  if (program.memory_bytes <= spec.memory.value) return "";
  return fmt::format("program '{}' needs {} of GPU memory, {} has {}", program.role,
                     format_value(Bytes{program.memory_bytes}), gpu, format_value(spec.memory));
}

std::string endless_work(const ComputeSpec& spec, const ProgramSet& set, std::uint32_t program,
                         const std::vector<std::string>& names) {
  constexpr double most = static_cast<double>(time_never.count()) / 4;
  constexpr double day = 86'400e12;
  const Program& p = set.programs[program];
  std::vector<SimTime> of_shape(set.shapes.size(), SimTime{0});
  double sum = 0;
  for (std::uint32_t i = 0; i < p.ops.size(); ++i) {
    const Op& op = p.ops[i];
    SimTime time = op.duration;
    if (op.kind == OpKind::compute && time == SimTime{0}) {
      time = of_shape[op.shape];
      if (time == SimTime{0})
        time = of_shape[op.shape] = kernel_time(spec, set.shapes[op.shape], Load::lasting);
    }
    if (time >= longest_kernel && op.kind == OpKind::compute && op.duration == SimTime{0})
      return describe_op(p, i, names) + ": takes longer than 1000000 s";
    sum += static_cast<double>(time.count());
  }
  const std::uint32_t iterations = set.iterations_of(p);
  sum *= iterations;
  if (sum <= most) return "";
  return fmt::format(
      "program '{}' computes for {:.0f} days in {} iterations (at most {:.0f} can be simulated)", p.role,
      sum / day, iterations, most / day);
}

std::string missing_host(const Model& model, const ProgramSet& set, std::uint32_t program, ComponentId gpu) {
  const auto& ops = set.programs[program].ops;
  if (std::none_of(ops.begin(), ops.end(), [](const Op& op) { return op.host_work != 0; }) ||
      host_costs_of(model, gpu))
    return "";
  return fmt::format(
      "program '{}' has launches that take time (host=\"launches\"), and {} has no <host> that says how much "
      "('launch')",
      set.programs[program].role, model.component_name(gpu));
}

std::string missing_storage_nic(const Model& model, const ProgramSet& set, std::uint32_t program,
                                EndpointId gpu) {
  const auto& book = *model.resource<AddressBook>();
  if (networks_of(book, gpu) == networks_of(book)) return "";
  const Program& p = set.programs[program];
  for (std::uint32_t i = 0; i < p.ops.size(); ++i) {
    const Op& op = p.ops[i];
    if (op.kind != OpKind::storage_read && op.kind != OpKind::storage_write) continue;
    const EndpointId server{book.first_storage +
                            storage_server_of(op, gpu, {book.storage_count, book.frontend_storage})};
    const AddressBook* network = book.behind_host(server);
    if (!network || (*network)[gpu].lid.is_valid()) continue;
    const NicRole role =
        network == book.behind_host(NicRole::frontend) ? NicRole::frontend : NicRole::storage;
    return fmt::format(
        "{}: the server of {} has no NIC of role {}, and {} has a fabric of its own (expected {}-nics of the "
        "<server>, or one <fabric>)",
        describe_op(p, i, model.names), model.component_name(book.component_of[gpu.value]), name_of(role),
        role == NicRole::storage ? "storage" : "the front end", name_of(role));
  }
  return "";
}

void check_gpus(const Model& model, ErrorList& errors) {
  const auto* set = model.resource<ProgramSet>();
  const auto* book = model.resource<AddressBook>();
  if (!set || !book) return;
  std::set<std::tuple<std::uint32_t, std::uint32_t, ByRole<bool>>> seen;
  for (std::uint32_t gpu = 0; gpu < set->program_of_gpu.size() && gpu < book->gpu_count; ++gpu) {
    const ComponentId component = book->component_of[gpu];
    const ComponentRecord& record = model.components[component.value];
    const std::uint32_t program = set->program_of_gpu[gpu];
    if (model.kinds[record.kind]->name != "gpu" ||
        !seen.emplace(record.spec, program, networks_of(*book, EndpointId{gpu})).second)
      continue;
    const auto& spec = static_cast<const GpuSpec&>(*model.specs[record.spec]);
    std::string memory, kernels, storage;
    std::vector<std::uint32_t> at{program};
    do {  // iteration by iteration
      if (memory.empty())
        memory = missing_memory(spec, set->programs[at[0]], model.component_name(component));
      if (kernels.empty()) kernels = missing_kernel(spec.compute, *set, at[0], model.names);
      if (kernels.empty()) kernels = endless_work(spec.compute, *set, at[0], model.names);
      if (storage.empty()) storage = missing_storage_nic(model, *set, at[0], EndpointId{gpu});
    } while (go_on(*set, at));
    for (const std::string& obstacle :
         {memory, kernels, storage, missing_host(model, *set, program, component)})
      if (!obstacle.empty()) errors.add({"", 0, obstacle});
  }
}

}  // namespace lightrail
