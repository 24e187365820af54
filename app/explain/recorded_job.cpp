#include "app/explain/recorded_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace lightrail {
namespace {

constexpr auto last_kind = static_cast<std::int64_t>(OpKind::marker);
constexpr auto last_collective = static_cast<std::int64_t>(CollectiveType::barrier);
constexpr std::size_t most_runs = std::numeric_limits<std::uint32_t>::max() / 2;
/// Operations for one that has a row: others were passed over. More is damage.
constexpr std::size_t most_passed_over = 16;

/// What every program executes.
void read_programs(const ResultReader& result, RecordedJob& job) {
  const std::string path = "/model/programs/ops/";
  const auto column = [&](const char* name) { return result.numbers(path + name); };
  const auto program = column("program"), kind = column("kind"), collective = column("collective"),
             stream = column("stream"), name = column("name"), dimension = column("dimension"),
             group = column("group"), peer = column("peer"), is_offset = column("peer_is_offset"),
             root = column("root"), is_bare = column("is_bare"), count = column("dependencies"),
             on = result.numbers("/model/programs/dependencies/on");
  result.check_lengths("/model/programs/ops", {program.size(), kind.size(), collective.size(), stream.size(),
                                               name.size(), dimension.size(), group.size(), peer.size(),
                                               is_offset.size(), root.size(), is_bare.size(), count.size()});
  const auto damaged = [&](std::size_t row) {
    result.fail(fmt::format("has a row {} of /model/programs/ops that cannot be", row));
  };
  std::map<std::int64_t, std::uint32_t> on_stream, in_group;  // of this program: the last one's place
  std::size_t first = 0;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const auto p = static_cast<std::size_t>(program[i]);
    if (program[i] < 0 || p >= job.programs.size() || (i > 0 && program[i] < program[i - 1]) || kind[i] < 0 ||
        kind[i] > last_kind || collective[i] < 0 || collective[i] > last_collective || count[i] < 0 ||
        static_cast<std::size_t>(count[i]) > on.size() - first)
      damaged(i);
    if (i == 0 || program[i] != program[i - 1]) on_stream.clear(), in_group.clear();
    std::vector<RecordedJob::Step>& steps = job.programs[p];
    const auto place = static_cast<std::uint32_t>(steps.size());
    RecordedJob::Step step;
    step.kind = static_cast<OpKind>(kind[i]);
    step.collective = static_cast<CollectiveType>(collective[i]);
    step.peer_is_offset = is_offset[i] != 0, step.is_bare = is_bare[i] != 0;
    step.name = name[i], step.dimension = dimension[i], step.group = group[i];
    step.peer = peer[i], step.root = root[i];
    step.first_dependency = static_cast<std::uint32_t>(first);
    step.dependencies = static_cast<std::uint32_t>(count[i]);
    for (std::size_t d = 0; d < step.dependencies; ++d)
      if (on[first + d] < 0 || on[first + d] >= place) damaged(i);
    first += step.dependencies;
    if (const auto found = on_stream.find(stream[i]); found != on_stream.end())
      step.before_on_stream = found->second;
    on_stream[stream[i]] = place;
    if (step.kind == OpKind::collective) {
      if (const auto found = in_group.find(step.group); found != in_group.end()) {
        step.before_in_group = found->second;
        step.place_in_group = steps[found->second].place_in_group + 1;
      }
      in_group[step.group] = place;
    }
    steps.push_back(step);
  }
  job.dependencies.assign(on.begin(), on.end());
}

/// An operation that an iteration passes over, as the first one does with checkpoints to memory, has no row:
/// it ends as it begins, when what is before it has ended. False: not all GPUs with that program lack it.
bool add_passed_over(RecordedJob& job) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> first_instance;  // by program and iteration
  for (std::size_t i = 0; i < job.instances.size(); ++i) {
    const RecordedJob::Instance& instance = job.instances[i];
    const std::vector<RecordedJob::Step>& steps = job.programs[instance.program];
    const RecordedJob::Instance& alike =
        job.instances[first_instance.emplace(std::pair(instance.program, instance.iteration), i)
                          .first->second];
    for (std::uint32_t op = 0; op < steps.size(); ++op) {
      RecordedJob::Run& run = job.runs[instance.first + op];
      const bool is_added = run.start_ps < 0;
      if (is_added) {
        const auto after = [&](std::uint32_t before) {
          run.end_ps = std::max(run.end_ps, job.runs[instance.first + before].end_ps);
        };
        run = {0, std::max<std::int64_t>(instance.begin_ps, 0), static_cast<std::uint32_t>(i), op, true};
        if (steps[op].before_on_stream != RecordedJob::none) after(steps[op].before_on_stream);
        for (std::uint32_t d = 0; d < steps[op].dependencies; ++d)
          after(job.dependencies[steps[op].first_dependency + d]);
        run.start_ps = run.end_ps;
      }
      if (job.runs[alike.first + op].is_passed_over != is_added) return false;
    }
  }
  return true;
}

}  // namespace

