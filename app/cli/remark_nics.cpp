#include "app/cli/remark_nics.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "components/nic/nic.hpp"
#include "engine/base/counted.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {
namespace {

/// Of the port's rate: what codes and headers leave to a link of its own kind.
constexpr double usual_share = 0.8;

}  // namespace

ModelPart remark_nics(const Model& model) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> nics;  // by rate of port and link
  std::vector<const NicSpec*> specs;                                    // null: of no NIC
  for (const auto& spec : model.specs) specs.push_back(dynamic_cast<const NicSpec*>(spec.get()));
  for (const ComponentRecord& component : model.components) {
    const NicSpec* spec = specs[component.spec];
    if (!spec || component.port_count == 0) continue;
    const LinkId out = model.ports[component.first_port].out;
    if (out.value >= model.links.size()) continue;
    const BitRate rate = model.link_classes[model.links[out.value].link_class].rate;
    if (rate.value > 0 &&
        static_cast<double>(rate.value) < usual_share * static_cast<double>(spec->port_rate.value))
      ++nics[{spec->port_rate.value, rate.value}];
  }
  ModelPart part;
  for (const auto& [rates, count] : nics)
    part.remarks.push_back(
        {"nics", fmt::format("{} with ports of {} {} on links of {}, which is what counts",
                             counted(count, "NIC"), format_value(BitRate{rates.first}),
                             count == 1 ? "is" : "are", format_value(BitRate{rates.second}))});
  return part;
}

}  // namespace lightrail
