#include "engine/record/summary.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lightrail {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json iteration_json(const IterationSummary& i) {
  return {{"iteration", i.iteration},
          {"gpus", i.gpus},
          {"t_start_ps", i.t_start_ps},
          {"t_end_ps", i.t_end_ps},
          {"step_time_ps", i.step_ps()},
          {"compute_fraction", i.fraction(i.compute_ps)},
          {"exposed_communication_fraction", i.fraction(i.exposed_ps)},
          {"idle_fraction", i.fraction(i.idle_ps)},
          {"gpu_step_min_ps", i.gpu_step_min_ps},
          {"gpu_step_max_ps", i.gpu_step_max_ps},
          {"gpu_compute_min_ps", i.gpu_compute_min_ps},
          {"gpu_compute_max_ps", i.gpu_compute_max_ps}};
}

Json job_json(const JobSummary& j) {
  return {{"gpus", j.gpus},
          {"iterations", j.iterations},
          {"t_start_ps", j.t_start_ps},
          {"t_end_ps", j.t_end_ps},
          {"step_time_ps", j.step_ps},
          {"mean_step_time_ps", j.mean_step_ps},
          {"max_step_time_ps", j.max_step_ps},
          {"size_bytes", j.size_bytes}};
}

/// With the job it is of, where there are several.
Json with_job(Json json, const std::string& job) {
  if (!job.empty()) json["job"] = job;
  return json;
}

Json exposed_json(const ExposedSummary& e) {
  return {{"iteration", e.iteration},
          {"use", e.use},
          {"dimension", e.dimension},
          {"group", e.group},
          {"time_ps", e.time_ps}};
}

Json collective_json(const CollectiveSummary& c) {
  return {{"collective", c.collective},
          {"group", c.group},
          {"group_size", c.group_size},
          {"size_bytes", c.size_bytes},
          {"count", c.count},
          {"median_ps", c.median_ps},
          {"min_ps", c.min_ps},
          {"max_ps", c.max_ps},
          {"algbw_bytes_per_s", c.algbw_bytes_per_s},
          {"busbw_bytes_per_s", c.busbw_bytes_per_s}};
}

Json serving_json(const ServingSummary& s) {
  Json json{{"requests", s.requests},
            {"prompt_tokens", s.prompt_tokens},
            {"output_tokens", s.output_tokens},
            {"kv_bytes", s.kv_bytes},
            {"span_ps", s.span_ps},
            {"requests_per_s", s.per_second(s.requests)},
            {"output_tokens_per_s", s.per_second(s.output_tokens)},
            {"tokens_per_s", s.per_second(s.output_tokens + s.prompt_tokens)}};
  for (const auto& [name, l] : s.latencies())
    json[name] = {{"count", l->count},   {"mean_ps", l->mean_ps}, {"p50_ps", l->p50_ps},
                  {"p90_ps", l->p90_ps}, {"p99_ps", l->p99_ps},   {"max_ps", l->max_ps}};
  return json;
}

Json forecast_json(const ForecastRow& f) {
  return {{"ranks", f.ranks},       {"windows", f.windows},     {"sent_events", f.sent_events},
          {"work_s", f.work_s},     {"longest_s", f.longest_s}, {"sync_s", f.sync_s},
          {"balance", f.balance()}, {"speedup", f.speedup()},   {"efficiency", f.efficiency()},
          {"wall_s", f.wall_s()}};
}

Json grain_check_json(const GrainCheck& c) {
  return {{"packets", c.packets},
          {"first_step", c.first_step},
          {"last_step", c.last_step},
          {"step_time_ps", c.step_time_ps},
          {"finer_step_time_ps", c.has_ended() ? Json(c.finer_step_time_ps) : Json()},
          {"error", c.has_ended() ? Json(c.error()) : Json()}};
}

Json storms_json(const StormSummary& s) {
  return {{"storms", s.storms},       {"longest_ps", s.longest_ps},
          {"discarded", s.discarded}, {"discarded_bytes", s.discarded_bytes},
          {"component", s.component}, {"port", s.port},
          {"lane", s.lane},           {"t_start_ps", s.t_start_ps}};
}

