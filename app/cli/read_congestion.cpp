#include "app/cli/read_congestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/ethernet-switch/ethernet_switch.hpp"
#include "components/nic/nic.hpp"
#include "engine/scenario/units.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/has_device.hpp"
#include "network/port/port_end.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/transport/dcqcn.hpp"
#include "network/transport/dctcp.hpp"
#include "network/transport/nscc.hpp"
#include "network/transport/nscc_windows.hpp"
#include "network/transport/timely.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/numbered_train.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {
namespace {

/// Whether GPUs of one server have different NICs, so that PXN sends by another GPU's.
bool has_rails(const AddressBook& book) {
  for (std::uint32_t gpu = 1; gpu < book.gpu_count; ++gpu)
    if (book.endpoints[gpu].server == book.endpoints[gpu - 1].server &&
        book.endpoints[gpu].nic != book.endpoints[gpu - 1].nic)
      return true;
  return false;
}

/// "" or why there can be no congestion control.
std::string problem_of(const std::string& element, const Model& model, const AddressBook& book) {
  if (!has_device(model, DeviceRole::nic) || !has_device(model, DeviceRole::packet_switch))
    return fmt::format("<{}> needs switches, which mark, and NICs, which pause", element);
  if (has_device(model, DeviceRole::optical_switch))
    return fmt::format("<{}> does not work with optical switches, whose senders know other notices", element);
  const auto* nccl = model.resource<NcclSettings>();
  if (nccl && nccl->pxn && has_rails(book))
    return fmt::format(
        "<{}> needs <nccl pxn=\"off\">: notices go to the NIC of the GPU that sent, and PXN "
        "sends by another one",
        element);
  return "";
}

bool some_switch_marks(const Model& model) {
  return std::any_of(model.specs.begin(), model.specs.end(), [](const auto& spec) {
    const auto* ethernet = dynamic_cast<const EthernetSwitchSpec*>(spec.get());
    return ethernet && !ethernet->ecn.empty();
  });
}

/// Of every class, whatever is lost.
bool acknowledges_every_packet(const NicSpec& nic) {
  return nic.flow_control == NicFlowControl::pauses && nic.repair == LossRepair::trimming &&
         std::popcount(nic.lossy_lanes()) == static_cast<int>(nic.lanes);
}

/// "" or which NIC may have more on the way than the numbers of its packets tell apart.
std::string problem_of_windows(const NsccSpec& spec, const Model& model) {
  const std::uint32_t most = NumberedTrain::most_outstanding(spec.entropy_values);
  for (std::uint32_t id = 0; id < model.components.size(); ++id) {
    const ComponentRecord& record = model.components[id];
    const auto* nic = dynamic_cast<const NicSpec*>(model.specs[record.spec].get());
    if (!nic || record.port_count == 0) continue;
    const PortEnd end = port_end({ComponentId{id}, record, *nic, model}, 0);
    if (!end.is_connected) continue;
    const std::int64_t trains =
        NsccWindows::largest_trains(spec, end.out_rate, std::max<std::uint32_t>(end.train_bytes(), 1));
    if (trains > most)
      return fmt::format(
          "a flow of {} may have {} trains on the way ({} times what its line of {} carries in {}), and with "
          "{} entropy values their numbers tell {} apart",
          model.component_name(ComponentId{id}), trains, spec.window, format_value(end.out_rate),
          format_value(spec.base_rtt), spec.entropy_values, most);
  }
  return "";
}

/// The first of these that there is; null: none.
const Element* other_control(const Element& root, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const Element* other = root.child(name)) return other;
  return nullptr;
}

InputError two_controls(const Element& element, const Element& other) {
  return element.error(
      fmt::format("<{}> beside <{}>: a flow has one congestion control", element.name, other.name));
}

bool all_nics_acknowledge(const Model& model) {
  return std::all_of(model.specs.begin(), model.specs.end(), [](const auto& spec) {
    const auto* nic = dynamic_cast<const NicSpec*>(spec.get());
    return !nic || acknowledges_every_packet(*nic);
  });
}

/// Of every class, and of each packet by itself that came in order.
bool answers_every_train(const NicSpec& nic) {
  return nic.flow_control == NicFlowControl::pauses && nic.repair != LossRepair::selective_repeat &&
         std::popcount(nic.repaired_lanes()) == static_cast<int>(nic.lanes);
}

/// Adds errors: what <dctcp> and <timely> both do not work with.
void check_acknowledging(const Element& element, const Model& model, ErrorList& errors) {
  const bool all_answer = std::all_of(model.specs.begin(), model.specs.end(), [](const auto& spec) {
    const auto* nic = dynamic_cast<const NicSpec*>(spec.get());
    return !nic || answers_every_train(*nic);
  });
  if (const std::string problem = problem_of(element.name, model, *model.resource<AddressBook>());
      !problem.empty())
    errors.add(element.error(problem));
  else if (!all_answer)
    errors.add(element.error(fmt::format(
        "<{}> needs NICs that acknowledge all classes (repair-of=\"all\" or lossless=\"none\"), with "
        "repair=\"go-back-n\" or \"trimming\": it goes by their acknowledgements",
        element.name)));
}

/// The resource that NICs read, and what its element says, for the result.
template <class SpecT, class Resource>
ModelPart part_of(const char* element, const Describe<SpecT>& parameters, const SpecT& spec,
                  Resource resource) {
  ModelPart part;
  for (ParameterValue& value : parameters.values(spec))
    part.parameters.push_back({element, 0, std::move(value)});
  part.resources.add(std::make_shared<const Resource>(std::move(resource)));
  return part;
}

}  // namespace

