#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/explain/explanation.hpp"

namespace lightrail {
namespace {

/// Names and kinds of both ends of every link.
struct Wiring {
  std::vector<std::int64_t> from, to, link_class;
  std::vector<std::string> name, kind, class_name;
  std::vector<std::int64_t> atom, number;

  explicit Wiring(const ResultReader& result)
      : from(result.numbers("/model/links/from")),
        to(result.numbers("/model/links/to")),
        link_class(result.numbers("/model/links/link_class")),
        name(result.texts("/model/components/name")),
        kind(result.texts("/model/components/kind")),
        class_name(result.texts("/model/link_classes/name")),
        atom(result.numbers("/model/components/atom")),
        number(result.numbers("/model/components/number")) {
    const auto is_in = [](std::int64_t index, std::size_t size) {
      return index >= 0 && static_cast<std::size_t>(index) < size;
    };
    result.check_lengths("/model/links", {from.size(), to.size(), link_class.size()});
    result.check_lengths("/model/components", {name.size(), kind.size(), atom.size(), number.size()});
    for (std::size_t i = 0; i < from.size(); ++i)
      if (!is_in(from[i], name.size()) || !is_in(to[i], name.size()) ||
          !is_in(link_class[i], class_name.size()))
        result.fail(fmt::format("has a link {} of nothing in /model/links", i));
  }
  [[nodiscard]] std::size_t a(std::size_t link) const { return static_cast<std::size_t>(from[link]); }
  [[nodiscard]] std::size_t b(std::size_t link) const { return static_cast<std::size_t>(to[link]); }
  [[nodiscard]] std::string of(std::size_t link) const {
    return class_name[static_cast<std::size_t>(link_class[link])];
  }
};

struct Use {
  std::int64_t bytes = 0, busy_ps = 0, peak_busy_ps = 0, peak_interval = 0;
  double peak_share = 0;
};

/// What a recorded GPU took part in.
struct Communication {
  std::int64_t gpu = 0, start_ps = 0, end_ps = 0;
  std::string what, dimension;
};

/// A group's dimension where all its exposed time has the same.
std::map<std::int64_t, std::string> dimensions_of_groups(const ResultReader& result) {
  std::map<std::int64_t, std::string> all;
  if (!result.has("/tables/exposed/group")) return all;
  const auto group = result.numbers("/tables/exposed/group"),
             dimension = result.numbers("/tables/exposed/dimension");
  result.check_lengths("/tables/exposed", {group.size(), dimension.size()});
  const auto names = result.texts("/dimensions");
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto d = static_cast<std::size_t>(dimension[i]);
    if (group[i] < 0 || dimension[i] < 0 || d >= names.size()) continue;
    const auto [found, is_new] = all.try_emplace(group[i], names[d]);
    if (!is_new && found->second != names[d]) found->second.clear();
  }
  return all;
}

/// Collectives, and sends and receives of the table ops.
std::vector<Communication> read_communications(const ResultReader& result) {
  std::vector<Communication> all;
  const auto dimensions = dimensions_of_groups(result);
  if (result.has("/tables/collectives") && result.has("/model/group_kinds/name")) {
    const std::string at = "/tables/collectives/";
    const auto gpu = result.numbers(at + "gpu"), group = result.numbers(at + "group"),
               type = result.numbers(at + "collective"), start = result.numbers(at + "t_start_ps"),
               end = result.numbers(at + "t_end_ps");
    result.check_lengths("/tables/collectives",
                         {gpu.size(), group.size(), type.size(), start.size(), end.size()});
    const auto types = result.labels(at + "collective"), groups = result.texts("/model/group_kinds/name");
    for (std::size_t i = 0; i < gpu.size(); ++i) {
      const auto t = static_cast<std::size_t>(type[i]), g = static_cast<std::size_t>(group[i]);
      if (t >= types.size() || g >= groups.size()) continue;
      const auto dimension = dimensions.find(group[i]);
      all.push_back({gpu[i], start[i], end[i], types[t] + " " + groups[g],
                     dimension == dimensions.end() ? "" : dimension->second});
    }
  }
  if (!result.has("/tables/ops")) return all;
  const std::string at = "/tables/ops/";
  const auto gpu = result.numbers(at + "gpu"), kind = result.numbers(at + "kind"),
             dimension = result.numbers(at + "dimension"), start = result.numbers(at + "t_start_ps"),
             end = result.numbers(at + "t_end_ps");
  result.check_lengths("/tables/ops", {gpu.size(), kind.size(), dimension.size(), start.size(), end.size()});
  const auto kinds = result.labels(at + "kind"), names = result.texts("/dimensions");
  for (std::size_t i = 0; i < gpu.size(); ++i) {
    const auto k = static_cast<std::size_t>(kind[i]), d = static_cast<std::size_t>(dimension[i]);
    if (k >= kinds.size() || (kinds[k] != "send" && kinds[k] != "recv")) continue;
    const std::string name = dimension[i] >= 0 && d < names.size() ? names[d] : "";
    all.push_back({gpu[i], start[i], end[i], "message " + name, name});
  }
  return all;
}

/// What recorded GPUs of the servers at both ends did while the link was busiest; of a link of the fabric, or
/// where none of those was recorded, all recorded GPUs.
void add_meetings(const ResultReader& result, const Wiring& wiring, std::vector<LinkUse>& links) {
  if (links.empty()) return;
  const std::vector<Communication> communications = read_communications(result);
  std::map<std::int64_t, std::int64_t> atom_of_gpu;
  for (std::size_t i = 0; i < wiring.name.size(); ++i)
    if (wiring.kind[i] == "gpu") atom_of_gpu[wiring.number[i]] = wiring.atom[i];
  std::set<std::int64_t> recorded;  // atoms
  for (const Communication& one : communications)
    if (const auto atom = atom_of_gpu.find(one.gpu); atom != atom_of_gpu.end()) recorded.insert(atom->second);
  for (LinkUse& link : links) {
    const auto l = static_cast<std::size_t>(link.link);
    const std::int64_t from = wiring.atom[wiring.a(l)], to = wiring.atom[wiring.b(l)];
    link.met_anywhere = recorded.count(from) == 0 && recorded.count(to) == 0;
    // By what: intervals in which some GPU was in one.
    using What = std::pair<std::string, std::string>;
    std::map<What, std::vector<std::pair<std::int64_t, std::int64_t>>> spans;
    for (const Communication& one : communications) {
      const std::int64_t first = std::max(one.start_ps, link.peak_start_ps),
                         last = std::min(one.end_ps, link.peak_end_ps);
      const auto atom = atom_of_gpu.find(one.gpu);
      if (first >= last || atom == atom_of_gpu.end()) continue;
      if (!link.met_anywhere && atom->second != from && atom->second != to) continue;
      spans[{one.what, one.dimension}].emplace_back(first, last);
    }
    for (auto& [what, all] : spans) {
      std::sort(all.begin(), all.end());
      std::int64_t covered = 0, reached = link.peak_start_ps;
      for (const auto& [first, last] : all) {
        covered += std::max<std::int64_t>(0, last - std::max(first, reached));
        reached = std::max(reached, last);
      }
      link.met.push_back(
          {what.first, what.second,
           static_cast<double>(covered) / static_cast<double>(link.peak_end_ps - link.peak_start_ps)});
    }
    std::stable_sort(link.met.begin(), link.met.end(),
                     [](const auto& x, const auto& y) { return x.share > y.share; });
  }
}

/// Which link was busiest when.
void add_limits(const std::vector<std::int64_t>& link, const std::vector<std::int64_t>& interval,
                const std::vector<std::int64_t>& bytes, const std::vector<std::int64_t>& busy,
                std::int64_t end, std::int64_t length, const Wiring& wiring, Explanation& all) {
  std::map<std::int64_t, std::size_t> busiest;  // by interval: row
  for (std::size_t i = 0; i < link.size(); ++i) {
    const auto [found, is_new] = busiest.try_emplace(interval[i], i);
    std::size_t& row = found->second;
    if (!is_new && (busy[i] > busy[row] || (busy[i] == busy[row] && link[i] < link[row]))) row = i;
  }
  for (const auto& [number, row] : busiest) {
    const std::int64_t from = number * length, until = std::min(end, from + length);
    if (until <= from || 5 * static_cast<double>(busy[row]) < static_cast<double>(until - from)) continue;
    if (all.limits.empty() || all.limits.back().link != link[row] || all.limits.back().peak_end_ps != from) {
      const auto l = static_cast<std::size_t>(link[row]);
      LinkUse span;
      span.link = link[row];
      span.name = wiring.name[wiring.a(l)] + " -> " + wiring.name[wiring.b(l)];
      span.link_class = wiring.of(l);
      span.peak_start_ps = from;
      all.limits.push_back(std::move(span));
    }
    LinkUse& span = all.limits.back();
    span.peak_end_ps = until;
    span.size_bytes += bytes[row], span.busy_ps += busy[row];
  }
  for (LinkUse& span : all.limits)
    span.share = span.peak_share =
        static_cast<double>(span.busy_ps) / static_cast<double>(span.peak_end_ps - span.peak_start_ps);
  std::stable_sort(all.limits.begin(), all.limits.end(),
                   [](const auto& x, const auto& y) { return x.busy_ps > y.busy_ps; });
  all.limits.resize(std::min(all.limits.size(), most_shown));
  std::stable_sort(all.limits.begin(), all.limits.end(),
                   [](const auto& x, const auto& y) { return x.peak_start_ps < y.peak_start_ps; });
}

}  // namespace