Json restart_json(const RestartSummary& r) {
  return {{"restarts", r.restarts},
          {"cause", r.cause},
          {"failed", r.failed},
          {"t_failed_ps", r.t_failed_ps},
          {"detection_ps", r.detection_ps},
          {"waiting_ps", r.waiting_ps},
          {"load_ps", r.load_ps},
          {"warm_up_ps", r.warm_up_ps},
          {"lost_iterations", r.lost_iterations},
          {"effective_ps", r.effective_ps},
          {"time_ps", r.time_ps},
          {"effective", r.effective()}};
}

Json stepped_over_json(const SteppedOverSummary& s, double uncertainty) {
  return {{"measured", s.measured},     {"skipped", s.skipped},
          {"period_ps", s.period_ps},   {"spread", s.spread()},
          {"drift", s.drift()},         {"uncertainty", uncertainty},
          {"is_steady", s.is_steady()}, {"difference_ps", s.difference_ps}};
}

/// Of all replicas where each one simulated stands for several; null where all are simulated.
Json whole_cluster_json(const Summary& s) {
  if (s.fold == 1) return {};
  const auto value = [](const std::optional<double>& of) { return of ? Json(*of) : Json(); };
  const auto times = [&](const std::optional<double>& of) {
    return s.part_gpus > 0 ? Json() : value(s.times_fold(of));
  };
  Json whole{{"fold", s.fold},
             {"energy_j", times(s.energy_j)},
             {"energy_per_step_j", times(s.energy_per_step_j())},
             {"network_cost_usd", value(s.whole_cost_usd())},
             {"network_power_w", value(s.whole_power_w())},
             {"bytes_by_dimension", Json::object()}};
  if (const IterationSummary* step = s.last_iteration())
    whole["gpus"] = s.whole_gpus(), whole["simulated"] = step->gpus;
  if (s.part_gpus == 0)
    for (const auto& d : s.dimensions) whole["bytes_by_dimension"][d.name] = d.size_bytes * s.fold;
  if (const auto& estimate = s.whole_cluster) {
    whole["step_time_ps"] = estimate->step_ps, whole["deviation"] = estimate->deviation;
    whole["low_ps"] = estimate->low_ps, whole["high_ps"] = estimate->high_ps;
  }
  if (s.replicas_apart_ps) whole["replicas_apart_ps"] = *s.replicas_apart_ps;
  return whole;
}

}  // namespace

std::string ExposedSummary::label() const {
  if (dimension.empty() && group.empty()) return use;
  std::string text = dimension.empty() ? group : dimension;
  if (!group.empty() && group != text) text += " (" + group + ")";
  return use == "communication" ? text : text + " " + use;
}

std::vector<const IterationSummary*> Summary::last_iterations() const {
  std::vector<const IterationSummary*> last;
  for (const IterationSummary& one : iterations) {
    if (last.empty() || last.back()->job != one.job) last.push_back(nullptr);
    last.back() = &one;
  }
  return last;
}

std::vector<JobSummary> Summary::jobs() const {
  std::vector<JobSummary> all;
  if (!has_jobs()) return all;
  for (const IterationSummary& one : iterations) {
    if (all.empty() || all.back().name != one.job)
      all.push_back({.name = one.job, .gpus = one.gpus, .t_start_ps = one.t_start_ps});
    JobSummary& job = all.back();
    ++job.iterations;
    job.t_end_ps = std::max(job.t_end_ps, one.t_end_ps);
    job.step_ps = one.step_ps();
    job.mean_step_ps += one.step_ps();
    job.max_step_ps = std::max(job.max_step_ps, one.step_ps());
  }
  for (JobSummary& job : all) {
    job.mean_step_ps /= job.iterations;
    for (const DimensionSummary& one : dimensions)
      if (one.name.starts_with(job.name + ".")) job.size_bytes += one.size_bytes;
  }
  return all;
}

