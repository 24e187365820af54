#include "workloads/collective/algorithm_registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

constexpr std::size_t max_ids = std::numeric_limits<std::uint8_t>::max();

/// Of a file: what the scenario calls it.
bool is_name(const std::string& text) {
  if (text.starts_with(algorithm_file_prefix)) return text.size() > algorithm_file_prefix.size();
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

}  // namespace

Algorithm AlgorithmRegistry::add(std::shared_ptr<const CollectiveAlgorithm> algorithm) {
  LIGHTRAIL_EXPECT(algorithm != nullptr);
  const std::string name = algorithm->name();
  auto refuse = [&](const std::string& why) {
    throw InputErrors(InputError{"", 0, fmt::format("collective algorithm '{}' {}", name, why)});
  };
  if (!is_name(name)) refuse("has no valid name (expected lower-case letters, digits and hyphens)");
  for (const auto& [taken, id] : names_)
    if (taken == name) refuse("is registered twice");
  if (all_.size() == max_ids) refuse(fmt::format("is one too many (at most {})", max_ids));
  all_.push_back(std::move(algorithm));
  const auto id = static_cast<Algorithm>(all_.size());
  names_.emplace_back(name, id);
  for (std::size_t type = 0; type < serving_.size(); ++type)
    if (all_.back()->serves(static_cast<CollectiveType>(type))) serving_[type].push_back(id);
  return id;
}

const CollectiveAlgorithm& AlgorithmRegistry::operator[](Algorithm id) const {
  LIGHTRAIL_EXPECT(contains(id));
  return *all_[static_cast<std::size_t>(id) - 1];
}

std::optional<Algorithm> AlgorithmRegistry::find(const std::string& name) const {
  for (const auto& [known, id] : names_)
    if (known == name) return id;
  return std::nullopt;
}

AlgorithmNames AlgorithmRegistry::names_serving(CollectiveType type) const {
  AlgorithmNames names{names_.front()};
  for (Algorithm id : serving(type)) names.push_back(names_[static_cast<std::size_t>(id)]);
  return names;
}

std::vector<std::string> AlgorithmRegistry::labels() const {
  std::vector<std::string> labels{"auto_select"};
  for (const auto& algorithm : all_) {
    labels.push_back(algorithm->name());
    std::replace(labels.back().begin(), labels.back().end(), '-', '_');
  }
  return labels;
}

}  // namespace lightrail
