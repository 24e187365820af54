#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/explain/explanation.hpp"
#include "app/explain/group_places.hpp"

namespace lightrail {
namespace {

struct Instance {
  std::int64_t collective = 0, size_bytes = 0, recorded = 0;
  std::int64_t first_start = 0, last_end = 0;
  std::int64_t last_start = 0, last_gpu = 0, before_last = 0;

  void add(std::int64_t gpu, std::int64_t start, std::int64_t end) {
    if (recorded++ == 0) {
      first_start = last_start = before_last = start, last_end = end, last_gpu = gpu;
      return;
    }
    first_start = std::min(first_start, start), last_end = std::max(last_end, end);
    // Of those that come last together the lowest number.
    if (start > last_start || (start == last_start && gpu < last_gpu)) {
      before_last = std::exchange(last_start, start), last_gpu = gpu;
    } else {
      before_last = recorded == 2 ? start : std::max(before_last, start);
    }
  }
};

}  // namespace

void read_collectives(const ResultReader& result, Explanation& all) {
  if (!result.has("/tables/collectives") || !result.has("/model/group_digits")) return;
  const auto gpu = result.numbers("/tables/collectives/gpu"),
             group = result.numbers("/tables/collectives/group"),
             type = result.numbers("/tables/collectives/collective"),
             size = result.numbers("/tables/collectives/size_bytes"),
             start = result.numbers("/tables/collectives/t_start_ps"),
             end = result.numbers("/tables/collectives/t_end_ps");
  result.check_lengths("/tables/collectives",
                       {gpu.size(), group.size(), type.size(), size.size(), start.size(), end.size()});
  if (gpu.empty()) return;
  all.has_collectives = true;
  const auto types = result.labels("/tables/collectives/collective"),
             component = result.texts("/model/components/name"),
             kind = result.texts("/model/components/kind");
  const auto number = result.numbers("/model/components/number");
  result.check_lengths("/model/components", {component.size(), kind.size(), number.size()});
  std::map<std::int64_t, std::string> name_of;
  for (std::size_t i = 0; i < number.size(); ++i)
    if (kind[i] == "gpu") name_of[number[i]] = component[i];

  // A communicator runs its collectives one after the other, every member in the same order: the k-th of a
  // member is the k-th of the others.
  std::vector<std::size_t> order(gpu.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(group[a], gpu[a], start[a]) < std::tie(group[b], gpu[b], start[b]);
  });
  const GroupPlaces places(result);
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // group kind, first member, place
  std::map<Key, Instance> instances;
  std::map<Key, std::int64_t> members;
  std::int64_t place = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t i = order[k];
    const bool is_same = k > 0 && group[order[k - 1]] == group[i] && gpu[order[k - 1]] == gpu[i];
    place = is_same ? place + 1 : 0;
    const GroupPlaces::Place in = places.of(group[i], gpu[i]);
    const Key key{group[i], in.first, place};
    Instance& one = instances[key];
    one.collective = type[i], one.size_bytes = size[i];
    one.add(gpu[i], start[i], end[i]);
    members[key] = in.members;
  }
  for (const auto& [key, one] : instances) {
    const auto [kind_of, first, at] = key;
    const auto t = static_cast<std::size_t>(one.collective), g = static_cast<std::size_t>(kind_of);
    SlowCollective slow;
    slow.collective = t < types.size() ? types[t] : "";
    slow.group = g < places.names().size() ? places.names()[g] : "";
    slow.first_member = first, slow.place = at;
    slow.size_bytes = one.size_bytes, slow.members = members[key], slow.recorded = one.recorded;
    slow.t_start_ps = one.first_start, slow.t_end_ps = one.last_end;
    slow.last = name_of[one.last_gpu];
    slow.late_ps = one.last_start - one.first_start;
    slow.after_others_ps = one.last_start - one.before_last;
    all.collectives.push_back(std::move(slow));
  }
  // Instances are in the order of group and first member.
  std::stable_sort(all.collectives.begin(), all.collectives.end(), [](const auto& a, const auto& b) {
    return a.time_ps() != b.time_ps() ? a.time_ps() > b.time_ps() : a.t_start_ps < b.t_start_ps;
  });
  all.collectives.resize(std::min(all.collectives.size(), most_shown));
}

}  // namespace lightrail
