#include "app/cli/read_variation.hpp"

#include <fmt/format.h>

#include "components/gpu/compute/kernel_variation.hpp"
#include "engine/model/address_book.hpp"
#include "engine/model/declared_parameters.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {
namespace {

/// The GPUs of one <slow>; "" or what is wrong with which attribute.
std::vector<std::uint32_t> slow_gpus(const Element& at, const SlowGpus& row, const Model& model,
                                     const AddressBook& book, ErrorList& errors) {
  std::vector<std::uint32_t> gpus;
  if (row.gpus.empty() == row.name.empty()) {
    errors.add(at.error("<slow> needs 'gpus' or 'name', one of them"));
  } else if (!row.gpus.empty()) {
    if (const std::string problem = parse_gpu_list(row.gpus, book.gpu_count, gpus); !problem.empty())
      errors.add(at.error("<slow> attribute 'gpus': " + problem));
  } else {
    for (std::uint32_t gpu = 0; gpu < book.gpu_count; ++gpu)
      if (model.component_name(book.component_of[gpu]) == row.name) gpus.push_back(gpu);
    if (gpus.empty())
      errors.add(
          at.error(fmt::format("<slow> attribute 'name': no GPU is called '{}' (the first one is '{}')",
                               row.name, model.component_name(book.component_of[0]))));
  }
  return gpus;
}

void declare(const KernelVariation& variation, Model& model) {
  auto declared = std::make_shared<DeclaredParameters>();
  if (const auto* before = model.resource<DeclaredParameters>()) *declared = *before;
  for (ParameterValue& value : variation_parameters().values(variation))
    declared->rows.push_back({"variation", 0, std::move(value)});
  for (const auto& [gpu, factor] : variation.slow)
    declared->rows.push_back({"slow", gpu, {"factor", fmt::format("{}", factor), "1", ""}});
  model.set_resource<DeclaredParameters>(std::move(declared));
}

}  // namespace

void read_variation(const Scenario& scenario, Model& model, ErrorList& errors) {
  const Element* element = scenario.root.child("variation");
  const auto* book = model.resource<AddressBook>();
  if (!element || !book) return;
  auto variation = std::make_shared<KernelVariation>();
  const std::size_t before = errors.size();
  variation_parameters().parse(*element, *variation, errors);
  for (const Element* child : element->children_named("slow")) {
    SlowGpus row;
    slow_parameters().parse(*child, row, errors);
    if (errors.size() > before) continue;
    for (std::uint32_t gpu : slow_gpus(*child, row, model, *book, errors))
      if (!variation->slow.emplace(gpu, row.factor).second)
        errors.add(child->error(fmt::format("<slow> GPU {} is in two of them", gpu)));
  }
  if (errors.size() > before) return;
  declare(*variation, model);
  model.set_resource<KernelVariation>(std::move(variation));
}

}  // namespace lightrail
