#include "workloads/collective/recall_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/collective/cost_model.hpp"
#include "workloads/collective/nvlink_use.hpp"
#include "workloads/program/program_index.hpp"
#include "workloads/program/run_alone.hpp"

namespace lightrail {
namespace {

/// Which of the GPUs belong together: disjoint sets, each named by its first GPU.
class Circles {
 public:
  explicit Circles(std::uint32_t gpus) : parent_(gpus) { std::iota(parent_.begin(), parent_.end(), 0u); }

  [[nodiscard]] std::uint32_t of(std::uint32_t gpu) {
    while (parent_[gpu] != gpu) gpu = parent_[gpu] = parent_[parent_[gpu]];
    return gpu;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t one = of(a), other = of(b);
    parent_[std::max(one, other)] = std::min(one, other);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

/// All that decides what an operation of communication does, given its group.
auto what_of(const Op& op) {
  return std::tuple(op.kind, op.collective, op.algorithm, op.protocol, op.peer_mode, op.dimension,
                    op.group.value, op.bytes, op.duration, op.peer, op.split, op.element_bytes, op.root);
}

/// Makes a RecallPlan, step by step.
class Planner {
 public:
  explicit Planner(const Model& model)
      : model_(model),
        set_(*model.resource<ProgramSet>()),
        indexes_(*model.resource<ProgramIndexes>()),
        plans_(*model.resource<GroupPlans>()),
        use_(model),
        circles_(static_cast<std::uint32_t>(set_.program_of_gpu.size())),
        distinct_(set_.programs.size()) {}

  ModelPart make() {
    for (const Program& program : set_.programs) number(program);
    for (std::uint32_t gpu = 0; gpu < set_.program_of_gpu.size(); ++gpu) look_at(gpu);
    make_circles();
    find_alone();
    ModelPart part;
    part.remarks.push_back({"recall", remark()});
    part.resources.add<RecallPlan>(std::move(plan_));
    return part;
  }

 private:
  /// Operations of a program that do the same.
  struct Distinct {
    std::uint32_t op = 0;      ///< the first of them
    bool uses_nvlink = false;  ///< of some GPU that runs the program
  };

  void number(const Program& program) {
    const auto p = static_cast<std::size_t>(&program - set_.programs.data());
    std::map<std::uint32_t, std::uint32_t> place;  // in distinct_, by number
    plan_->alike.emplace_back(program.ops.size());
    for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
      const Op& op = program.ops[i];
      if (!is_watched(op.kind)) continue;
      const auto known = numbers_.emplace(what_of(op), static_cast<std::uint32_t>(numbers_.size() + 1));
      const std::uint32_t number = known.first->second;
      plan_->alike[p][i] = number;
      if (place.emplace(number, static_cast<std::uint32_t>(distinct_[p].size())).second)
        distinct_[p].push_back({i, false});
    }
    places_.push_back(std::move(place));
  }

  /// Of a GPU, all programs that it runs one after the other.
  template <class Call>
  void for_programs(std::uint32_t gpu, Call&& call) const {
    for (std::uint32_t p = set_.program_of_gpu[gpu]; p != itself; p = set_.programs[p].next) call(p);
  }

  void look_at(std::uint32_t gpu) {
    for_programs(gpu, [&](std::uint32_t p) {
      for (Distinct& each : distinct_[p]) {
        const NvlinkUse::Reach reach = use_.of(set_.programs[p].ops[each.op], EndpointId{gpu});
        each.uses_nvlink |= reach.uses;
        for (const EndpointId other : reach.others)
          if (other.value < set_.program_of_gpu.size()) circles_.join(gpu, other.value);
      }
    });
  }

  /// Of the programs that a circle's GPUs run; nobody asks for the others.
  void find_alone() {
    std::vector<bool> is_asked(set_.programs.size());
    for (const RecallPlan::Circle& circle : plan_->circles)
      for (const EndpointId gpu : circle.members)
        for_programs(gpu.value, [&](std::uint32_t p) { is_asked[p] = true; });
    for (std::size_t p = 0; p < set_.programs.size(); ++p) {
      const Program& program = set_.programs[p];
      plan_->is_alone.push_back(is_asked[p] ? run_alone(program, indexes_.of[p], users(p))
                                            : std::vector<bool>(program.ops.size()));
    }
  }

  /// By op of a program: whether it uses NVLink.
  [[nodiscard]] std::vector<bool> users(std::size_t p) const {
    std::vector<bool> result(set_.programs[p].ops.size());
    for (std::uint32_t i = 0; i < result.size(); ++i)
      if (const std::uint32_t number = plan_->alike[p][i]; number != 0)
        result[i] = distinct_[p][places_[p].at(number)].uses_nvlink;
    return result;
  }

  void make_circles() {
    plan_->circle_of.assign(set_.program_of_gpu.size(), RecallPlan::none);
    std::map<std::uint32_t, std::vector<EndpointId>> members;  // by name
    for (std::uint32_t gpu = 0; gpu < set_.program_of_gpu.size(); ++gpu)
      members[circles_.of(gpu)].push_back(EndpointId{gpu});
    for (auto& [name, gpus] : members) {
      if (gpus.size() < 2) continue;
      RecallPlan::Circle circle{std::move(gpus), time_never};
      if (!look_at_circle(circle)) continue;
      for (const EndpointId gpu : circle.members)
        plan_->circle_of[gpu.value] = static_cast<std::uint32_t>(plan_->circles.size());
      plan_->circles.push_back(std::move(circle));
    }
  }

  /// Finds the circle's soonest start over all groups of its members, and whether one group is the circle.
  bool look_at_circle(RecallPlan::Circle& circle) {
    bool is_any_whole = false;
    std::set<std::tuple<std::uint32_t, std::uint32_t, const GroupPlan*>> seen;
    for (const EndpointId gpu : circle.members)
      for_programs(gpu.value, [&](std::uint32_t p) {
        for (const Distinct& each : distinct_[p]) {
          const Op& op = set_.programs[p].ops[each.op];
          const GroupPlan& group = plans_.of(op.group, gpu);
          if (!each.uses_nvlink || group.size() < 2 || !seen.emplace(p, each.op, &group).second) continue;
          circle.soonest = std::min(circle.soonest, use_.start_of(op, group));
          is_any_whole |= is_circle(op, group, circle);
        }
      });
    return is_any_whole;
  }

  /// Whether a collective's group is the whole circle; which are and which are not stands in the remark.
  bool is_circle(const Op& op, const GroupPlan& group, const RecallPlan::Circle& circle) {
    if (op.kind != OpKind::collective || group.servers() > 1 || !group.has_nvlink) return false;
    const bool is_whole = group.size() == circle.members.size();
    (is_whole ? whole_ : parts_).insert(model_.resource<GroupTable>()->kind(op.group).name);
    return is_whole;
  }

  [[nodiscard]] std::string remark() const {
    const std::string rest =
        fmt::format("of {} others of the server use the NVLinks", fmt::join(parts_, ", "));
    if (whole_.empty())
      return "no collective is recalled: " + (parts_.empty() ? "none stays in one server" : rest);
    std::string text = fmt::format("collectives of {} that met the same before are not simulated again",
                                   fmt::join(whole_, ", "));
    if (!parts_.empty()) text += "; " + rest;
    return text;
  }

  const Model& model_;
  const ProgramSet& set_;
  const ProgramIndexes& indexes_;
  const GroupPlans& plans_;
  NvlinkUse use_;
  Circles circles_;
  std::map<decltype(what_of(Op{})), std::uint32_t> numbers_;
  std::vector<std::vector<Distinct>> distinct_;                 ///< by program
  std::vector<std::map<std::uint32_t, std::uint32_t>> places_;  ///< by program: in distinct_, by number
  std::set<std::string> whole_, parts_;                         ///< groups in one server
  std::shared_ptr<RecallPlan> plan_ = std::make_shared<RecallPlan>();
};

}  // namespace

ModelPart make_recall_plan(const Model& model) {
  if (!model.resource<ProgramSet>() || !model.resource<ProgramIndexes>() || !model.resource<GroupPlans>())
    return {};
  return Planner(model).make();
}

}  // namespace lightrail
