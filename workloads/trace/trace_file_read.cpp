#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/trace/trace_columns.hpp"
#include "workloads/trace/trace_file.hpp"
#include "workloads/trace/trace_layout.hpp"

namespace lightrail {

namespace {

using Numbers = std::vector<std::int64_t>;

/// Splits `flat` into parts of the given lengths; fails when they do not add up.
std::vector<Numbers> parts(const Numbers& flat, const Numbers& lengths, const TraceReader& in,
                           const char* what) {
  std::vector<Numbers> out;
  std::size_t at = 0;
  for (std::int64_t length : lengths) {
    if (length < 0 || static_cast<std::size_t>(length) > flat.size() - at)
      in.fail(fmt::format("{} end early", what));
    out.emplace_back(flat.begin() + static_cast<std::ptrdiff_t>(at),
                     flat.begin() + static_cast<std::ptrdiff_t>(at) + length);
    at += static_cast<std::size_t>(length);
  }
  if (at != flat.size()) in.fail(fmt::format("{} have {} entries too many", what, flat.size() - at));
  return out;
}

void check_range(const TraceReader& in, const char* what, std::size_t row, std::int64_t value,
                 std::int64_t low, std::int64_t high) {
  if (value < low || value > high)
    in.fail(fmt::format("{} row {}: {} is out of range ({} ... {})", what, row, value, low, high));
}

void read_groups(Job& job, const TraceReader& in) {
  auto names = in.texts("/groups/name");
  auto digit_counts = in.numbers("/groups/digit_count"), list_counts = in.numbers("/groups/list_count");
  if (digit_counts.size() != names.size() || list_counts.size() != names.size())
    in.fail("/groups columns differ in length");
  Numbers twice = digit_counts;
  for (auto& n : twice) n = n >= 0 && n <= 3 ? 2 * n : -1;
  auto digits = parts(in.numbers("/groups/digits"), twice, in, "digits of groups");
  auto sizes = parts(in.numbers("/groups/list_size"), list_counts, in, "lists of groups");
  Numbers all_sizes;
  for (auto& s : sizes) all_sizes.insert(all_sizes.end(), s.begin(), s.end());
  auto members = parts(in.numbers("/groups/members"), all_sizes, in, "members of groups");
  std::size_t list = 0;
  GroupTable probe;
  for (std::size_t k = 0; k < names.size(); ++k) {
    GroupKind kind;
    kind.name = names[k];
    for (std::size_t d = 0; d < digits[k].size(); d += 2) {
      check_range(in, "/groups/digits", d, digits[k][d], 1, 1 << 20);
      check_range(in, "/groups/digits", d + 1, digits[k][d + 1], 1, 1 << 20);
      kind.digits.push_back(
          {static_cast<std::uint32_t>(digits[k][d]), static_cast<std::uint32_t>(digits[k][d + 1])});
    }
    for (std::size_t l = 0; l < sizes[k].size(); ++l, ++list) {
      auto& gpus = kind.listed.emplace_back();
      for (std::int64_t gpu : members[list]) {
        check_range(in, "/groups/members", list, gpu, 0, static_cast<std::int64_t>(job.gpu_count) - 1);
        gpus.emplace_back(static_cast<std::uint32_t>(gpu));
      }
    }
    try {
      probe.add(kind, job.gpu_count);
    } catch (const InputErrors& problem) {
      in.fail(problem.errors()[0].what);
    }
    job.groups.push_back(std::move(kind));
  }
}

/// Indices of an operation that the columns' ranges cannot check.
void check_op(const TraceReader& in, const Job& job, const Program& program, std::size_t row, const Op& op) {
  auto fail = [&](const std::string& what) {
    in.fail(fmt::format("program '{}' op {}: {}", program.role, row, what));
  };
  if (op.stream >= program.streams.size())
    fail(fmt::format("stream {} of {}", op.stream, program.streams.size()));
  if (op.name >= job.names.size()) fail(fmt::format("name {} of {}", op.name, job.names.size()));
  if (op.dimension != no_dimension && op.dimension >= job.dimensions.size())
    fail(fmt::format("dimension {} of {}", op.dimension, job.dimensions.size()));
  if (op.split >= job.programs.splits.size())
    fail(fmt::format("split {} of {}", op.split, job.programs.splits.size()));
  bool has_group = op.kind == OpKind::collective || op.kind == OpKind::send || op.kind == OpKind::recv ||
                   (op.kind == OpKind::compute && op.split != 0);
  if (has_group && op.group.value >= job.groups.size())
    fail(fmt::format("group {} of {}", op.group.value, job.groups.size()));
  if (op.kind == OpKind::collective && op.collective == CollectiveType::none)
    fail("a collective without a type");
  if (op.kind == OpKind::compute && op.duration.count() == 0 && op.shape >= job.programs.shapes.size())
    fail(fmt::format("shape {} of {}", op.shape, job.programs.shapes.size()));
}

/// A sender gives away what it has: no less than nothing, no more than all.
void check_shares(const TraceReader& in, const SplitMatrix& matrix, std::size_t index) {
  constexpr double rounding = 1e-6;
  for (std::uint32_t row = 0; row < matrix.size; ++row) {
    double sum = 0;
    bool is_share = true;
    for (std::uint32_t to = 0; to < matrix.size; ++to) {
      const double share = matrix.share[std::size_t{row} * matrix.size + to];
      is_share = is_share && share >= -rounding && share <= 1 + rounding;
      sum += share;
    }
    if (!is_share || sum < 1 - rounding || sum > 1 + rounding)
      in.fail(
          fmt::format("/splits/share: row {} of matrix {} is not made of shares that sum to 1", row, index));
  }
}

void read_programs(Job& job, const TraceReader& in) {
  auto roles = in.texts("/programs/role");
  auto memory = in.numbers("/programs/memory_bytes"), stream_counts = in.numbers("/programs/streams"),
       op_counts = in.numbers("/programs/ops");
  if (memory.size() != roles.size() || stream_counts.size() != roles.size() ||
      op_counts.size() != roles.size())
    in.fail("/programs columns differ in length");
  auto streams = in.texts("/streams");
  auto dependencies = in.numbers("/dependencies");
  std::int64_t total = 0;
  std::size_t stream_at = 0, dependency_at = 0, op_at = 0;
  for (std::int64_t n : op_counts) {
    check_range(in, "/programs/ops", 0, n, 0, std::int64_t{1} << 32);
    total += n;
  }
  // A damaged count must not become memory.
  if (auto rows = in.numbers("/ops/kind").size(); static_cast<std::int64_t>(rows) != total)
    in.fail(fmt::format("/ops has {} rows, but the programs have {} operations", rows, total));
  std::vector<Op> ops(static_cast<std::size_t>(total));
  for (const auto& column : op_columns()) {
    std::string path = std::string("/ops/") + column.name;
    auto values = in.numbers(path);
    if (values.size() != ops.size())
      in.fail(fmt::format("{} has {} rows, but the programs have {} operations", path, values.size(),
                          ops.size()));
    for (std::size_t i = 0; i < ops.size(); ++i) {
      check_range(in, path.c_str(), i, values[i], column.low, column.high);
      column.set(ops[i], values[i]);
    }
  }
  for (std::size_t p = 0; p < roles.size(); ++p) {
    Program program;
    program.role = roles[p];
    program.memory_bytes = memory[p];
    check_range(in, "/programs/memory_bytes", p, memory[p], 0, std::numeric_limits<std::int64_t>::max());
    check_range(in, "/programs/streams", p, stream_counts[p], 0,
                std::min<std::int64_t>(max_streams, static_cast<std::int64_t>(streams.size() - stream_at)));
    for (std::int64_t s = 0; s < stream_counts[p]; ++s) program.streams.push_back(streams[stream_at++]);
    for (std::int64_t i = 0; i < op_counts[p]; ++i) {
      Op op = ops[op_at++];
      std::vector<std::uint32_t> after;
      for (std::uint32_t d = 0; d < op.dependency_count; ++d) {
        if (dependency_at >= dependencies.size()) in.fail("/dependencies end early");
        check_range(in, "/dependencies", dependency_at, dependencies[dependency_at], 0, i - 1);
        after.push_back(static_cast<std::uint32_t>(dependencies[dependency_at++]));
      }
      check_op(in, job, program, static_cast<std::size_t>(i), op);
      append(program, op, after);
    }
    job.programs.programs.push_back(std::move(program));
  }
}

/// Whether a program can follow another is checked with the rest of the job.
void read_next(Job& job, const TraceReader& in) {
  const Numbers next = in.numbers("/programs/next");
  auto& programs = job.programs.programs;
  if (next.size() != programs.size()) in.fail("/programs columns differ in length");
  for (std::size_t p = 0; p < next.size(); ++p) {
    if (next[p] == -1) continue;
    check_range(in, "/programs/next", p, next[p], static_cast<std::int64_t>(p) + 1,
                static_cast<std::int64_t>(programs.size()) - 1);
    programs[p].next = static_cast<std::uint32_t>(next[p]);
  }
}

void read_shapes(Job& job, const TraceReader& in) {
  auto shapes = in.numbers("/shapes");
  if (shapes.size() % shape_fields != 0) in.fail("/shapes end early");
  for (std::size_t i = 0; i < shapes.size(); i += shape_fields) {
    KernelShape s;
    check_range(in, "/shapes", i, shapes[i], 0, static_cast<std::int64_t>(KernelKind::memory_bound));
    const bool is_gemm = static_cast<KernelKind>(shapes[i]) == KernelKind::gemm;
    check_range(in, "/shapes", i + 1, shapes[i + 1], 0,
                is_gemm ? last_data_type_code : code_of(DataType::tf32));
    for (std::size_t f = 2; f < shape_fields; ++f)
      check_range(in, "/shapes", i + f, shapes[i + f], 0, std::int64_t{1} << 50);
    s.kind = static_cast<KernelKind>(shapes[i]);
    s.scaling = shapes[i + 1] == rowwise_fp8_code ? Scaling::rowwise : Scaling::tensorwise;
    s.dtype = s.scaling == Scaling::rowwise ? DataType::fp8 : data_type_of(shapes[i + 1]);
    s.causal = shapes[i + 2] != 0;
    s.backward = shapes[i + 3] != 0;
    s.batch = shapes[i + 4], s.m = shapes[i + 5], s.n = shapes[i + 6], s.k = shapes[i + 7];
    s.heads = shapes[i + 8], s.kv_heads = shapes[i + 9], s.head_dim = shapes[i + 10],
    s.bytes = shapes[i + 11];
    job.programs.shapes.push_back(s);
  }
  job.programs.splits.emplace_back();
  auto sizes = in.numbers("/splits/size");
  auto shares = in.reals("/splits/share");
  std::vector<std::int64_t> is_bytes(sizes.size()), bytes;
  if (in.has("/splits/is_bytes")) {
    is_bytes = in.numbers("/splits/is_bytes");
    bytes = in.numbers("/splits/bytes");
    if (is_bytes.size() != sizes.size())
      in.fail(fmt::format("/splits/is_bytes has {} rows for {} matrices", is_bytes.size(), sizes.size()));
  }
  std::size_t at = 0, byte_at = 0;
  for (std::int64_t size : sizes) {
    check_range(in, "/splits/size", job.programs.splits.size() - 1, size, 1, 65'536);
    auto cells = static_cast<std::size_t>(size * size);
    if (is_bytes[job.programs.splits.size() - 1] != 0) {
      if (cells > bytes.size() - byte_at) in.fail("/splits/bytes ends early");
      const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(byte_at);
      SplitMatrix matrix{
          static_cast<std::uint32_t>(size), {}, {first, first + static_cast<std::ptrdiff_t>(cells)}};
      for (std::size_t i = 0; i < cells; ++i)
        check_range(in, "/splits/bytes", byte_at + i, matrix.bytes[i], 0, largest_operation_bytes);
      byte_at += cells;
      job.programs.splits.push_back(std::move(matrix));
      continue;
    }
    if (cells > shares.size() - at) in.fail("/splits/share ends early");
    SplitMatrix matrix{static_cast<std::uint32_t>(size),
                       {shares.begin() + static_cast<std::ptrdiff_t>(at),
                        shares.begin() + static_cast<std::ptrdiff_t>(at + cells)}};
    check_shares(in, matrix, job.programs.splits.size() - 1);
    at += cells;
    job.programs.splits.push_back(std::move(matrix));
  }
}

/// What files of earlier versions do not have.
void read_capture_details(Capture& capture, const TraceReader& in) {
  constexpr std::size_t kind_fields = 4;
  capture.gpus = in.text_attribute("capture_gpus");
  if (in.has("/capture/exposed_ps")) {
    const auto exposed = in.numbers("/capture/exposed_ps");
    for (std::size_t r = 0; r < std::min(exposed.size(), capture.ranks.size()); ++r)
      capture.ranks[r].exposed_ps = exposed[r];
  }
  if (!in.has("/capture/kinds")) return;
  const auto kinds = in.numbers("/capture/kinds");
  for (std::size_t i = 0; i + kind_fields <= kinds.size(); i += kind_fields) {
    check_range(in, "/capture/kinds", i, kinds[i], 0, static_cast<std::int64_t>(CollectiveType::barrier));
    capture.kinds.push_back(
        {static_cast<CollectiveType>(kinds[i]), kinds[i + 1], kinds[i + 2], kinds[i + 3]});
  }
}

}  // namespace

Job read_trace(const std::string& path) {
  TraceReader in(path);
  if (std::string found = in.text_attribute("schema"); found != trace_schema)
    in.fail(fmt::format("is not a Lightrail trace (@schema is '{}', expected '{}')", found, trace_schema));
  const std::int64_t version = in.number_attribute("schema_version");
  if (version != trace_schema_version && version != trace_schema_version_of_next)
    in.fail(fmt::format("has trace format version {} (this build reads {} and {})", version,
                        trace_schema_version, trace_schema_version_of_next));
  Job job;
  std::int64_t gpus = in.number_attribute("gpus"), iterations = in.number_attribute("iterations");
  check_range(in, "@gpus", 0, gpus, 1, 1 << 20);
  check_range(in, "@iterations", 0, iterations, 1, 1'000'000'000);
  job.gpu_count = static_cast<std::uint32_t>(gpus);
  job.programs.iterations = static_cast<std::uint32_t>(iterations);
  job.names = in.texts("/names");
  job.dimensions = in.texts("/dimensions");
  read_groups(job, in);
  read_shapes(job, in);
  read_programs(job, in);
  if (version == trace_schema_version_of_next) read_next(job, in);
  auto of_gpu = in.numbers("/program_of_gpu");
  if (of_gpu.size() != job.gpu_count)
    in.fail(fmt::format("/program_of_gpu has {} rows for {} GPUs", of_gpu.size(), job.gpu_count));
  for (std::size_t g = 0; g < of_gpu.size(); ++g) {
    check_range(in, "/program_of_gpu", g, of_gpu[g], 0,
                static_cast<std::int64_t>(job.programs.programs.size()) - 1);
    job.programs.program_of_gpu.push_back(static_cast<std::uint32_t>(of_gpu[g]));
  }
  auto ranks = in.numbers("/capture/ranks_ps");
  for (std::size_t i = 0; i + capture_fields <= ranks.size(); i += capture_fields)
    job.capture.ranks.push_back(
        {static_cast<std::uint32_t>(i / capture_fields), ranks[i], ranks[i + 1], ranks[i + 2]});
  read_capture_details(job.capture, in);
  job.capture.step_ps = in.number_attribute("capture_step_ps");
  job.capture.collectives = in.number_attribute("capture_collectives");
  job.capture.fastest_median_ps = in.number_attribute("capture_fastest_median_ps");
  job.capture.fastest_sum_ps = in.number_attribute("capture_fastest_sum_ps");
  if (in.has("/notes")) job.notes = in.texts("/notes");
  return job;
}

}  // namespace lightrail
