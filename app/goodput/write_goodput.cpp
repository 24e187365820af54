#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "app/goodput/goodput_report.hpp"

namespace lightrail {
namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const Spread& spread) {
  return {{"mean", spread.mean}, {"p5", spread.p5}, {"p50", spread.p50}, {"p95", spread.p95}};
}

Json closed_json(const ClosedFormResult& closed) {
  return {{"rsc", closed.rsc},
          {"renewal", closed.renewal},
          {"young_s", std::isfinite(closed.young_s) ? Json(closed.young_s) : Json()},
          {"best_every_s", closed.best_every_s},
          {"best_effective", closed.best_effective}};
}

/// Columns of one folder of /summary/goodput.
class Folder {
 public:
  Folder(ResultFile& file, const std::string& name, std::size_t rows)
      : file_(file), path_("/summary/goodput/" + name), rows_(rows) {
    file_.create_group(path_);
  }
  template <class At>
  void numbers(const std::string& name, const char* unit, At&& at) {
    file_.write_numbers(path_ + "/" + name, unit, rows_,
                        [&](std::size_t i) { return static_cast<std::int64_t>(at(i)); });
  }
  template <class At>
  void reals(const std::string& name, At&& at) {
    file_.write_reals(path_ + "/" + name, "1", rows_, [&](std::size_t i) -> double { return at(i); });
  }
  template <class At>
  void texts(const std::string& name, At&& at) {
    file_.write_texts(path_ + "/" + name, rows_, [&](std::size_t i) -> std::string { return at(i); });
  }
  /// Columns mean, p5, p50, p95.
  template <class At>
  void spreads(At&& at) {
    reals("mean", [&](std::size_t i) { return at(i).mean; });
    reals("p5", [&](std::size_t i) { return at(i).p5; });
    reals("p50", [&](std::size_t i) { return at(i).p50; });
    reals("p95", [&](std::size_t i) { return at(i).p95; });
  }

 private:
  ResultFile& file_;
  std::string path_;
  std::size_t rows_;
};

void write_runs(ResultFile& file, const GoodputResult& result) {
  const auto& samples = result.samples;
  Folder runs(file, "runs", samples.size());
  runs.numbers("failures", "1", [&](std::size_t i) {
    std::int64_t all = 0;
    for (const std::uint32_t count : samples[i].failures) all += count;
    return all;
  });
  for (std::size_t use = 0; use < goodput_uses; ++use)
    runs.numbers(std::string(goodput_use_names()[use]) + "_ps", "ps",
                 [&](std::size_t i) { return samples[i].time[use].count(); });
  runs.numbers("attempted_steps", "1", [&](std::size_t i) { return samples[i].attempted_steps; });
  runs.numbers("committed_steps", "1", [&](std::size_t i) { return samples[i].committed_steps; });
}

void write_closed(ResultFile& file, const ClosedFormResult& closed) {
  const std::string at = "/summary/goodput";
  file.set_attribute(at, "closed_rsc", closed.rsc);
  file.set_attribute(at, "closed_renewal", closed.renewal);
  file.set_attribute(at, "closed_best_every_s", closed.best_every_s);
  file.set_attribute(at, "closed_best_effective", closed.best_effective);
  file.set_attribute(at, "young_s", closed.young_s);
}

}  // namespace

