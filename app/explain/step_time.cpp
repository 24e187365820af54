#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/explain/explanation.hpp"
#include "app/explain/group_places.hpp"

namespace lightrail {
namespace {

using Columns = std::map<std::string, std::vector<std::int64_t>>;

Columns table(const ResultReader& result, const std::string& name, const std::vector<std::string>& columns) {
  Columns all;
  for (const std::string& column : columns)
    all[column] = result.numbers(fmt::format("/tables/{}/{}", name, column));
  std::vector<std::size_t> lengths;
  for (const auto& [column, values] : all) lengths.push_back(values.size());
  result.check_lengths("/tables/" + name, lengths);
  return all;
}

std::string at_or_empty(const std::vector<std::string>& texts, std::int64_t index) {
  return index >= 0 && static_cast<std::size_t>(index) < texts.size() ? texts[static_cast<std::size_t>(index)]
                                                                      : "";
}

using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  ///< use, dimension, group

/// Members of a group that are told apart by their place in it.
constexpr std::int64_t most_ranks = 256;

/// What the time of some GPUs went into.
struct Split {
  std::map<Key, std::int64_t> times;
  std::set<std::int64_t> gpus;

  void add(const Key& key, std::int64_t gpu, std::int64_t time) { times[key] += time, gpus.insert(gpu); }
  [[nodiscard]] std::int64_t gpu_count() const { return static_cast<std::int64_t>(gpus.size()); }
  [[nodiscard]] std::int64_t sum() const {
    std::int64_t sum = 0;
    for (const auto& [key, time] : times) sum += time;
    return sum;
  }
  [[nodiscard]] std::vector<std::int64_t> in_order(
      const std::vector<std::pair<Key, std::int64_t>>& order) const {
    std::vector<std::int64_t> all;
    for (const auto& [key, unused] : order) {
      const auto found = times.find(key);
      all.push_back(found == times.end() ? 0 : found->second);
    }
    return all;
  }
};

/// The role of each program's GPUs; programs of one name are one role.
struct Roles {
  std::vector<std::int64_t> of_gpu;  ///< index into names
  std::vector<std::string> names;
};

Roles read_roles(const ResultReader& result) {
  Roles roles;
  if (!result.has("/model/programs")) return roles;
  const auto names = result.texts("/model/programs/role");
  std::vector<std::int64_t> role_of;
  for (const std::string& name : names) {
    const auto at = std::find(roles.names.begin(), roles.names.end(), name);
    role_of.push_back(at - roles.names.begin());
    if (at == roles.names.end()) roles.names.push_back(name);
  }
  for (std::int64_t program : result.numbers("/model/programs/program_of_gpu"))
    roles.of_gpu.push_back(program >= 0 && static_cast<std::size_t>(program) < role_of.size()
                               ? role_of[static_cast<std::size_t>(program)]
                               : -1);
  return roles;
}

}  // namespace

StepTime read_step(const ResultReader& result) {
  if (!result.has("/tables/exposed") || !result.has("/tables/steps"))
    result.fail(R"(has no table exposed (an older result, or <table name="exposed" record="off"/>))");
  auto steps = table(result, "steps", {"gpu", "iteration", "t_start_ps", "t_end_ps"});
  auto rows = table(result, "exposed", {"gpu", "iteration", "use", "dimension", "group", "time_ps"});
  if (steps["gpu"].empty())
    result.fail(result.has("/summary/serving")
                    ? "has no step: it serves requests (lightrail report, python3 -m lightrail_post serving)"
                    : "has no step: no GPU has finished an iteration");
  if (rows["gpu"].empty())
    result.fail(R"(has no rows in its table exposed (<table name="exposed" record="off"/>))");
  const auto uses = result.labels("/tables/exposed/use"), dimensions = result.texts("/dimensions"),
             groups = result.has("/model/group_kinds") ? result.texts("/model/group_kinds/name")
                                                       : std::vector<std::string>{};
  StepTime step;
  step.iteration = *std::max_element(steps["iteration"].begin(), steps["iteration"].end());
  // Of GPUs that both tables were recorded of.
  std::set<std::int64_t> counted_gpus;
  for (std::size_t i = 0; i < rows["gpu"].size(); ++i)
    if (rows["iteration"][i] == step.iteration) counted_gpus.insert(rows["gpu"][i]);
  std::set<std::int64_t> gpus_with_step;
  std::int64_t start = 0, end = 0;
  for (std::size_t i = 0; i < steps["gpu"].size(); ++i) {
    if (steps["iteration"][i] != step.iteration || counted_gpus.count(steps["gpu"][i]) == 0) continue;
    gpus_with_step.insert(steps["gpu"][i]);
    const std::int64_t from = steps["t_start_ps"][i], to = steps["t_end_ps"][i];
    start = step.gpus == 0 ? from : std::min(start, from), end = std::max(end, to);
    ++step.gpus;
    step.gpu_time_ps += to - from;
  }
  step.step_ps = end - start;

  const Roles roles = read_roles(result);
  const GroupPlaces places(result);
  Split all;
  std::map<std::int64_t, Split> by_role;
  std::map<std::pair<std::int64_t, std::int64_t>, Split> by_rank;  // group kind, index
  for (std::size_t i = 0; i < rows["gpu"].size(); ++i) {
    if (rows["iteration"][i] != step.iteration || gpus_with_step.count(rows["gpu"][i]) == 0) continue;
    const Key key{rows["use"][i], rows["dimension"][i], rows["group"][i]};
    const std::int64_t gpu = rows["gpu"][i], time = rows["time_ps"][i];
    all.add(key, gpu, time);
    if (gpu < 0 || static_cast<std::size_t>(gpu) >= roles.of_gpu.size()) continue;
    by_role[roles.of_gpu[static_cast<std::size_t>(gpu)]].add(key, gpu, time);
    for (std::size_t k = 0; k < places.names().size(); ++k) {
      const auto kind = static_cast<std::int64_t>(k);
      const GroupPlaces::Place place = places.of(kind, gpu);
      if (place.is_member && place.members > 1 && place.members <= most_ranks)
        by_rank[{kind, place.index}].add(key, gpu, time);
    }
  }
  std::vector<std::pair<Key, std::int64_t>> ordered(all.times.begin(), all.times.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [key, time] : ordered) {
    const auto [use, dimension, group] = key;
    step.parts.push_back({step.iteration, at_or_empty(uses, use), at_or_empty(dimensions, dimension),
                          at_or_empty(groups, group), time});
  }
  if (all.sum() != step.gpu_time_ps)
    result.fail("has rows in its table exposed that do not add up to the step");
  for (const auto& [role, split] : by_role)
    step.roles.push_back(
        {at_or_empty(roles.names, role), split.gpu_count(), split.sum(), split.in_order(ordered)});
  for (const auto& [rank, split] : by_rank)
    step.ranks.push_back({at_or_empty(places.names(), rank.first), rank.second, split.gpu_count(),
                          split.sum(), split.in_order(ordered)});
  return step;
}

}  // namespace lightrail
