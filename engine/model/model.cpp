#include "engine/model/model.hpp"

#include <iterator>
#include <utility>

namespace lightrail {
namespace {

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

std::string Model::component_name(ComponentId id) const {
  const ComponentRecord& record = components.at(id.value);
  const std::string& prefix = name_prefixes.at(record.name_prefix);
  if (prefix.starts_with('=')) return prefix.substr(1);  // an endpoint the scenario names itself
  return record.number == ComponentId::none ? prefix : prefix + std::to_string(record.number);
}

void Model::add(ModelPart part) {
  append(names, std::move(part.names));
  append(dimensions, std::move(part.dimensions));
  append(parameters, std::move(part.parameters));
  append(remarks, std::move(part.remarks));
  resources_.add(part.resources);
}

}  // namespace lightrail
