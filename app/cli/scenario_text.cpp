#include "app/cli/scenario_text.hpp"

#include <fmt/format.h>

#include "engine/base/error.hpp"
#include "fabrics/clos/fabric_layout.hpp"

namespace lightrail {

std::string fabric_text(const Model& model) {
  const auto* layouts = model.resource<FabricLayouts>();
  if (!layouts) return "";
  std::string text;
  for (const FabricLayout& layout : layouts->all) {
    text += layout_text(layout);
    for (const InputError& warning : layout_warnings(layout)) text += "warning: " + to_string(warning) + "\n";
  }
  return text;
}

std::string scenario_text(const std::string& file, const Model& model) {
  return fmt::format("{}: valid, {} components, {} links\n", file, model.components.size(),
                     model.links.size() / 2) +
         fabric_text(model);
}

}  // namespace lightrail
