#include "workloads/import/group_families.hpp"

#include <algorithm>

#include "engine/base/error.hpp"

namespace lightrail {

GroupFamilies::Place GroupFamilies::world() {
  std::vector<std::uint32_t> all(ranks_);
  for (std::uint32_t r = 0; r < ranks_; ++r) all[r] = r;
  return add(all, "world");
}

GroupFamilies::Place GroupFamilies::add(const std::vector<std::uint32_t>& members,
                                        const std::string& description, const std::string& name) {
  if (auto it = known_.find(members); it != known_.end()) return it->second;
  const bool is_world = members.size() == ranks_ && std::is_sorted(members.begin(), members.end());
  auto fits = [&](const Family& f) {
    return !is_world && f.description == description && f.size == members.size() &&
           std::none_of(members.begin(), members.end(), [&](std::uint32_t r) { return f.has[r]; });
  };
  auto family = std::find_if(families_.begin(), families_.end(), fits);
  if (family == families_.end()) {
    GroupKind kind;
    kind.name = is_world ? "world" : name.empty() ? description : name;
    while (job_.find_group(kind.name).is_valid()) kind.name += "'";
    if (is_world) kind.digits = {{ranks_, 1}};
    Family made{description, members.size(), std::vector<bool>(ranks_), {}};
    made.place.dimension = job_.dimension(kind.name);
    made.place.kind = job_.group(std::move(kind));
    if (made.place.kind.value >= 255)
      throw InputErrors(InputError{"", 0, "the process groups need more than 255 kinds of groups"});
    families_.push_back(std::move(made));
    family = families_.end() - 1;
  }
  for (std::uint32_t r : members) family->has[r] = true;
  if (!is_world) {
    auto& list = job_.job().groups[family->place.kind.value].listed.emplace_back();
    for (std::uint32_t r : members) list.emplace_back(r);
  }
  return known_[members] = family->place;
}

}  // namespace lightrail
