#include "app/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/time.hpp"

namespace lightrail {
namespace {

using Json = nlohmann::ordered_json;

std::string bytes_text(std::int64_t bytes) {
  constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1000 && unit < 6) value /= 1000, ++unit;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.4g} {}", value, units[unit]);
}

double percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string mean_text(const StepTime& step, std::int64_t time_ps) {
  return format_time(SimTime{static_cast<std::int64_t>(step.mean_ps(time_ps))});
}

/// Rows of a table that are shown.
constexpr std::size_t most_rows = 16;

/// GPUs that have something in common.
struct Row {
  std::string name;
  std::int64_t gpus = 0, gpu_time_ps = 0;
  const std::vector<std::int64_t>* parts_ps = nullptr;

  [[nodiscard]] double share(std::size_t part) const { return percent((*parts_ps)[part], gpu_time_ps); }
};

/// By how much [% of their time] rows differ at most, in any part.
double spread(const StepTime& step, const std::vector<Row>& rows) {
  double most = 0;
  for (std::size_t p = 0; p < step.parts.size(); ++p) {
    const auto [low, high] = std::minmax_element(
        rows.begin(), rows.end(), [p](const Row& a, const Row& b) { return a.share(p) < b.share(p); });
    if (low != rows.end()) most = std::max(most, high->share(p) - low->share(p));
  }
  return most;
}

/// Whether two tables part the GPUs alike, as far as their times tell.
bool is_same(const std::vector<Row>& a, const std::vector<Row>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Row& x, const Row& y) {
    return x.gpus == y.gpus && *x.parts_ps == *y.parts_ps;
  });
}

std::string table_text(const std::string& title, const StepTime& step, const std::vector<Row>& rows) {
  std::string text = fmt::format("\n{}\n  {:<20} {:>6}", title, "", "GPUs");
  for (const ExposedSummary& part : step.parts) text += fmt::format("  {:>5}", part.label());
  text += "\n";
  for (std::size_t r = 0; r < std::min(rows.size(), most_rows); ++r) {
    text += fmt::format("  {:<20} {:>6}", rows[r].name, rows[r].gpus);
    for (std::size_t p = 0; p < step.parts.size(); ++p)
      text += fmt::format("  {:>{}.1f}", rows[r].share(p),
                          std::max<std::size_t>(5, step.parts[p].label().size()));
    text += "\n";
  }
  if (rows.size() > most_rows)
    text += fmt::format("  ... and {} more (--json has all)\n", rows.size() - most_rows);
  return text;
}

std::string step_text(const StepTime& step) {
  std::string text =
      fmt::format("step {} of {} GPUs: {}, {} of a GPU on average\n\n", step.iteration, step.gpus,
                  format_time(SimTime{step.step_ps}), mean_text(step, step.gpu_time_ps));
  text += "where it went (average of a GPU; communication that no kernel hides, by dimension)\n";
  for (const ExposedSummary& part : step.parts)
    text += fmt::format("  {:<28} {:5.1f} %  {}\n", part.label(), percent(part.time_ps, step.gpu_time_ps),
                        mean_text(step, part.time_ps));
  std::vector<Row> rows;
  for (const RoleTime& role : step.roles)
    rows.push_back({role.role, role.gpus, role.gpu_time_ps, &role.parts_ps});
  if (rows.size() > 1) text += table_text("by role [% of its time]", step, rows);
  // Of kinds of groups whose ranks differ, but each way to part the GPUs once.
  std::vector<std::vector<Row>> shown{rows};
  for (auto first = step.ranks.begin(); first != step.ranks.end();) {
    const std::string group = first->group;
    rows.clear();
    for (; first != step.ranks.end() && first->group == group; ++first)
      rows.push_back(
          {fmt::format("{} {}", group, first->index), first->gpus, first->gpu_time_ps, &first->parts_ps});
    const bool is_known = std::any_of(shown.begin(), shown.end(),
                                      [&](const std::vector<Row>& other) { return is_same(rows, other); });
    const bool is_each_alone =
        std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.gpus == 1; });
    if (is_known || is_each_alone || spread(step, rows) < 2) continue;
    text += table_text(
        fmt::format("by rank in {}, which differ by 2 points and more [% of their time]", group), step, rows);
    shown.push_back(rows);
  }
  return text;
}

