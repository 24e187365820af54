#include "app/cli/formula_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/cli/added_component.hpp"
#include "app/cli/send_room_of.hpp"
#include "components/gpu/compute/kernel_variation.hpp"
#include "components/meeting/meeting.hpp"
#include "engine/base/error.hpp"
#include "engine/model/sub_model.hpp"
#include "network/circuits/has_circuits.hpp"
#include "network/health/health_table.hpp"
#include "network/health/light_losses.hpp"
#include "network/health/read_degraded.hpp"
#include "network/port/device_traits.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/collective/formula_detail.hpp"
#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/program/serving.hpp"
#include "workloads/program/stand_ins.hpp"

namespace lightrail {
namespace {

bool has_operations(const ProgramSet& set) {
  return std::any_of(set.programs.begin(), set.programs.end(),
                     [](const Program& program) { return !program.ops.empty(); });
}

template <class Predicate>
bool has_any(const ProgramSet& set, const Predicate& is_meant) {
  return std::any_of(set.programs.begin(), set.programs.end(), [&](const Program& program) {
    return std::any_of(program.ops.begin(), program.ops.end(), is_meant);
  });
}

bool uses_storage(const Op& op) {
  return op.kind == OpKind::storage_read || op.kind == OpKind::storage_write;
}

bool keeps_state_in_memory(const Op& op) {
  return is_in_memory(op.io);
}

/// What a formula says nothing about; empty: it can be used.
std::string obstacle(const Model& model) {
  const auto* set = model.resource<ProgramSet>();
  if (!set || !has_operations(*set)) return "a scenario without a job";
  if (!set->jobs.empty()) return "jobs with a name (what they take from each other on shared links)";
  if (model.resource<ServingPlan>()) return "inference (what a scheduler does depends on when messages end)";
  if (has_circuits(model)) return "circuits";
  if (const auto* health = model.resource<HealthTable>(); health && !health->is_empty()) return "<faults>";
  if (has_flapping_links(model)) return "links that lose light (flap-interval)";
  if (model.resource<DegradedCables>()) return "cables that are slow or err (<degrade>)";
  if (has_any(*set, uses_storage)) return "storage (its servers are shared by all)";
  if (has_any(*set, keeps_state_in_memory))
    return "checkpoints in peers' memory (they go when the network is idle)";
  return "";
}

/// By GPU with a program: GPUs of a class run the same on the same hardware.
std::vector<std::uint32_t> classes_of(const Model& model) {
  const auto& set = *model.resource<ProgramSet>();
  const auto& book = *model.resource<AddressBook>();
  const auto* variation = model.resource<KernelVariation>();
  // By a Spec's address, which decides nothing but whether two are the same.
  std::map<std::tuple<std::uint32_t, const Spec*, double>, std::uint32_t> known;
  std::vector<std::uint32_t> classes;
  for (std::uint32_t gpu = 0; gpu < set.program_of_gpu.size(); ++gpu) {
    double slow = 1;
    if (variation)
      if (const auto found = variation->slow.find(gpu); found != variation->slow.end()) slow = found->second;
    const Spec* spec = model.specs[model.components[book.component_of[gpu].value].spec].get();
    classes.push_back(
        known.emplace(std::tuple(set.program_of_gpu[gpu], spec, slow), known.size()).first->second);
  }
  return classes;
}

/// The GPUs, each with a port for the meeting, and what they are joined to.
std::vector<Kept> kept_of(const Model& whole, const AddressBook& book, const std::vector<EndpointId>& gpus) {
  std::vector<Kept> kept(whole.components.size());
  for (const EndpointId gpu : gpus) {
    const ComponentId component = book.component_of[gpu.value];
    const ComponentRecord& record = whole.components[component.value];
    kept[component.value] = {true, 1};
    for (std::uint32_t port = 0; port < record.port_count; ++port) {
      const LinkId out = whole.ports[record.first_port + port].out;
      if (!out.is_valid()) continue;
      const ComponentId device = whole.links[out.value].to;
      if (role_of(whole, device) != DeviceRole::gpu) kept[device.value].is_kept = true;
    }
  }
  return kept;
}

/// With components' new ids; of those that are left out, their class's first GPU's, or any.
AddressBook book_of(const AddressBook& whole, const std::vector<ComponentId>& component,
                    const std::vector<std::uint32_t>& classes, const std::vector<EndpointId>& gpus) {
  std::map<std::uint32_t, ComponentId> of_class;
  for (const EndpointId gpu : gpus)
    of_class.emplace(classes[gpu.value], component[whole.component_of[gpu.value].value]);
  AddressBook book = whole;
  for (std::size_t e = 0; e < book.component_of.size(); ++e) {
    const ComponentId id = component[book.component_of[e].value];
    const EndpointId device = whole.device(EndpointId{static_cast<std::uint32_t>(e)});
    book.component_of[e] = id.is_valid()                   ? id
                           : device.value < classes.size() ? of_class.at(classes[device.value])
                                                           : ComponentId{0};
  }
  return book;
}

void connect_meeting(Model& model, const AddressBook& book, const std::vector<EndpointId>& gpus) {
  LinkClass notice;
  notice.name = notice.medium = "meeting";
  notice.latency = FormulaDetail::notice;
  const auto link_class = static_cast<std::uint16_t>(model.link_classes.size());
  model.link_classes.push_back(std::move(notice));
  auto spec = std::make_shared<MeetingSpec>();
  spec->gpus = gpus;
  const ComponentId meeting =
      add_component(model, meeting_kind(), spec, "meeting", static_cast<std::uint16_t>(gpus.size()));
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const ComponentId gpu = book.component_of[gpus[i].value];
    const ComponentRecord& of_gpu = model.components[gpu.value];
    join_ports(model, {meeting, static_cast<PortIndex>(i)},
               {gpu, static_cast<PortIndex>(of_gpu.port_count - 1)}, link_class, link_class);
  }
}

}  // namespace

