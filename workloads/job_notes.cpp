#include "workloads/job_notes.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lightrail {

namespace {

/// Who is in which group: of regular kinds three digits (GroupKind::Digit), of listed kinds a row a member.
void add_members(const GroupTable& groups, ModelNotes& notes) {
  std::vector<std::int64_t> counts[3], strides[3], kinds, lists, members;
  for (std::uint32_t k = 0; k < groups.kind_count(); ++k) {
    const GroupKind& kind = groups.kind(GroupKindId{k});
    for (std::size_t d = 0; d < 3; ++d) {
      const bool has_digit = d < kind.digits.size();
      counts[d].push_back(has_digit ? kind.digits[d].count : 1);
      strides[d].push_back(has_digit ? kind.digits[d].stride : 1);
    }
    for (std::size_t list = 0; list < kind.listed.size(); ++list)
      for (const EndpointId member : kind.listed[list])
        kinds.push_back(k), lists.push_back(static_cast<std::int64_t>(list)), members.push_back(member.value);
  }
  notes.folders.push_back(
      {"group_digits",
       "row i is group kind i: the group of a GPU g is that of g minus the sum of "
       "(g / stride modulo count) * stride; kinds with rows in group_members are listed there",
       {{"count0", std::move(counts[0])},
        {"stride0", std::move(strides[0])},
        {"count1", std::move(counts[1])},
        {"stride1", std::move(strides[1])},
        {"count2", std::move(counts[2])},
        {"stride2", std::move(strides[2])}}});
  notes.folders.push_back(
      {"group_members",
       "of group kinds whose groups are listed",
       {{"group_kind", std::move(kinds)}, {"list", std::move(lists)}, {"gpu", std::move(members)}}});
}

}  // namespace

ModelNotes notes_of(const GroupTable& groups, const ProgramSet& programs) {
  ModelNotes notes;
  std::vector<std::string> names, roles, streams;
  std::vector<std::int64_t> program_of_stream, place_of_stream, next;
  for (std::uint32_t k = 0; k < groups.kind_count(); ++k) {
    const GroupKind& kind = groups.kind(GroupKindId{k});
    names.push_back(kind.name);
    notes.groups.push_back({kind.name, kind.size() * kind.stands_for});
  }
  for (std::size_t p = 0; p < programs.programs.size(); ++p) {
    const Program& program = programs.programs[p];
    roles.push_back(program.role);
    next.push_back(program.next == itself ? static_cast<std::int64_t>(p) : program.next);
    for (std::size_t s = 0; s < program.streams.size(); ++s) {
      program_of_stream.push_back(static_cast<std::int64_t>(p));
      place_of_stream.push_back(static_cast<std::int64_t>(s));
      streams.push_back(program.streams[s]);
    }
  }
  const auto& of_gpu = programs.program_of_gpu;
  notes.folders = {
      {"group_kinds", "row i is group kind i, what the column group refers to", {{"name", std::move(names)}}},
      {"programs",
       "role, next (what its GPUs execute after it): by program; program_of_gpu: by GPU; streams: one row a "
       "stream",
       {{"role", std::move(roles)},
        {"next", std::move(next)},
        {"program_of_gpu", std::vector<std::int64_t>(of_gpu.begin(), of_gpu.end())}}},
      {"programs/streams",
       "",
       {{"program", std::move(program_of_stream)},
        {"stream", std::move(place_of_stream)},
        {"name", std::move(streams)}}}};
  add_members(groups, notes);
  return notes;
}

void add_jobs(const std::vector<PlacedJob>& placed, const ProgramSet& programs, ModelNotes& notes) {
  std::vector<std::int64_t> start, iterations, jobs, gpus;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    notes.jobs.push_back(placed[i].name);
    start.push_back(placed[i].start.count());
    iterations.push_back(programs.jobs[i].iterations);
    for (const std::uint32_t gpu : placed[i].gpus)
      jobs.push_back(static_cast<std::int64_t>(i)), gpus.push_back(gpu);
  }
  for (const std::uint32_t program : programs.program_of_gpu)
    notes.job_of_gpu.push_back(programs.programs[program].job);
  notes.folders.push_back(
      {"jobs",
       "that run side by side: a row a job",
       {{"name", notes.jobs}, {"t_start_ps", std::move(start)}, {"iterations", std::move(iterations)}}});
  notes.folders.push_back({"jobs/gpus",
                           "who has which GPU: a job's GPUs stand in its own order",
                           {{"job", std::move(jobs)}, {"gpu", std::move(gpus)}}});
}

}  // namespace lightrail