Json goodput_json(const GoodputResult& result) {
  const GoodputPlan& plan = result.plan;
  Json json{{"gpus", plan.gpus},
            {"step_ps", plan.step.count()},
            {"period_ps", plan.period.count()},
            {"runs", plan.runs},
            {"effective", result.share(GoodputUse::effective).mean},
            {"failures", spread_json(result.failures)},
            {"failures_per_day", plan.failures_per_day()},
            {"restart_s", plan.mean_restart_s()},
            {"committed_share", plan.replicas ? Json(result.committed_share) : Json()}};
  const auto of_checkpoint = [&](SimTime time) { return plan.checkpoint ? Json(time.count()) : Json(); };
  const JobCheckpoint checkpoint = plan.checkpoint.value_or(JobCheckpoint{});
  json["every_ps"] = of_checkpoint(plan.whole_steps(checkpoint.every));
  json["blocking_ps"] = of_checkpoint(checkpoint.blocking);
  json["write_ps"] = of_checkpoint(checkpoint.write);
  json["lost_groups"] = plan.memory ? Json(result.lost_groups) : Json();
  for (std::size_t use = 0; use < goodput_uses; ++use)
    json["shares"][goodput_use_names()[use]] = spread_json(result.shares[use]);
  json["categories"] = Json::object();
  for (std::size_t c = 0; c < plan.categories.size(); ++c)
    json["categories"][plan.categories[c].name] = result.failures_by_category[c];
  json["closed"] = result.closed ? closed_json(*result.closed) : Json();
  json["best_every_ps"] = result.best ? Json(result.intervals[*result.best].every.count()) : Json();
  json["best_effective"] = result.best ? Json(result.intervals[*result.best].effective.mean) : Json();
  json["intervals"] = Json::array();
  for (const IntervalResult& interval : result.intervals)
    json["intervals"].push_back({{"every_ps", interval.every.count()},
                                 {"effective", spread_json(interval.effective)},
                                 {"closed_form", interval.closed_form}});
  return json;
}

void write_goodput(ResultFile& file, const GoodputResult& result) {
  const GoodputPlan& plan = result.plan;
  const std::string at = "/summary/goodput";
  file.create_group(at);
  file.set_attribute(
      at, "doc",
      "weeks of the job, played with drawn failures: runs (a row a run, times by use), causes "
      "(shares of the period over runs), categories of failures (a run has so many), intervals "
      "(effective share with other checkpoint intervals, and its exact form)");
  file.set_attribute(at, "gpus", std::int64_t{plan.gpus});
  file.set_attribute(at, "step_ps", std::int64_t{plan.step.count()});
  file.set_attribute(at, "period_ps", std::int64_t{plan.period.count()});
  file.set_attribute(at, "effective", result.share(GoodputUse::effective).mean);
  file.set_attribute(at, "restart_s", plan.mean_restart_s());
  if (plan.replicas) file.set_attribute(at, "committed_share", result.committed_share);
  if (plan.checkpoint) {
    file.set_attribute(at, "every_ps", std::int64_t{plan.whole_steps(plan.checkpoint->every).count()});
    file.set_attribute(at, "blocking_ps", std::int64_t{plan.checkpoint->blocking.count()});
    file.set_attribute(at, "write_ps", std::int64_t{plan.checkpoint->write.count()});
  }
  if (plan.memory) file.set_attribute(at, "lost_groups", result.lost_groups);
  if (result.closed) write_closed(file, *result.closed);
  if (result.best)
    file.set_attribute(at, "best_every_ps", std::int64_t{result.intervals[*result.best].every.count()});
  write_runs(file, result);
  Folder causes(file, "causes", goodput_uses);
  causes.texts("use", [](std::size_t i) { return goodput_use_names()[i]; });
  causes.spreads([&](std::size_t i) -> const Spread& { return result.shares[i]; });
  Folder categories(file, "categories", plan.categories.size());
  categories.texts("name", [&](std::size_t i) { return plan.categories[i].name; });
  categories.reals("failures", [&](std::size_t i) { return result.failures_by_category[i]; });
  Folder intervals(file, "intervals", result.intervals.size());
  intervals.numbers("every_ps", "ps", [&](std::size_t i) { return result.intervals[i].every.count(); });
  intervals.spreads([&](std::size_t i) -> const Spread& { return result.intervals[i].effective; });
  intervals.reals("closed_form", [&](std::size_t i) { return result.intervals[i].closed_form; });
}

}  // namespace lightrail
