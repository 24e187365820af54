#include "app/cli/read_formula.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <sstream>
#include <utility>

#include "engine/base/counted.hpp"
#include "engine/scenario/scenario.hpp"
#include "network/circuits/has_circuits.hpp"
#include "network/health/health_table.hpp"
#include "network/health/light_losses.hpp"
#include "network/health/read_degraded.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/job/workload_context.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"
#include "workloads/program/program_index.hpp"
#include "workloads/program/serving.hpp"

namespace lightrail {
namespace {

class FormulaReader {
 public:
  FormulaReader(const Model& model, ErrorList& errors)
      : model_(model),
        set_(*model.resource<ProgramSet>()),
        groups_(*model.resource<GroupTable>()),
        errors_(errors),
        formula_(std::make_shared<PartialFormula>()) {
    for (std::uint32_t k = 0; k < groups_.kind_count(); ++k)
      formula_->is_in_server.push_back(is_in_server(GroupKindId{k}));
    formula_->has_operations.resize(groups_.kind_count());
    for (const Program& program : set_.programs)
      for (const Op& op : program.ops)
        if (is_communication(op.kind) && !is_io(op.kind)) formula_->has_operations[op.group.value] = true;
    iterations_ = set_.iterations;
    for (const JobInfo& job : set_.jobs) iterations_ = std::max(iterations_, job.iterations);
  }

  void read(const Element& element) {
    FormulaSpec spec;
    const std::size_t before = errors_.size();
    formula_parameters().parse(element, spec, errors_);
    if (errors_.size() > before) return;
    if (spec.communicators == "all" && spec.iterations == "all")
      return errors_.add(
          element.error("<formula>: it names neither communicators nor iterations (of all there are: <run "
                        "detail=\"formula\">)"));
    FormulaDetail::Scope scope;
    spec.communicators = read_communicators(element, spec.communicators, scope);
    read_iterations(element, spec.iterations, scope);
    if (errors_.size() > before) return;
    if (spec.communicators == "all" && spec.iterations == "all")
      return errors_.add(
          element.error("<formula>: it names neither communicators nor iterations (of all there are: <run "
                        "detail=\"formula\">)"));
    if (const std::string problem = obstacle(scope); !problem.empty())
      return errors_.add(element.error("<formula>: " + problem));
    formula_->texts.push_back(text_of(spec));
    formula_->scopes.push_back(std::move(scope));
  }

  [[nodiscard]] ModelPart part() && {
    ModelPart part;
    if (formula_->scopes.empty()) return part;
    for (std::uint32_t k = 0; k < groups_.kind_count(); ++k)
      formula_->shares.push_back(share(GroupKindId{k}));
    part.remarks.push_back(
        {"formula",
         fmt::format("messages and collectives of {} take what formulas say, once all who take "
                     "part have come: they wait for "
                     "no line and load none, tables of messages, links and energy are without them, "
                     "and traffic counts one message for each",
                     fmt::join(formula_->texts, "; "))});
    part.resources.add<PartialFormula>(std::move(formula_));
    return part;
  }

 private:
  /// Returns them with a blank between two.
  std::string read_communicators(const Element& element, const std::string& text,
                                 FormulaDetail::Scope& scope) {
    std::istringstream words(text);
    std::vector<std::string> names;
    for (std::string name; words >> name;) names.push_back(name);
    if (names == std::vector<std::string>{"all"}) return "all";
    if (names.empty())
      complain(element, "communicators", "it is empty (expected 'all', or names as 'tp dp')");
    scope.kinds.resize(groups_.kind_count());
    for (const std::string& name : names) {
      const GroupKindId kind = groups_.find(name);
      if (kind.is_valid())
        scope.kinds[kind.value] = true;
      else
        complain(element, "communicators", unknown(name));
    }
    return fmt::format("{}", fmt::join(names, " "));
  }

  void read_iterations(const Element& element, const std::string& text, FormulaDetail::Scope& scope) {
    if (text == "all") return;
    std::vector<std::uint32_t> numbers;
    if (const std::string problem = parse_number_list(text, "iteration", "iterations", iterations_, numbers);
        !problem.empty())
      return complain(element, "iterations", problem);
    if (set_.stepped_iterations.skipped > 0)
      return complain(element, "iterations",
                      "the job steps over some, and those that are left have other numbers");
    scope.iterations.resize(iterations_);
    for (const std::uint32_t number : numbers) scope.iterations[number] = true;
  }