ModelPart read_congestion(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const Element* element = scenario.root.child("congestion-control");
  const auto* book = model.resource<AddressBook>();
  const auto* given = model.resource<CongestionSpec>();
  if (!element || !book || !given || !errors.is_empty()) return {};
  const CongestionSpec& spec = *given;
  if (const std::string problem = problem_of(element->name, model, *book); !problem.empty())
    errors.add(element->error(problem));
  const auto complain = [&](const char* name, const std::string& problem) {
    errors.add(
        element->error_at(name, fmt::format("<congestion-control> attribute '{}': {}", name, problem)));
  };
  std::vector<RateEntry> table = quadratic_table();
  if (element->find("cct"))
    if (const std::string problem = parse_rate_table(spec.table, table); !problem.empty())
      complain("cct", problem);
  if (!errors.is_empty()) return {};
  if (spec.limit >= table.size())
    complain("ccti-limit", fmt::format("the table (cct) has no entry {}, its last one is {}", spec.limit,
                                       table.size() - 1));
  if (spec.minimum > spec.limit)
    complain("ccti-min", fmt::format("{} is more than the limit of {}", spec.minimum, spec.limit));
  return part_of("congestion-control", congestion_parameters(), spec,
                 CongestionControl(spec, std::move(table)));
}

ModelPart read_dcqcn(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const Element* element = scenario.root.child("dcqcn");
  const auto* book = model.resource<AddressBook>();
  if (!element || !book || !errors.is_empty()) return {};
  Dcqcn dcqcn;
  dcqcn_parameters().parse(*element, dcqcn.spec, errors);
  if (const std::string problem = problem_of(element->name, model, *book); !problem.empty())
    errors.add(element->error(problem));
  else if (const Element* other = other_control(scenario.root, {"congestion-control"}))
    errors.add(two_controls(*element, *other));
  else if (!some_switch_marks(model))
    errors.add(element->error("<dcqcn> needs <ecn> in an <ethernet-switch>: no switch marks anything"));
  if (!errors.is_empty()) return {};
  return part_of("dcqcn", dcqcn_parameters(), dcqcn.spec, dcqcn);
}

ModelPart read_nscc(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const Element* element = scenario.root.child("nscc");
  const auto* book = model.resource<AddressBook>();
  if (!element || !book || !errors.is_empty()) return {};
  Nscc nscc;
  nscc_parameters().parse(*element, nscc.spec, errors);
  if (errors.is_empty() && !std::has_single_bit(nscc.spec.entropy_values))
    errors.add(element->error_at(
        "entropy-values",
        fmt::format("<nscc> attribute 'entropy-values': {} is no power of two", nscc.spec.entropy_values)));
  if (const std::string problem = problem_of(element->name, model, *book); !problem.empty())
    errors.add(element->error(problem));
  else if (const Element* other = other_control(scenario.root, {"dcqcn", "congestion-control"}))
    errors.add(two_controls(*element, *other));
  else if (!some_switch_marks(model))
    errors.add(element->error("<nscc> needs <ecn> in an <ethernet-switch>: no switch marks anything"));
  else if (!all_nics_acknowledge(model))
    errors.add(
        element->error("<nscc> needs NICs with lossless=\"none\" and repair=\"trimming\": it goes by the "
                       "acknowledgements of single packets"));
  else if (const std::string wide = errors.is_empty() ? problem_of_windows(nscc.spec, model) : "";
           !wide.empty())
    errors.add(element->error(fmt::format("<nscc>: {}", wide)));
  if (!errors.is_empty()) return {};
  return part_of("nscc", nscc_parameters(), nscc.spec, nscc);
}

ModelPart read_dctcp(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const Element* element = scenario.root.child("dctcp");
  if (!element || !model.resource<AddressBook>() || !errors.is_empty()) return {};
  Dctcp dctcp;
  dctcp_parameters().parse(*element, dctcp.spec, errors);
  if (const Element* other = other_control(scenario.root, {"dcqcn", "congestion-control", "nscc"}))
    errors.add(two_controls(*element, *other));
  check_acknowledging(*element, model, errors);
  if (errors.is_empty() && !some_switch_marks(model))
    errors.add(element->error("<dctcp> needs <ecn> in an <ethernet-switch>: no switch marks anything"));
  if (!errors.is_empty()) return {};
  return part_of("dctcp", dctcp_parameters(), dctcp.spec, dctcp);
}

ModelPart read_timely(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const Element* element = scenario.root.child("timely");
  if (!element || !model.resource<AddressBook>() || !errors.is_empty()) return {};
  Timely timely;
  timely_parameters().parse(*element, timely.spec, errors);
  if (timely.spec.low > timely.spec.high)
    errors.add(element->error_at("t-low",
                                 fmt::format("<timely> attribute 't-low': {} is more than t-high ({})",
                                             format_value(timely.spec.low), format_value(timely.spec.high))));
  if (const Element* other = other_control(scenario.root, {"dcqcn", "congestion-control", "nscc", "dctcp"}))
    errors.add(two_controls(*element, *other));
  check_acknowledging(*element, model, errors);
  if (!errors.is_empty()) return {};
  return part_of("timely", timely_parameters(), timely.spec, timely);
}

}  // namespace lightrail
