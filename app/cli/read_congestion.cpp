#include "app/cli/read_congestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "network/port/device_traits.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {
namespace {

bool has_device(const Model& model, DeviceRole role) {
  return std::any_of(model.specs.begin(), model.specs.end(),
                     [&](const auto& spec) { return role_of(*spec) == role; });
}

/// Whether GPUs of one server have different NICs, so that PXN sends by another GPU's.
bool has_rails(const AddressBook& book) {
  for (std::uint32_t gpu = 1; gpu < book.gpu_count; ++gpu)
    if (book.endpoints[gpu].server == book.endpoints[gpu - 1].server &&
        book.endpoints[gpu].nic != book.endpoints[gpu - 1].nic)
      return true;
  return false;
}

/// "" or why there can be no congestion control.
std::string problem_of(const Model& model, const AddressBook& book) {
  if (!has_device(model, DeviceRole::nic) || !has_device(model, DeviceRole::packet_switch))
    return "<congestion-control> needs switches, which mark, and NICs, which pause";
  if (has_device(model, DeviceRole::optical_switch))
    return "<congestion-control> does not work with optical switches, whose senders know other notices";
  const auto* nccl = model.resource<NcclSettings>();
  if (nccl && nccl->pxn && has_rails(book))
    return "<congestion-control> needs <nccl pxn=\"off\">: notices go to the NIC of the GPU that "
           "sent, and PXN sends by another one";
  return "";
}

}  // namespace

ModelPart read_congestion(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const Element* element = scenario.root.child("congestion-control");
  const auto* book = model.resource<AddressBook>();
  if (!element || !book || !errors.is_empty()) return {};
  CongestionSpec spec;
  congestion_parameters().parse(*element, spec, errors);
  if (const std::string problem = problem_of(model, *book); !problem.empty())
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
  ModelPart part;
  for (ParameterValue& value : congestion_parameters().values(spec))
    part.parameters.push_back({"congestion-control", 0, std::move(value)});
  part.resources.add(std::make_shared<const CongestionControl>(std::move(spec), std::move(table)));
  return part;
}

}  // namespace lightrail
