#include "workloads/goodput/read_failure_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engine/scenario/units.hpp"

namespace lightrail {
namespace {

/// "NIC, SSD" apart at its commas, without the blanks around each.
std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const std::size_t first = item.find_first_not_of(' ');
    if (first != item.npos) names.push_back(item.substr(first, item.find_last_not_of(' ') + 1 - first));
    begin = end + 1;
  }
  return names;
}

std::vector<CategorySpec> read_categories(const Element& element, std::vector<DeclaredParameter>& parameters,
                                          ErrorList& errors) {
  std::vector<CategorySpec> all;
  for (const Element* child : element.children_named("category")) {
    CategorySpec spec;
    category_parameters().parse(*child, spec, errors);
    if (spec.servers > 1 && !spec.replaces_server)
      errors.add(
          child->error_at("servers", "<category> attribute 'servers': has no effect: none is replaced"));
    if (std::any_of(all.begin(), all.end(),
                    [&](const CategorySpec& other) { return other.name == spec.name; }))
      errors.add(child->error_at("name", fmt::format("<category> '{}' is there twice", spec.name)));
    for (ParameterValue& value : category_parameters().values(spec))
      parameters.push_back({"category", static_cast<std::uint32_t>(all.size()), std::move(value)});
    all.push_back(std::move(spec));
  }
  if (all.empty()) errors.add(element.error("<failure-rates> needs a <category> at least"));
  return all;
}

}  // namespace

FailureRates read_failure_rates(const Element& element, std::uint32_t gpus,
                                std::vector<DeclaredParameter>& parameters, ErrorList& errors) {
  FailureRatesSpec spec;
  failure_rates_parameters().parse(element, spec, errors);
  for (ParameterValue& value : failure_rates_parameters().values(spec))
    parameters.push_back({"failure-rates", 0, std::move(value)});
  const std::vector<CategorySpec> categories = read_categories(element, parameters, errors);
  const std::vector<std::string> left_out = names_in(spec.without);
  std::vector<std::string> known;
  for (const CategorySpec& category : categories) known.push_back(category.name);
  for (const std::string& name : left_out)
    if (std::find(known.begin(), known.end(), name) == known.end())
      errors.add(
          element.error_at("without", "<failure-rates> attribute 'without': " + invalid_choice(name, known)));

  FailureRates rates;
  rates.gpus_per_node = spec.gpus_per_node;
  const double nodes = static_cast<double>(gpus) / spec.gpus_per_node;
  for (const CategorySpec& category : categories) {
    const bool happens = std::find(left_out.begin(), left_out.end(), category.name) == left_out.end();
    rates.categories.push_back({category.name,
                                happens ? category.failures / spec.node_days * nodes : 0.0,
                                {},
                                category.replaces_server,
                                category.servers});
    rates.found_by.push_back(category.found_by);
  }
  return rates;
}

}  // namespace lightrail
