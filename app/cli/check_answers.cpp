#include "app/cli/check_answers.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>

#include "components/ethernet-switch/ethernet_switch.hpp"
#include "components/nic/nic.hpp"

namespace lightrail {
namespace {

/// Whether a device of that Spec lets answers go first; nothing: it has no pauses.
std::optional<bool> answers_first(const Spec& spec) {
  if (const auto* nic = dynamic_cast<const NicSpec*>(&spec);
      nic && nic->flow_control == NicFlowControl::pauses)
    return nic->answers == NicAnswers::first;
  if (const auto* device = dynamic_cast<const EthernetSwitchSpec*>(&spec))
    return device->answers == SwitchAnswers::first;
  return std::nullopt;
}

}  // namespace

void check_answers(const Model& model, ErrorList& errors) {
  std::array<ComponentId, 2> found{};  // in their class, first
  for (std::uint32_t id = 0; id < model.components.size(); ++id)
    if (const auto is_first = answers_first(*model.specs[model.components[id].spec]))
      if (ComponentId& one = found[*is_first ? 1 : 0]; !one.is_valid()) one = ComponentId{id};
  if (found[0].is_valid() && found[1].is_valid())
    errors.add({"", 0,
                fmt::format("{} lets answers go first, and {} keeps them in their class (expected one "
                            "'answers' of all NICs and Ethernet switches)",
                            model.component_name(found[1]), model.component_name(found[0]))});
}

}  // namespace lightrail
