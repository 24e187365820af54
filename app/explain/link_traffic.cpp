#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/explain/explanation.hpp"

namespace lightrail {

void add_traffic(const ResultReader& result, std::int64_t interval_ps, Explanation& all) {
  if (!result.has("/tables/link_traffic") || !result.has("/model/group_kinds/name")) return;
  const std::string at = "/tables/link_traffic/";
  const auto link = result.numbers(at + "link"), interval = result.numbers(at + "interval"),
             group = result.numbers(at + "group"), traffic = result.numbers(at + "traffic"),
             bytes = result.numbers(at + "size_bytes"), busy = result.numbers(at + "t_busy_ps");
  result.check_lengths("/tables/link_traffic", {link.size(), interval.size(), group.size(), traffic.size(),
                                                bytes.size(), busy.size()});
  const auto groups = result.texts("/model/group_kinds/name"), kinds = result.labels(at + "traffic");
  std::multimap<std::int64_t, std::size_t> rows;  // by link
  for (std::size_t i = 0; i < link.size(); ++i) {
    const bool is_named = group[i] < 0 || static_cast<std::size_t>(group[i]) < groups.size();
    if (!is_named || traffic[i] < 0 || static_cast<std::size_t>(traffic[i]) >= kinds.size())
      result.fail("has a row of link_traffic for a group or a kind of traffic that does not exist");
    rows.emplace(link[i], i);
  }
  const auto add = [&](LinkUse& use) {
    std::map<std::pair<std::string, std::string>, LinkUse::Carried> parts;  // by group and kind
    for (auto [row, end] = rows.equal_range(use.link); row != end; ++row) {
      const std::size_t i = row->second;
      if (interval[i] * interval_ps < use.peak_start_ps || interval[i] * interval_ps >= use.peak_end_ps)
        continue;
      const std::string name = group[i] < 0 ? "" : groups[static_cast<std::size_t>(group[i])];
      const std::string& kind = kinds[static_cast<std::size_t>(traffic[i])];
      LinkUse::Carried& part = parts[{name, kind}];
      part.group = name, part.traffic = kind;
      part.size_bytes += bytes[i], part.busy_ps += busy[i];
    }
    for (auto& [name, part] : parts) use.carried.push_back(std::move(part));
    std::stable_sort(use.carried.begin(), use.carried.end(),
                     [](const auto& x, const auto& y) { return x.busy_ps > y.busy_ps; });
  };
  std::for_each(all.limits.begin(), all.limits.end(), add);
  std::for_each(all.links.begin(), all.links.end(), add);
}

}  // namespace lightrail
