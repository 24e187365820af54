#include "engine/model/model.hpp"

namespace lightrail {

std::string Model::component_name(ComponentId id) const {
  const ComponentRecord& record = components.at(id.value);
  const std::string& prefix = name_prefixes.at(record.name_prefix);
  if (prefix.starts_with('=')) return prefix.substr(1);  // an endpoint the scenario names itself
  return record.number == ComponentId::none ? prefix : prefix + std::to_string(record.number);
}

}  // namespace lightrail
