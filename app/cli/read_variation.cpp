#include "app/cli/read_variation.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/gpu/compute/kernel_variation.hpp"
#include "network/wire/address_book.hpp"
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

std::vector<DeclaredParameter> declared(const KernelVariation& variation) {
  std::vector<DeclaredParameter> all;
  for (ParameterValue& value : variation_parameters().values(variation))
    all.push_back({"variation", 0, std::move(value)});
  for (const auto& [gpu, factor] : variation.slow)
    all.push_back({"slow", gpu, {"factor", fmt::format("{}", factor), "1", ""}});
  return all;
}

}  // namespace

ModelPart read_variation(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const Element* element = scenario.root.child("variation");
  const auto* book = model.resource<AddressBook>();
  if (!element || !book) return {};
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
  if ((variation->noise_interval > SimTime{0}) != (variation->noise_time > SimTime{0}))
    errors.add(element->error("<variation> needs both of 'noise-interval' and 'noise-time', or neither"));
  if (errors.size() > before) return {};
  ModelPart part;
  part.parameters = declared(*variation);
  if (variation->is_on()) part.resources.add<KernelVariation>(std::move(variation));
  return part;
}

}  // namespace lightrail