  /// What formulas say nothing about; empty: they can be used.
  [[nodiscard]] std::string obstacle(const FormulaDetail::Scope& scope) const {
    if (model_.resource<ServingPlan>())
      return "inference: what a scheduler does depends on when messages end";
    if (const auto* health = model_.resource<HealthTable>(); health && !health->is_empty())
      return "formulas say nothing about <faults>";
    if (model_.resource<DegradedCables>())
      return "formulas say nothing about cables that are slow or err (<degrade>)";
    if (has_flapping_links(model_)) return "formulas say nothing about links that lose light (flap-interval)";
    bool has_any = false;
    for (const Program& program : set_.programs)
      for (const Op& op : program.ops) {
        if (!is_communication(op.kind) || is_io(op.kind) || !takes_place(program, op, scope)) continue;
        has_any = true;
        const std::string& name = groups_.kind(op.group).name;
        if (is_in_memory(op.io))
          return fmt::format(
              "communicator '{}' carries checkpoints to peers' memory, which go when the network is idle",
              name);
        if (!formula_->is_in_server[op.group.value] && has_circuits(model_))
          return fmt::format("communicator '{}' leaves its servers, and formulas say nothing about circuits",
                             name);
      }
    return has_any ? "" : "these communicators have no operations in these iterations";
  }
  /// In some iteration of the scope.
  [[nodiscard]] bool takes_place(const Program& program, const Op& op,
                                 const FormulaDetail::Scope& scope) const {
    for (std::uint32_t i = 0; i < set_.iterations_of(program); ++i)
      if (scope.has(op.group, i) && op.is_due(i)) return true;
    return false;
  }

  [[nodiscard]] double share(GroupKindId kind) const {
    std::uint32_t taken = 0;
    for (std::uint32_t i = 0; i < iterations_; ++i)
      taken += std::any_of(formula_->scopes.begin(), formula_->scopes.end(),
                           [&](const FormulaDetail::Scope& scope) { return scope.has(kind, i); });
    return static_cast<double>(taken) / iterations_;
  }

  [[nodiscard]] bool is_in_server(GroupKindId kind) const {
    const auto& book = *model_.resource<AddressBook>();
    const auto atom = [&](EndpointId gpu) {
      return model_.components[book.component_of[gpu.value].value].atom;
    };
    for (std::uint32_t gpu = 0; gpu < book.gpu_count; ++gpu) {
      const GroupView group = groups_.group_of(kind, EndpointId{gpu});
      if (group.size > 0 && atom(group.member(0)) != atom(EndpointId{gpu})) return false;
    }
    return true;
  }

  [[nodiscard]] std::string unknown(const std::string& name) const {
    std::vector<std::string> known;
    for (std::uint32_t k = 0; k < groups_.kind_count(); ++k)
      known.push_back(groups_.kind(GroupKindId{k}).name);
    const std::string near = did_you_mean(name, known);
    return fmt::format(
        "{} communicator '{}' ({}{})", set_.jobs.empty() ? "the job has no" : "no job has a", name,
        near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
        fmt::format("{}: {}", set_.jobs.empty() ? "it has" : "they have", fmt::join(known, ", ")));
  }

  [[nodiscard]] static std::string text_of(const FormulaSpec& spec) {
    return spec.iterations == "all" ? spec.communicators
                                    : fmt::format("{} in iterations {}", spec.communicators, spec.iterations);
  }

  void complain(const Element& element, const char* attribute, const std::string& problem) const {
    errors_.add(element.error_at(attribute, fmt::format("<formula> attribute '{}': {}", attribute, problem)));
  }

  const Model& model_;
  const ProgramSet& set_;
  const GroupTable& groups_;
  ErrorList& errors_;
  std::shared_ptr<PartialFormula> formula_;
  std::uint32_t iterations_ = 1;  ///< of the job that has most
};

}  // namespace

Describe<FormulaSpec> formula_parameters() {
  return Describe<FormulaSpec>()
      .field("communicators", &FormulaSpec::communicators,
             "whose messages and collectives take what formulas say, parted by blanks, as 'tp dp'; all: of "
             "every communicator")
      .field("iterations", &FormulaSpec::iterations, "in which of them, from 0 on, as '0-7,16'; all: in all");
}

ModelPart read_formula(Detail detail, const Element* run, const Model& model, ErrorList& errors) {
  if (!run || !errors.is_empty()) return {};
  const auto elements = run->children_named("formula");
  if (elements.empty()) return {};
  if (detail == Detail::formula) {
    errors.add(
        elements.front()->error("<formula>: all communication takes what formulas say (detail=\"formula\")"));
    return {};
  }
  const auto* set = model.resource<ProgramSet>();
  if (!set || std::all_of(set->programs.begin(), set->programs.end(),
                          [](const Program& program) { return program.ops.empty(); })) {
    errors.add(elements.front()->error("<formula>: there is no job"));
    return {};
  }
  FormulaReader reader(model, errors);
  for (const Element* element : elements) reader.read(*element);
  return std::move(reader).part();
}

}  // namespace lightrail
