#include "app/cli/remark_unused.hpp"

#include <string_view>

#include "app/cli/run_detail.hpp"
#include "network/transport/arrival_reports.hpp"
#include "network/wire/address_book.hpp"
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

bool runs_by_formula(const Model& model) {
  const auto* run = model.resource<RunDetail>();
  return run && run->detail == Detail::formula;
}

}  // namespace

ModelPart remark_unused(const Scenario& scenario, const Model& model) {
  ModelPart part;
  const auto say = [&part](const char* about, const char* text) { part.remarks.push_back({about, text}); };
  if (asks_for_batches(scenario) && model.resource<AddressBook>() && !may_count_trains(model))
    say("grain",
        "arrivals=\"batches\" changes nothing: GPUs are told of every train where optical switches, faults, "
        "restarts or congestion control need to know of each");
  const auto* nccl = model.resource<NcclSettings>();
  if (!nccl) return part;
  if (nccl->queue_pairs == 1 && (given(scenario, "nccl", "qp-use") || given(scenario, "nccl", "qp-paths")))
    say("collectives",
        "qp-use and qp-paths change nothing: a connection has one queue pair (qps-per-connection)");
  if (nccl->queue_pairs > 1 && runs_by_formula(model))
    say("collectives", "qps-per-connection changes nothing: a formula has no connections (detail)");
  return part;
}

}  // namespace lightrail
