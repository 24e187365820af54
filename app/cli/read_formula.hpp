#pragma once
#include <string>
#include <vector>

#include "app/cli/run_detail.hpp"
#include "engine/base/error.hpp"
#include "engine/model/describe.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/element.hpp"
#include "workloads/collective/formula_detail.hpp"

namespace lightrail {

/// Attributes of <formula>.
struct FormulaSpec {
  std::string communicators = "all", iterations = "all";
};
[[nodiscard]] Describe<FormulaSpec> formula_parameters();

/// What the <formula> elements of a run name. A Model resource.
struct PartialFormula {
  std::vector<FormulaDetail::Scope> scopes;
  /// By group kind: whether each of its groups lies inside one server, in which NVLink or PCIe alone joins
  /// the members.
  std::vector<bool> is_in_server;
  std::vector<bool> has_operations;  ///< by group kind: messages or collectives

  /// By group kind: of all iterations, the share in which its operations take what formulas say.
  std::vector<double> shares;
  std::vector<std::string> texts;  ///< by scope: "tp dp", "all in iterations 0-2"

  /// In some iteration.
  [[nodiscard]] bool names(GroupKindId kind) const { return shares[kind.value] > 0; }
};

/// The PartialFormula of a <run> (null: there is none) with <formula>, with its remark; an error for each
/// that says nothing, or what a formula says nothing about.
[[nodiscard]] ModelPart read_formula(Detail detail, const Element* run, const Model& model,
                                     ErrorList& errors);

}  // namespace lightrail