std::string to_json(const Summary& s) {
  const IterationSummary* last = s.last_iteration();
  auto of_last = [&](auto value) { return last ? Json(value(*last)) : Json(); };
  Json json;
  json["status"] = s.status;
  json["reason"] = s.reason;
  json["checkpoint"] = s.checkpoint;
  json["hash"] = s.hash;
  json["detail"] = s.detail.empty() ? Json() : Json(s.detail);
  json["fabrics_by_messages"] = s.fabrics_by_messages;
  json["by_formula"] = s.by_formula;
  json["seed"] = s.seed;
  json["events"] = s.events;
  json["sim_end_ps"] = s.sim_end_ps;
  json["wall_s"] = s.wall_s;
  json["build_s"] = s.build_s;
  json["ranks"] = s.ranks;
  json["core_share"] = value_or_null(s.core_share());
  json["peak_rss_bytes"] = s.peak_rss_bytes;
  json["step_time_ps"] = of_last([](auto& i) { return i.step_ps(); });
  json["exposed_communication_fraction"] = of_last([](auto& i) { return i.fraction(i.exposed_ps); });
  json["compute_fraction"] = of_last([](auto& i) { return i.fraction(i.compute_ps); });
  json["idle_fraction"] = of_last([](auto& i) { return i.fraction(i.idle_ps); });
  json["bytes_by_dimension"] = Json::object();
  json["messages_by_dimension"] = Json::object();
  for (const auto& d : s.dimensions) {
    json["bytes_by_dimension"][d.name] = d.size_bytes;
    json["messages_by_dimension"][d.name] = d.messages;
  }
  json["all_reduce_median_ps"] = value_or_null(s.all_reduce_median_ps);
  json["serving"] = s.serving ? serving_json(*s.serving) : Json();
  json["storms"] = s.storms ? storms_json(*s.storms) : Json();
  json["restarts"] = Json::object();
  for (const auto& r : s.restarts) json["restarts"][r.job.empty() ? "job" : r.job] = restart_json(r);
  json["energy_j"] = value_or_null(s.energy_j);
  json["network_cost_usd"] = value_or_null(s.network_cost_usd);
  json["network_power_w"] = value_or_null(s.network_power_w);
  json["network_pj_per_bit"] = value_or_null(s.network_pj_per_bit);
  json["energy_per_step_j"] = value_or_null(s.energy_per_step_j());
  json["steps_per_s_per_musd"] = value_or_null(s.steps_per_s_per_musd());
  json["iterations"] = Json::array();
  for (const auto& i : s.iterations) json["iterations"].push_back(with_job(iteration_json(i), i.job));
  json["jobs"] = Json::object();
  for (const auto& j : s.jobs()) json["jobs"][j.name] = job_json(j);
  json["exposed"] = Json::array();
  for (const auto& e : s.exposed) json["exposed"].push_back(with_job(exposed_json(e), e.job));
  json["collectives"] = Json::array();
  for (const auto& c : s.collectives) json["collectives"].push_back(collective_json(c));
  json["grain_check"] = s.grain_check ? grain_check_json(*s.grain_check) : Json();
  json["stepped_over"] =
      s.stepped_over ? stepped_over_json(*s.stepped_over, s.stepped_over->uncertainty()) : Json();
  json["stepped_iterations"] =
      s.stepped_iterations
          ? stepped_over_json(*s.stepped_iterations, s.stepped_iterations->iterations_uncertainty())
          : Json();
  json["whole_cluster"] = whole_cluster_json(s);
  json["replicas_apart_ps"] =
      s.replicas_apart_ps && s.fold == 1 ? Json(*s.replicas_apart_ps) : Json();  // else of the whole cluster
  json["recalled"] = Json::object();
  for (const auto& r : s.recalled) json["recalled"][r.outcome] = r.collectives;
  json["forecast"] = Json::array();
  for (const auto& f : s.forecast) json["forecast"].push_back(forecast_json(f));
  json["remarks"] = Json::array();
  for (const Remark& r : s.remarks) json["remarks"].push_back({{"about", r.about}, {"text", r.text}});
  json["waits"] = s.waits;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lightrail
