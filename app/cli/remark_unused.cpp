#include "app/cli/remark_unused.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/run_detail.hpp"
#include "engine/model/kind.hpp"
#include "network/transport/arrival_reports.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/transport/dcqcn.hpp"
#include "network/transport/dctcp.hpp"
#include "network/transport/nscc.hpp"
#include "network/transport/timely.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/collective/nccl_device.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {
namespace {

/// What the scenario gives an attribute of an element below its root; null where it does not.
const Attribute* given(const Scenario& scenario, std::string_view element, std::string_view attribute) {
  const Element* child = scenario.root.child(element);
  return child ? child->find(attribute) : nullptr;
}

bool asks_for_batches(const Scenario& scenario) {
  const Attribute* arrivals = given(scenario, "network", "arrivals");
  return arrivals && arrivals->value == "batches";
}

Detail detail_of(const Model& model) {
  const auto* run = model.resource<RunDetail>();
  return run ? run->detail : Detail::trains;
}

/// A congestion control: its element, and whether senders go by marks alone.
struct Control {
  std::string_view element;
  bool goes_by_marks = false;
};

/// Without element: the scenario has none.
Control control_of(const Model& model) {
  if (model.resource<CongestionControl>()) return {"congestion-control", true};
  if (model.resource<Dcqcn>()) return {"dcqcn", true};
  if (model.resource<Dctcp>()) return {"dctcp", true};
  if (model.resource<Nscc>()) return {"nscc", false};
  if (model.resource<Timely>()) return {"timely", false};
  return {};
}

/// What becomes of the congestion control at that detail; "": it works.
std::string lost_control(const Control& control, Detail detail) {
  if (control.element.empty() || has_trains(detail)) return "";
  if (detail == Detail::formula)
    return fmt::format("<{}> changes nothing: by formula nothing waits for a line (detail)", control.element);
  if (control.goes_by_marks)
    return fmt::format("<{}> changes nothing: it goes by marks, and no switch is left to mark (detail)",
                       control.element);
  return fmt::format("<{}> goes by marks and round trips of a network without switches (detail)",
                     control.element);
}

/// Attributes that the scenario itself gives its <nccl>, not a catalogue entry, and in place of which
/// `device` has other figures.
void add_replaced(const Element& given, const NcclSettings& settings, const NcclDevice& device,
                  std::vector<std::string>& names) {
  const Describe<NcclSettings> table = nccl_parameters({{"auto", Algorithm::auto_select}});
  const std::vector<ParameterValue> asked = table.values(settings), used = table.values(settings.on(device));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Attribute* attribute = asked[i].value != used[i].value ? given.find(asked[i].name) : nullptr;
    if (attribute && attribute->file == given.file &&
        std::find(names.begin(), names.end(), asked[i].name) == names.end())
      names.push_back(asked[i].name);
  }
}

}  // namespace

ModelPart remark_unused(const Scenario& scenario, const Model& model) {
  ModelPart part;
  const auto say = [&part](const char* about, const std::string& text) {
    part.remarks.push_back({about, text});
  };
  if (asks_for_batches(scenario) && model.resource<AddressBook>() && !may_count_trains(model))
    say("grain",
        "arrivals=\"batches\" changes nothing: GPUs are told of every train where optical switches, faults, "
        "restarts or congestion control need to know of each");
  if (const std::string lost = lost_control(control_of(model), detail_of(model)); !lost.empty())
    say("congestion", lost);
  const auto* nccl = model.resource<NcclSettings>();
  if (!nccl) return part;
  if (nccl->queue_pairs == 1 && (given(scenario, "nccl", "qp-use") || given(scenario, "nccl", "qp-paths")))
    say("collectives",
        "qp-use and qp-paths change nothing: a connection has one queue pair (qps-per-connection)");
  if (nccl->queue_pairs > 1 && detail_of(model) == Detail::formula)
    say("collectives", "qps-per-connection changes nothing: a formula has no connections (detail)");
  std::vector<std::string> replaced;
  if (const Element* element = scenario.root.child("nccl"))
    for (const auto& spec : model.specs)
      if (const auto* gpu = dynamic_cast<const NcclDeviceSpec*>(spec.get()); gpu && gpu->nccl_device())
        add_replaced(*element, *nccl, *gpu->nccl_device(), replaced);
  if (!replaced.empty())
    say("collectives",
        fmt::format("figures of GPUs (<gpu><collectives>) take the place of the scenario's <nccl> {}",
                    fmt::join(replaced, ", ")));
  return part;
}

}  // namespace lightrail
