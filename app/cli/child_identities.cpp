#include "app/cli/child_identities.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "components/gpu/compute/compute_model.hpp"
#include "engine/base/error.hpp"
#include "engine/model/describe.hpp"
#include "network/port/pause/watchdog_spec.hpp"
#include "network/port/red_marker.hpp"
#include "network/port/trimmer.hpp"

namespace lightrail {

namespace {

/// These parameters, with the defaults of their table.
std::vector<IdentifyingAttribute> with_defaults(const std::vector<ParameterDoc>& table,
                                                const std::vector<std::string>& names) {
  std::vector<IdentifyingAttribute> all;
  for (const std::string& name : names) {
    const auto it = std::find_if(table.begin(), table.end(),
                                 [&](const ParameterDoc& parameter) { return parameter.name == name; });
    LIGHTRAIL_EXPECT(it != table.end());
    all.push_back({name, it->default_value});
  }
  return all;
}

}  // namespace

ChildIdentities child_identities() {
  return {{"link", {{"role", ""}, {"from", ""}, {"to", ""}}},
          {"gemm", with_defaults(gemm_parameters().documentation(), {"dtype", "scaling"})},
          {"attention", with_defaults(attention_parameters().documentation(), {"library"})},
          {"ecn", with_defaults(ecn_parameters().documentation(), {"lane"})},
          {"trim", with_defaults(trim_parameters().documentation(), {"lane"})},
          {"watchdog", with_defaults(watchdog_parameters().documentation(), {"lane"})},
          {"price", {{"rate", ""}}}};
}

}  // namespace lightrail
