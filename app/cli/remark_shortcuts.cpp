#include "app/cli/remark_shortcuts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "app/cli/check_grain.hpp"
#include "components/gpu/compute/kernel_variation.hpp"
#include "engine/base/time.hpp"
#include "engine/model/network_cost.hpp"
#include "engine/model/replica_sample.hpp"
#include "fabrics/clos/fabric_layout.hpp"
#include "fabrics/system/train_cap.hpp"
#include "network/health/health_table.hpp"
#include "network/port/send_ahead.hpp"
#include "network/port/trains_per_message.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {
namespace {

bool folds(const GroupTable& groups) {
  for (std::uint32_t k = 0; k < groups.kind_count(); ++k)
    if (groups.kind(GroupKindId{k}).stands_for > 1) return true;
  return false;
}

/// Without drawn times the replicas of a part are copies of each other, and what holds one up holds all up at
/// once; the whole ones drift apart, and what holds each of them up adds up in their rings (docs/scaling.md).
void remark_lockstep(const Model& model, ModelPart& part) {
  const auto* groups = model.resource<GroupTable>();
  if (!groups || !folds(*groups)) return;
  part.remarks.push_back(
      {"fold",
       "no times are drawn, so replicas may go in lockstep, as the summary says: where their gradients share "
       "NICs with other traffic the whole step is some per cent longer then (docs/scaling.md)"});
}

/// What fails in the part fails for all that it stands for, in the same picosecond.
void remark_failing_copies(const Model& model, ModelPart& part) {
  const auto* groups = model.resource<GroupTable>();
  const auto* health = model.resource<HealthTable>();
  if (!groups || !folds(*groups) || !health || health->is_empty()) return;
  part.remarks.push_back({"fold",
                          "what <faults> has fails in each of the replicas that one simulated stands for, at "
                          "once: no single failure of the whole cluster is like that"});
}

/// What step-over and fold leave out is exact only where times are not drawn.
void remark_samples(const Model& model, ModelPart& part) {
  if (!model.resource<KernelVariation>()) return remark_lockstep(model, part);
  const auto* set = model.resource<ProgramSet>();
  if (set && std::any_of(set->programs.begin(), set->programs.end(),
                         [](const Program& program) { return program.steps_over(); }))
    part.remarks.push_back({"variation",
                            "the step is an estimate: drawn times of the micro-batches left out (step-over) "
                            "are taken to be those of the ones measured"});
  const auto* groups = model.resource<GroupTable>();
  if (groups && folds(*groups))
    part.remarks.push_back(
        {"variation",
         std::string("the step is an estimate, too short: of the replicas left out (fold) none can be slower "
                     "than the slowest of those simulated") +
             (model.resource<ReplicaSample>() ? " (the summary estimates the step of all)" : "")});
}

void remark_trains(const Model& model, ModelPart& part) {
  const LongestTrains trains = longest_trains(model);
  if (trains.nvlink <= 1 && trains.fabric <= 1) return;
  const std::uint32_t fewer = short_trains(model);
  const std::uint32_t least = TrainsPerMessage::of(model);
  const std::string small = least == 1 ? "" : fmt::format(", {} at least of a message", least);
  part.remarks.push_back(
      {"grain", fmt::format("packets travel in trains of up to {} ({} on NVLink{}){}; see docs/grain.md",
                            trains.fabric, trains.nvlink,
                            fewer > 0 ? fmt::format(", {} from NICs that lack credits", fewer) : "", small)});
  if (std::string text = long_nvlink_trains(model); !text.empty())
    part.remarks.push_back({"grain", std::move(text)});
}

}  // namespace

ModelPart remark_shortcuts(const Model& model) {
  ModelPart part;
  remark_trains(model, part);
  if (const auto* cap = model.resource<TrainCap>())
    part.remarks.push_back({"grain", "the fabric has trains " + cap->text()});
  const auto* ahead = model.resource<SendAhead>();
  if (ahead && ahead->time > SimTime{0})
    part.remarks.push_back(
        {"grain", fmt::format("a busy line is given trains for {} ahead", format_time(ahead->time))});
  const auto* nccl = model.resource<NcclSettings>();
  if (nccl && nccl->fold_rings)
    part.remarks.push_back(
        {"collectives", "the steps of a ring in one server are one exchange (fold-rings)"});
  remark_samples(model, part);
  remark_failing_copies(model, part);
  const auto* layouts = model.resource<FabricLayouts>();
  if (layouts && std::any_of(layouts->all.begin(), layouts->all.end(),
                             [](const FabricLayout& layout) { return !layout_warnings(layout).empty(); }))
    part.remarks.push_back(
        {"fabric", "it is not oversubscribed everywhere as asked; validate shows the layout"});
  if (layouts && std::any_of(layouts->all.begin(), layouts->all.end(), [](const FabricLayout& layout) {
        return layout.tiers == 3 && built_tiers(layout) < 3;
      }))
    part.remarks.push_back(
        {"fabric", "tiers=\"3\" is built without cores: a group of leaves has all NICs (validate shows it)"});
  if (layouts && model.resource<NetworkCost>() &&
      std::any_of(layouts->all.begin(), layouts->all.end(), has_spare_uplinks))
    part.remarks.push_back(
        {"fabric",
         "leaves have more uplinks than NICs, those of a full leaf, and the bill has them and their "
         "spines; oversubscription=\"1\" builds as many as NICs"});
  return part;
}

}  // namespace lightrail
