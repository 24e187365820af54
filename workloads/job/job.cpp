#include "workloads/job/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/hash.hpp"

namespace lightrail {

namespace {

auto key(const KernelShape& s) {
  return std::make_tuple(s.kind, s.dtype, s.scaling, s.causal, s.backward, s.batch, s.m, s.n, s.k, s.heads,
                         s.kv_heads, s.head_dim, s.bytes);
}

constexpr std::uint32_t unassigned = 0xffffffff;

}  // namespace

JobBuilder::JobBuilder(std::uint32_t gpu_count) {
  job_.gpu_count = gpu_count;
  job_.programs.program_of_gpu.assign(gpu_count, unassigned);
  job_.programs.splits.emplace_back();
  name("");
}

std::uint32_t JobBuilder::name(const std::string& text) {
  auto [it, is_new] = names_.try_emplace(text, static_cast<std::uint32_t>(job_.names.size()));
  if (is_new) job_.names.push_back(text);
  return it->second;
}

std::uint16_t JobBuilder::dimension(const std::string& text) {
  auto& all = job_.dimensions;
  auto it = std::find(all.begin(), all.end(), text);
  if (it == all.end()) {
    if (all.size() == no_dimension)
      throw InputErrors(InputError{"", 0, fmt::format("more than {} dimensions of traffic", no_dimension)});
    it = all.insert(all.end(), text);
  }
  return static_cast<std::uint16_t>(it - all.begin());
}

std::uint32_t JobBuilder::shape(const KernelShape& shape) {
  auto& all = job_.programs.shapes;
  auto it = std::find_if(all.begin(), all.end(), [&](const KernelShape& s) { return key(s) == key(shape); });
  if (it == all.end()) it = all.insert(all.end(), shape);
  return static_cast<std::uint32_t>(it - all.begin());
}

std::uint16_t JobBuilder::split(SplitMatrix matrix) {
  auto& all = job_.programs.splits;
  const std::uint64_t hash = matrix.bytes.empty() ? checksum(std::as_bytes(std::span(matrix.share)))
                                                  : checksum(std::as_bytes(std::span(matrix.bytes)));
  for (auto [it, end] = splits_.equal_range(hash); it != end; ++it)
    if (all[it->second].size == matrix.size && all[it->second].share == matrix.share &&
        all[it->second].bytes == matrix.bytes)
      return it->second;
  if (all.size() > 0xffff)
    throw InputErrors(
        InputError{"", 0, "more than 65535 different loads of experts (layers, micro-batches)"});
  splits_.emplace(hash, static_cast<std::uint16_t>(all.size()));
  all.push_back(std::move(matrix));
  return static_cast<std::uint16_t>(all.size() - 1);
}

void JobBuilder::note(const std::string& text) {
  if (std::find(job_.notes.begin(), job_.notes.end(), text) == job_.notes.end()) job_.notes.push_back(text);
}

std::uint16_t JobBuilder::host_work(const HostWork& work) {
  if (work == HostWork{}) return 0;
  auto& all = job_.programs.host_work;
  if (all.empty()) all.emplace_back();
  auto it = std::find(all.begin(), all.end(), work);
  if (it == all.end()) it = all.insert(all.end(), work);
  if (all.size() > 0x10000)
    throw InputErrors(InputError{"", 0, "more than 65535 different kinds of work of a CPU"});
  return static_cast<std::uint16_t>(it - all.begin());
}

GroupKindId JobBuilder::group(GroupKind kind) {
  job_.groups.push_back(std::move(kind));
  return GroupKindId{static_cast<std::uint32_t>(job_.groups.size() - 1)};
}

GroupKindId JobBuilder::find_group(const std::string& group_name) const {
  for (std::size_t i = 0; i < job_.groups.size(); ++i)
    if (job_.groups[i].name == group_name) return GroupKindId{static_cast<std::uint32_t>(i)};
  return {};
}

std::uint32_t JobBuilder::program(Program program) {
  job_.programs.programs.push_back(std::move(program));
  return static_cast<std::uint32_t>(job_.programs.programs.size() - 1);
}

void JobBuilder::assign(std::uint32_t gpu, std::uint32_t program_index) {
  LIGHTRAIL_EXPECT(gpu < job_.gpu_count);
  job_.programs.program_of_gpu[gpu] = program_index;
}

Job JobBuilder::take() {
  auto& of_gpu = job_.programs.program_of_gpu;
  if (std::find(of_gpu.begin(), of_gpu.end(), unassigned) != of_gpu.end()) {
    Program idle;
    idle.role = "idle";
    idle.streams = {"compute"};
    std::uint32_t index = program(std::move(idle));
    std::replace(of_gpu.begin(), of_gpu.end(), unassigned, index);
  }
  return std::move(job_);
}

std::uint16_t stream_of(Program& program, const std::string& name) {
  auto it = std::find(program.streams.begin(), program.streams.end(), name);
  if (it == program.streams.end()) it = program.streams.insert(it, name);
  if (program.streams.size() > 255)
    throw InputErrors(InputError{"", 0, "program '" + program.role + "' has more than 255 streams"});
  return static_cast<std::uint16_t>(it - program.streams.begin());
}

Op make_op(OpKind kind, Program& program, const std::string& stream, JobBuilder& job,
           const std::string& name) {
  Op made;
  made.kind = kind;
  made.stream = stream_of(program, stream);
  made.name = job.name(name);
  made.dimension = no_dimension;
  return made;
}

std::uint32_t append(Program& program, Op op, std::span<const std::uint32_t> dependencies) {
  LIGHTRAIL_EXPECT(dependencies.size() <= 0xffff);
  op.first_dependency = static_cast<std::uint32_t>(program.dependencies.size());
  op.dependency_count = static_cast<std::uint16_t>(dependencies.size());
  program.dependencies.insert(program.dependencies.end(), dependencies.begin(), dependencies.end());
  program.ops.push_back(op);
  return static_cast<std::uint32_t>(program.ops.size() - 1);
}

}  // namespace lightrail