std::string lacks_operations(const ResultReader& result) {
  if (result.has("/tables/stepped_over/gpu") && result.rows("/tables/stepped_over/gpu") > 0)
    return "the run stepped over a part of its steps (step-over), and a path goes through all of a step";
  if (result.has("/model/jobs/name"))
    return "the run has jobs with names, and a path goes through a single job";
  if (result.has("/tables/restarts/job") && result.rows("/tables/restarts/job") > 0)
    return "the job was restarted, and a path goes through steps that were done once";
  if (!result.has("/tables/steps/gpu") || result.rows("/tables/steps/gpu") == 0)
    return "no step was recorded";
  if (!result.has("/tables/ops") || !result.has("/model/programs/program_of_gpu"))
    return R"(it needs the table ops of all GPUs, and none was recorded: <table name="ops" gpus="all"/>)";
  if (result.has("/model/programs/ops/program")) return "";
  const auto recorded = result.numbers("/tables/ops/gpu");
  return fmt::format(
      R"(it needs the table ops of all GPUs, and {} of {} were recorded: <table name="ops" gpus="all"/>)",
      std::set<std::int64_t>(recorded.begin(), recorded.end()).size(),
      result.numbers("/model/programs/program_of_gpu").size());
}

RecordedJob read_job(const ResultReader& result) {
  RecordedJob job;
  const auto next = result.numbers("/model/programs/next"),
             program_of_gpu = result.numbers("/model/programs/program_of_gpu");
  job.programs.resize(next.size());
  read_programs(result, job);
  const auto check_program = [&](std::int64_t program) {
    if (program < 0 || static_cast<std::size_t>(program) >= next.size())
      result.fail("has a GPU with a program that does not exist");
    return static_cast<std::uint32_t>(program);
  };
  const auto gpu = result.numbers("/tables/ops/gpu"), op = result.numbers("/tables/ops/op"),
             iteration = result.numbers("/tables/ops/iteration"),
             start = result.numbers("/tables/ops/t_start_ps"), end = result.numbers("/tables/ops/t_end_ps");
  result.check_lengths("/tables/ops", {gpu.size(), op.size(), iteration.size(), start.size(), end.size()});
  if (gpu.size() > most_runs) result.fail("has too many rows in its table ops for a critical path");
  std::vector<std::uint32_t> place_of_gpu(program_of_gpu.size(), RecordedJob::none),
      program(program_of_gpu.size());
  for (std::size_t g = 0; g < program_of_gpu.size(); ++g) {
    program[g] = check_program(program_of_gpu[g]);
    if (!job.programs[program[g]].empty()) place_of_gpu[g] = job.gpus++;
  }
  const std::int64_t last = gpu.empty() ? -1 : *std::max_element(iteration.begin(), iteration.end());
  if (last < -1 || last >= static_cast<std::int64_t>(most_runs)) result.fail("has an impossible iteration");
  job.iterations = static_cast<std::uint32_t>(last + 1);
  std::size_t rows = 0;
  for (std::uint32_t i = 0; i < job.iterations; ++i)
    for (std::size_t g = 0; g < program.size(); ++g) {
      if (place_of_gpu[g] == RecordedJob::none) continue;
      job.instances.push_back({static_cast<std::uint32_t>(g), i, program[g], rows});
      rows += job.programs[program[g]].size();
      program[g] = check_program(next[program[g]]);
      if (rows > most_passed_over * gpu.size())
        result.fail("has rows in its table ops that do not fit its programs");
    }
  job.runs.resize(rows);
  for (std::size_t i = 0; i < gpu.size(); ++i) {
    const auto g = static_cast<std::size_t>(gpu[i]);
    const bool is_known =
        gpu[i] >= 0 && g < place_of_gpu.size() && place_of_gpu[g] != RecordedJob::none && iteration[i] >= 0;
    const std::size_t at = is_known ? static_cast<std::size_t>(iteration[i]) * job.gpus + place_of_gpu[g] : 0;
    if (!is_known || at >= job.instances.size() || op[i] < 0 ||
        static_cast<std::size_t>(op[i]) >= job.programs[job.instances[at].program].size() || start[i] < 0 ||
        end[i] < start[i])
      result.fail("has rows in its table ops that do not fit its programs");
    RecordedJob::Run& run = job.runs[job.instances[at].first + static_cast<std::size_t>(op[i])];
    run = {start[i], end[i], static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(op[i]), false};
    RecordedJob::Instance& instance = job.instances[at];
    if (instance.begin_ps < 0 || start[i] < instance.begin_ps) instance.begin_ps = start[i];
  }
  if (!add_passed_over(job)) result.fail("has rows in its table ops that do not fit its programs");
  return job;
}

}  // namespace lightrail