std::string met_text(const LinkUse& link) {
  std::string text;
  std::int64_t busy = 0;
  for (const LinkUse::Carried& part : link.carried) busy += part.busy_ps;
  for (std::size_t p = 0; p < std::min<std::size_t>(link.carried.size(), 3) && busy > 0; ++p) {
    const LinkUse::Carried& part = link.carried[p];
    text +=
        fmt::format("{} {}{}{} {:.0f} % of it", p > 0 ? "," : ":", part.group, part.group.empty() ? "" : " ",
                    part.traffic, 100 * static_cast<double>(part.busy_ps) / static_cast<double>(busy));
  }
  if (!text.empty()) return text;
  for (std::size_t m = 0; m < std::min<std::size_t>(link.met.size(), 3); ++m) {
    const LinkUse::Meeting& met = link.met[m];
    // "all_gather dp-cp" of dimension dp
    const bool is_named = met.dimension.empty() || met.what.ends_with(" " + met.dimension);
    text += fmt::format("{} {}{} {:.0f} %",
                        m > 0               ? ","
                        : link.met_anywhere ? "; elsewhere"
                                            : ":",
                        met.what, is_named ? "" : " (" + met.dimension + ")", 100 * met.share);
  }
  return text;
}

std::string links_text(const Explanation& all) {
  std::string text = "\nlinks by what they join (use: share of the run in which they serialised)\n";
  if (!all.has_links) return text + "  not recorded (<table name=\"link_use\" record=\"on\"/>)\n";
  for (const LinkKindUse& kind : all.kinds)
    text += fmt::format("  {:<44} {:>7} used, mean {:5.1f} %, busiest {:5.1f} %\n", kind.name, kind.links,
                        100 * kind.mean_share, 100 * kind.max_share);
  text += all.links.empty() || all.links.front().carried.empty()
              ? "busiest links (and their busiest interval, with what GPUs of their servers did in it)\n"
              : "busiest links (and their busiest interval, with whose traffic it was)\n";
  for (const LinkUse& link : all.links) {
    text += fmt::format("  {:<28} {:5.1f} %, {} ({:.1f} % from {} on)", link.name, 100 * link.share,
                        bytes_text(link.size_bytes), 100 * link.peak_share,
                        format_time(SimTime{link.peak_start_ps}));
    text += met_text(link) + "\n";
  }
  text += "which link limits when (busiest of all, in a fifth of the time and more)\n";
  for (const LinkUse& span : all.limits)
    text += fmt::format("  {:<28} {:5.1f} % from {} to {}{}\n", span.name, 100 * span.share,
                        format_time(SimTime{span.peak_start_ps}), format_time(SimTime{span.peak_end_ps}),
                        met_text(span));
  if (all.limits.empty()) text += "  none: no link is so busy in any recording interval\n";
  return text;
}

std::string collectives_text(const Explanation& all) {
  std::string text = "\nslowest collectives (first start to last end, as recorded GPUs saw them)\n";
  if (!all.has_collectives) return text + "  none recorded (<table name=\"collectives\" gpus=\"all\"/>)\n";
  for (const SlowCollective& c : all.collectives) {
    text += fmt::format("  {:<11} {} {} from gpu {} on, number {}, {}: ", format_time(SimTime{c.time_ps()}),
                        c.group, c.collective, c.first_member, c.place, bytes_text(c.size_bytes));
    if (c.recorded < 2)
      text += fmt::format("1 of {} members recorded\n", c.members);
    else if (c.late_ps == 0)
      text += fmt::format("{} of {} members recorded, all came together\n", c.recorded, c.members);
    else
      text += fmt::format(
          "{} came last, {} after the first and {} after the one before it ({} of {} members)\n", c.last,
          format_time(SimTime{c.late_ps}), format_time(SimTime{c.after_others_ps}), c.recorded, c.members);
  }
  return text;
}

Json part_json(const ExposedSummary& part, const StepTime& step) {
  return {{"label", part.label()},       {"use", part.use},
          {"dimension", part.dimension}, {"group", part.group},
          {"time_ps", part.time_ps},     {"fraction", percent(part.time_ps, step.gpu_time_ps) / 100}};
}

