#include "workloads/job/join_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/job/transform_job.hpp"

namespace lightrail {
namespace {

void check_count(std::size_t count, std::size_t most, const char* what) {
  if (count > most)
    throw InputErrors(
        InputError{"", 0, fmt::format("the jobs have {} {} together (at most {})", count, what, most)});
}

/// Of the job that is added: from its own indices to those of all.
struct Renumbering {
  std::vector<std::uint32_t> name;
  std::uint32_t first_shape = 0, first_program = 0, first_group = 0;
  std::uint16_t first_dimension = 0, first_split = 0, first_host_work = 0;
};

void renumber(Op& op, const Renumbering& to) {
  op.name = to.name[op.name];
  op.shape += to.first_shape;
  if (op.group.is_valid()) op.group = GroupKindId{op.group.value + to.first_group};
  if (op.dimension != no_dimension)
    op.dimension = static_cast<std::uint16_t>(op.dimension + to.first_dimension);
  // Index 0 of both means none.
  if (op.split != 0) op.split = static_cast<std::uint16_t>(op.split + to.first_split);
  if (op.host_work != 0) op.host_work = static_cast<std::uint16_t>(op.host_work + to.first_host_work);
  if (op.collective == CollectiveType::all_to_all && op.root > expects_split) op.root += to.first_split;
}

/// The tables of one job behind those of the others.
class Joint {
 public:
  explicit Joint(std::uint32_t gpu_count) : builder_(gpu_count) {}

  void add(PlacedJob& placed, std::uint32_t number) {
    const Job& job = placed.job;
    ProgramSet& all = builder_.job().programs;
    const ProgramSet& own = job.programs;
    Renumbering to;
    for (const std::string& name : job.names) to.name.push_back(builder_.name(name));
    to.first_shape = static_cast<std::uint32_t>(all.shapes.size());
    to.first_program = static_cast<std::uint32_t>(all.programs.size());
    to.first_group = static_cast<std::uint32_t>(builder_.job().groups.size());
    to.first_dimension = static_cast<std::uint16_t>(builder_.job().dimensions.size());
    placed.first_program = to.first_program, placed.first_shape = to.first_shape;
    placed.first_dimension = to.first_dimension;
    append_after_first(all.splits, own.splits, to.first_split, "loads of experts");
    append_after_first(all.host_work, own.host_work, to.first_host_work, "kinds of work of a CPU");
    all.shapes.insert(all.shapes.end(), own.shapes.begin(), own.shapes.end());
    for (const std::string& dimension : job.dimensions) builder_.dimension(placed.name + "." + dimension);
    add_groups(placed);
    add_programs(placed, number, to);
    all.jobs.push_back({placed.name, placed.start, own.iterations, own.host, !own.host_work.empty()});
    for (const std::string& note : job.notes) builder_.note(fmt::format("job {}: {}", placed.name, note));
  }

  Job take() {
    const std::size_t programs = builder_.job().programs.programs.size();
    Job job = builder_.take();
    check_count(job.groups.size(), GroupTable::max_kinds, "kinds of groups");
    if (job.programs.programs.size() > programs) job.programs.programs.back().job = no_job;  // idle GPUs
    return job;
  }

 private:
  /// Rows behind those that are there; of the first one, which means none, there is one.
  template <class Row>
  static void append_after_first(std::vector<Row>& all, const std::vector<Row>& own, std::uint16_t& first,
                                 const char* what) {
    if (own.size() < 2) return;
    if (all.empty()) all.push_back(own.front());
    check_count(all.size() + own.size() - 1, 0x10000, what);
    first = static_cast<std::uint16_t>(all.size() - 1);
    all.insert(all.end(), std::next(own.begin()), own.end());
  }

  void add_groups(const PlacedJob& placed) {
    for (const GroupKind& kind : placed.job.groups) {
      GroupKind own = kind;
      own.name = placed.name + "." + kind.name;
      own.digits.clear();
      own.listed = lists_of(kind, placed.job.gpu_count);
      for (auto& list : own.listed)
        for (EndpointId& gpu : list) gpu = EndpointId{placed.gpus[gpu.value]};
      builder_.group(std::move(own));
    }
  }

  void add_programs(PlacedJob& placed, std::uint32_t number, const Renumbering& to) {
    for (Program& program : placed.job.programs.programs) {
      program.role = placed.name + "." + program.role;
      program.job = number;
      if (program.next != itself) program.next += to.first_program;
      for (Op& op : program.ops) renumber(op, to);
      builder_.program(std::move(program));
    }
    for (std::uint32_t rank = 0; rank < placed.gpus.size(); ++rank) {
      std::uint32_t& program = builder_.job().programs.program_of_gpu.at(placed.gpus[rank]);
      if (program < builder_.job().programs.programs.size())
        throw InputErrors(InputError{"", 0, fmt::format("two jobs have gpu {}", placed.gpus[rank])});
      program = placed.job.programs.program_of_gpu[rank] + to.first_program;
    }
  }

  JobBuilder builder_;
};

}  // namespace

Job join_jobs(std::vector<PlacedJob>& jobs, std::uint32_t gpu_count) {
  Joint all(gpu_count);
  for (std::uint32_t number = 0; number < jobs.size(); ++number) {
    LIGHTRAIL_EXPECT(jobs[number].gpus.size() == jobs[number].job.gpu_count);
    all.add(jobs[number], number);
  }
  return all.take();
}

}  // namespace lightrail
