#include "app/cli/scenario_text.hpp"

#include <fmt/format.h>

#include "engine/base/error.hpp"
#include "fabrics/clos/fabric_layout.hpp"

namespace lightrail {

std::string scenario_text(const std::string& file, const Model& model) {
  std::string text = fmt::format("{}: valid, {} components, {} links\n", file, model.components.size(),
                                 model.links.size() / 2);
  const auto* layout = model.resource<FabricLayout>();
  if (!layout) return text;
  text += layout_text(*layout);
  for (const InputError& warning : layout_warnings(*layout)) text += "warning: " + to_string(warning) + "\n";
  return text;
}

}  // namespace lightrail
