#include "tests/unit/workloads/import/evaluate_job.hpp"

#include <algorithm>
#include <map>

namespace lightrail {

namespace {

struct Runner {
  const Job& job;
  const std::function<std::int64_t(const Op&)>& cost;
  GroupTable groups;
  Times times;
  std::vector<std::size_t> position;
  std::vector<std::vector<std::int64_t>> stream_free;

  const Program& program(std::size_t gpu) const {
    return job.programs.programs[job.programs.program_of_gpu[gpu]];
  }
  std::int64_t ready(std::size_t gpu) const {
    const Program& p = program(gpu);
    const Op& op = p.ops[position[gpu]];
    std::int64_t t = stream_free[gpu][op.stream];
    for (std::uint32_t d = 0; d < op.dependency_count; ++d)
      t = std::max(t, times.end[gpu][p.dependencies[op.first_dependency + d]]);
    return t;
  }
  void finish(std::size_t gpu, std::int64_t start, std::int64_t end) {
    const Op& op = program(gpu).ops[position[gpu]];
    times.start[gpu][position[gpu]] = start;
    times.end[gpu][position[gpu]++] = stream_free[gpu][op.stream] = end;
  }
  bool has_next(std::size_t gpu) const { return position[gpu] < program(gpu).ops.size(); }
};

}  // namespace

Times evaluate(const Job& job, const std::function<std::int64_t(const Op&)>& cost) {
  Runner run{job, cost, {}, {}, std::vector<std::size_t>(job.gpu_count), {}};
  for (const auto& kind : job.groups) run.groups.add(kind, job.gpu_count);
  for (std::uint32_t g = 0; g < job.gpu_count; ++g) {
    run.times.start.emplace_back(run.program(g).ops.size(), -1);
    run.times.end.emplace_back(run.program(g).ops.size(), -1);
    run.stream_free.emplace_back(run.program(g).streams.size(), 0);
  }
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::uint32_t g = 0; g < job.gpu_count; ++g) {
      while (run.has_next(g) && run.program(g).ops[run.position[g]].kind != OpKind::collective) {
        std::int64_t t = run.ready(g);
        run.finish(g, t, t + run.program(g).ops[run.position[g]].duration.count());
        has_changed = true;
      }
      if (!run.has_next(g)) continue;
      const Op op = run.program(g).ops[run.position[g]];
      GroupView view = run.groups.group_of(op.group, EndpointId{g});
      std::int64_t all_ready = 0;
      bool are_all_here = true;
      for (std::uint32_t i = 0; i < view.size && are_all_here; ++i) {
        std::uint32_t m = view.member(i).value;
        are_all_here = run.has_next(m) && run.program(m).ops[run.position[m]].kind == OpKind::collective &&
                       run.program(m).ops[run.position[m]].group == op.group;
        if (are_all_here) all_ready = std::max(all_ready, run.ready(m));
      }
      if (!are_all_here) continue;
      for (std::uint32_t i = 0; i < view.size; ++i)
        run.finish(view.member(i).value, run.ready(view.member(i).value), all_ready + cost(op));
      has_changed = true;
    }
  }
  return run.times;
}

}  // namespace lightrail