void read_links(const ResultReader& result, Explanation& all) {
  if (!result.has("/tables/link_use")) return;
  const auto link = result.numbers("/tables/link_use/link"),
             interval = result.numbers("/tables/link_use/interval"),
             bytes = result.numbers("/tables/link_use/size_bytes"),
             busy = result.numbers("/tables/link_use/t_busy_ps");
  result.check_lengths("/tables/link_use", {link.size(), interval.size(), bytes.size(), busy.size()});
  const std::int64_t end = result.number_attribute("/run", "sim_end_ps"),
                     length = result.number_attribute("/run", "interval_ps");
  const Wiring wiring(result);
  if (link.empty() || end <= 0 || length <= 0) return;
  all.has_links = true;
  std::map<std::int64_t, Use> uses;
  for (std::size_t i = 0; i < link.size(); ++i) {
    if (link[i] < 0 || static_cast<std::size_t>(link[i]) >= wiring.from.size())
      result.fail(fmt::format("has a row of link_use for link {}, which does not exist", link[i]));
    Use& use = uses[link[i]];
    use.bytes += bytes[i];
    use.busy_ps += busy[i];
    const std::int64_t from = interval[i] * length, until = std::min(end, from + length);
    const double share = until > from ? static_cast<double>(busy[i]) / static_cast<double>(until - from) : 0;
    if (share > use.peak_share) use.peak_share = share, use.peak_interval = interval[i];
  }
  add_limits(link, interval, bytes, busy, end, length, wiring, all);
  add_meetings(result, wiring, all.limits);
  const auto share_of = [end](std::int64_t busy_ps) {
    return static_cast<double>(busy_ps) / static_cast<double>(end);
  };
  std::map<std::string, LinkKindUse> kinds;
  std::vector<std::pair<std::int64_t, Use>> ordered(uses.begin(), uses.end());
  for (const auto& [id, use] : ordered) {
    const auto l = static_cast<std::size_t>(id);
    const std::string name =
        fmt::format("{} -> {}, {}", wiring.kind[wiring.a(l)], wiring.kind[wiring.b(l)], wiring.of(l));
    LinkKindUse& kind = kinds[name];
    kind.name = name;
    ++kind.links;
    kind.mean_share += share_of(use.busy_ps);
    kind.max_share = std::max(kind.max_share, share_of(use.busy_ps));
  }
  for (auto& [name, kind] : kinds) {
    kind.mean_share /= static_cast<double>(kind.links);
    all.kinds.push_back(kind);
  }
  std::stable_sort(all.kinds.begin(), all.kinds.end(),
                   [](const auto& x, const auto& y) { return x.max_share > y.max_share; });
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& x, const auto& y) { return x.second.busy_ps > y.second.busy_ps; });
  ordered.resize(std::min(ordered.size(), most_shown));
  for (const auto& [id, use] : ordered) {
    const auto l = static_cast<std::size_t>(id);
    LinkUse one;
    one.link = id;
    one.name = wiring.name[wiring.a(l)] + " -> " + wiring.name[wiring.b(l)];
    one.link_class = wiring.of(l);
    one.size_bytes = use.bytes, one.busy_ps = use.busy_ps;
    one.share = share_of(use.busy_ps);
    one.peak_share = use.peak_share;
    one.peak_start_ps = use.peak_interval * length;
    one.peak_end_ps = std::min(end, one.peak_start_ps + length);
    all.links.push_back(std::move(one));
  }
  add_meetings(result, wiring, all.links);
  add_traffic(result, length, all);
}

}  // namespace lightrail
