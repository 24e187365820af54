#include "app/explain/group_places.hpp"

#include <algorithm>

namespace lightrail {

GroupPlaces::GroupPlaces(const ResultReader& result) {
  if (!result.has("/model/group_kinds/name") || !result.has("/model/group_digits")) return;
  names_ = result.texts("/model/group_kinds/name");
  is_listed_.resize(names_.size());
  for (std::size_t d = 0; d < counts_.size(); ++d) {
    counts_[d] = result.numbers("/model/group_digits/count" + std::to_string(d));
    strides_[d] = result.numbers("/model/group_digits/stride" + std::to_string(d));
    result.check_lengths("/model/group_digits", {names_.size(), counts_[d].size(), strides_[d].size()});
  }
  const auto kind = result.numbers("/model/group_members/group_kind"),
             list = result.numbers("/model/group_members/list"),
             gpu = result.numbers("/model/group_members/gpu");
  result.check_lengths("/model/group_members", {kind.size(), list.size(), gpu.size()});
  std::map<std::pair<std::int64_t, std::int64_t>, Place> groups;
  for (std::size_t i = 0; i < kind.size(); ++i) {
    const auto k = static_cast<std::size_t>(kind[i]);
    if (kind[i] < 0 || k >= names_.size()) result.fail("has members of a group kind that it lacks");
    is_listed_[k] = true;
    auto [group, is_new] = groups.try_emplace({kind[i], list[i]}, Place{gpu[i], 0, 0, true});
    group->second.first = std::min(group->second.first, gpu[i]);
    listed_[{kind[i], gpu[i]}].index = group->second.members++;
  }
  for (std::size_t i = 0; i < kind.size(); ++i) {
    const Place& group = groups[{kind[i], list[i]}];
    Place& place = listed_[{kind[i], gpu[i]}];
    place.first = group.first, place.members = group.members;
  }
}

GroupPlaces::Place GroupPlaces::of(std::int64_t kind, std::int64_t gpu) const {
  const auto k = static_cast<std::size_t>(kind);
  if (kind < 0 || k >= names_.size()) return {gpu, 1, 0, false};
  if (is_listed_[k]) {
    const auto found = listed_.find({kind, gpu});
    return found == listed_.end() ? Place{gpu, 1, 0, false} : found->second;
  }
  Place place{gpu, 1, 0, true};
  for (std::size_t d = 0; d < counts_.size(); ++d) {
    const std::int64_t count = std::max<std::int64_t>(1, counts_[d][k]),
                       stride = std::max<std::int64_t>(1, strides_[d][k]);
    const std::int64_t index = gpu / stride % count;
    place.first -= index * stride;
    place.index += index * place.members;
    place.members *= count;
  }
  return place;
}

}  // namespace lightrail