Model formula_model(const Model& whole) {
  if (const std::string what = obstacle(whole); !what.empty())
    throw InputErrors(InputError{"", 0, "<run> attribute 'detail': formula says nothing about " + what});
  const auto& set = *whole.resource<ProgramSet>();
  const auto& all = *whole.resource<AddressBook>();
  const std::vector<std::uint32_t> classes = classes_of(whole);
  auto detail = std::make_shared<FormulaDetail>();
  detail->gpus = stand_ins(set, *whole.resource<GroupTable>(), classes);
  if (detail->gpus.size() >= self_port)
    throw InputErrors(InputError{
        "", 0,
        fmt::format("<run> attribute 'detail': formula would simulate {} GPUs, each with a program or "
                    "hardware of its own (at most {})",
                    detail->gpus.size(), self_port - 1)});
  for (const EndpointId gpu : detail->gpus) detail->receive_rates.push_back(receive_rate_of(whole, gpu));
  detail->room = send_room_of(whole);
  SubModel part = sub_model(whole, kept_of(whole, all, detail->gpus));
  auto book = std::make_shared<const AddressBook>(book_of(all, part.component, classes, detail->gpus));
  connect_meeting(part.model, *book, detail->gpus);
  ModelPart more;
  more.resources = whole.resources().without<AddressBook>();
  more.resources.add<AddressBook>(book);
  more.resources.add<FormulaDetail>(detail);
  more.remarks.push_back(
      {"formula",
       fmt::format("communication takes what formulas say (nothing waits for a line, a fabric is "
                   "never full); {} of {} GPUs stand for all; tables, traffic and energy are theirs",
                   detail->gpus.size(), set.program_of_gpu.size())});
  if (const auto* nccl = whole.resource<NcclSettings>(); nccl && nccl->start_skew > SimTime{0})
    more.remarks.push_back(
        {"formula",
         "start-skew is drawn for the GPUs that are simulated, and not for those that they "
         "stand for: collectives begin too early"});
  if (whole.resource<KernelVariation>())
    more.remarks.push_back(
        {"variation",
         "the step is an estimate, and too short: a GPU that is not simulated is never slower "
         "than those that are"});
  // There are no packets.
  std::erase_if(part.model.remarks, [](const Remark& remark) { return remark.about == "grain"; });
  part.model.add(std::move(more));
  return std::move(part.model);
}

}  // namespace lightrail