Json step_json(const StepTime& step) {
  Json json{{"iteration", step.iteration},     {"gpus", step.gpus},      {"step_ps", step.step_ps},
            {"gpu_time_ps", step.gpu_time_ps}, {"parts", Json::array()}, {"roles", Json::array()}};
  for (const ExposedSummary& part : step.parts) json["parts"].push_back(part_json(part, step));
  for (const RoleTime& role : step.roles)
    json["roles"].push_back({{"role", role.role},
                             {"gpus", role.gpus},
                             {"gpu_time_ps", role.gpu_time_ps},
                             {"parts_ps", role.parts_ps}});
  for (const RankTime& rank : step.ranks)
    json["ranks"].push_back({{"group", rank.group},
                             {"index", rank.index},
                             {"gpus", rank.gpus},
                             {"gpu_time_ps", rank.gpu_time_ps},
                             {"parts_ps", rank.parts_ps}});
  return json;
}

Json link_json(const LinkUse& link) {
  Json json{{"link", link.link},
            {"name", link.name},
            {"class", link.link_class},
            {"size_bytes", link.size_bytes},
            {"busy_ps", link.busy_ps},
            {"share", link.share},
            {"peak_share", link.peak_share},
            {"peak_start_ps", link.peak_start_ps},
            {"peak_end_ps", link.peak_end_ps},
            {"met_anywhere", link.met_anywhere},
            {"met", Json::array()},
            {"carried", Json::array()}};
  for (const auto& met : link.met)
    json["met"].push_back({{"what", met.what}, {"dimension", met.dimension}, {"share", met.share}});
  for (const auto& part : link.carried)
    json["carried"].push_back({{"group", part.group},
                               {"traffic", part.traffic},
                               {"size_bytes", part.size_bytes},
                               {"busy_ps", part.busy_ps}});
  return json;
}

Json collective_json(const SlowCollective& c) {
  return {{"collective", c.collective},     {"group", c.group},
          {"first_member", c.first_member}, {"place", c.place},
          {"size_bytes", c.size_bytes},     {"members", c.members},
          {"recorded", c.recorded},         {"t_start_ps", c.t_start_ps},
          {"t_end_ps", c.t_end_ps},         {"last", c.last},
          {"late_ps", c.late_ps},           {"after_others_ps", c.after_others_ps}};
}

}  // namespace

Explanation read_explanation(const std::string& path) {
  const ResultReader result(path);
  if (result.has("/model/jobs/name"))
    result.fail("is of jobs with names, and lightrail explain knows one job");
  if (result.has("/tables/restarts/job") && result.rows("/tables/restarts/job") > 0)
    result.fail("is of a job that was restarted, and lightrail explain knows steps that were done once");
  Explanation all;
  all.file = path;
  all.step = read_step(result);
  read_links(result, all);
  read_collectives(result, all);
  all.path = read_critical_path(result);
  if (result.has("/summary/remarks")) {
    const auto about = result.texts("/summary/remarks/about"), text = result.texts("/summary/remarks/text");
    for (std::size_t i = 0; i < std::min(about.size(), text.size()); ++i)
      all.remarks.push_back({about[i], text[i]});
  }
  return all;
}

std::string to_text(const Explanation& all) {
  std::string text =
      all.file + "\n" + step_text(all.step) + links_text(all) + collectives_text(all) + to_text(all.path);
  text += "\nwhat it rests on\n";
  for (const Remark& remark : all.remarks) text += fmt::format("  {}: {}\n", remark.about, remark.text);
  if (all.remarks.empty()) text += "  nothing that a stage remarked on\n";
  return text;
}

std::string to_json(const Explanation& all) {
  Json json{{"file", all.file}, {"step", step_json(all.step)}};
  json["link_kinds"] = Json::array();
  for (const LinkKindUse& kind : all.kinds)
    json["link_kinds"].push_back({{"name", kind.name},
                                  {"links", kind.links},
                                  {"mean_share", kind.mean_share},
                                  {"max_share", kind.max_share}});
  json["links"] = Json::array();
  for (const LinkUse& link : all.links) json["links"].push_back(link_json(link));
  json["limits"] = Json::array();
  for (const LinkUse& span : all.limits) json["limits"].push_back(link_json(span));
  json["collectives"] = Json::array();
  for (const SlowCollective& c : all.collectives) json["collectives"].push_back(collective_json(c));
  json["critical_path"] = critical_path_json(all.path);
  json["remarks"] = Json::array();
  for (const Remark& r : all.remarks) json["remarks"].push_back({{"about", r.about}, {"text", r.text}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lightrail
