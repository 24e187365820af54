#include "workloads/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "engine/base/error.hpp"
#include "workloads/trace_columns.hpp"

namespace lightrail {

namespace {

constexpr const char* schema = "lightrail-trace";
constexpr std::int64_t schema_version = 1;
using Numbers = std::vector<std::int64_t>;

/// A member of Op as a column: how it is called, how it is read and written, its largest value.
struct OpColumn {
  const char* name;
  const char* unit;
  std::int64_t low, high;
  std::int64_t (*get)(const Op&);
  void (*set)(Op&, std::int64_t);
};

template <class T>
constexpr std::int64_t high_of = static_cast<std::int64_t>(std::numeric_limits<T>::max());

const std::vector<OpColumn>& op_columns() {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  static const std::vector<OpColumn> all = {
      {"kind", "1", 0, static_cast<std::int64_t>(OpKind::marker),
       [](const Op& o) { return std::int64_t(o.kind); },
       [](Op& o, std::int64_t v) { o.kind = static_cast<OpKind>(v); }},
      {"stream", "1", 0, 255, [](const Op& o) { return std::int64_t(o.stream); },
       [](Op& o, std::int64_t v) { o.stream = static_cast<std::uint8_t>(v); }},
      {"collective", "1", 0, static_cast<std::int64_t>(CollectiveType::barrier),
       [](const Op& o) { return std::int64_t(o.collective); },
       [](Op& o, std::int64_t v) { o.collective = static_cast<CollectiveType>(v); }},
      {"algorithm", "1", 0, static_cast<std::int64_t>(Algorithm::hierarchical),
       [](const Op& o) { return std::int64_t(o.algorithm); },
       [](Op& o, std::int64_t v) { o.algorithm = static_cast<Algorithm>(v); }},
      {"protocol", "1", 0, static_cast<std::int64_t>(Protocol::simple),
       [](const Op& o) { return std::int64_t(o.protocol); },
       [](Op& o, std::int64_t v) { o.protocol = static_cast<Protocol>(v); }},
      {"peer_mode", "1", 0, static_cast<std::int64_t>(PeerMode::offset),
       [](const Op& o) { return std::int64_t(o.peer_mode); },
       [](Op& o, std::int64_t v) { o.peer_mode = static_cast<PeerMode>(v); }},
      {"dimension", "1", 0, high_of<std::uint16_t>, [](const Op& o) { return std::int64_t(o.dimension); },
       [](Op& o, std::int64_t v) { o.dimension = static_cast<std::uint16_t>(v); }},
      {"name", "1", 0, high_of<std::uint32_t>, [](const Op& o) { return std::int64_t(o.name); },
       [](Op& o, std::int64_t v) { o.name = static_cast<std::uint32_t>(v); }},
      {"group", "1", 0, high_of<std::uint32_t>, [](const Op& o) { return std::int64_t(o.group.value); },
       [](Op& o, std::int64_t v) { o.group = GroupKindId{static_cast<std::uint32_t>(v)}; }},
      {"size_bytes", "B", 0, largest_operation_bytes, [](const Op& o) { return o.bytes; },
       [](Op& o, std::int64_t v) { o.bytes = v; }},
      {"duration_ps", "ps", 0, most, [](const Op& o) { return std::int64_t(o.duration.count()); },
       [](Op& o, std::int64_t v) { o.duration = picoseconds(v); }},
      {"shape", "1", 0, high_of<std::uint32_t>, [](const Op& o) { return std::int64_t(o.shape); },
       [](Op& o, std::int64_t v) { o.shape = static_cast<std::uint32_t>(v); }},
      {"peer", "1", std::numeric_limits<std::int32_t>::min(), high_of<std::int32_t>,
       [](const Op& o) { return std::int64_t(o.peer); },
       [](Op& o, std::int64_t v) { o.peer = static_cast<std::int32_t>(v); }},
      {"dependencies", "1", 0, high_of<std::uint16_t>,
       [](const Op& o) { return std::int64_t(o.dependency_count); },
       [](Op& o, std::int64_t v) { o.dependency_count = static_cast<std::uint16_t>(v); }},
      {"split", "1", 0, high_of<std::uint16_t>, [](const Op& o) { return std::int64_t(o.split); },
       [](Op& o, std::int64_t v) { o.split = static_cast<std::uint16_t>(v); }},
      {"element_bytes", "B", 1, 64, [](const Op& o) { return std::int64_t(o.element_bytes); },
       [](Op& o, std::int64_t v) { o.element_bytes = static_cast<std::uint32_t>(v); }},
      {"root", "1", 0, high_of<std::uint32_t>, [](const Op& o) { return std::int64_t(o.root); },
       [](Op& o, std::int64_t v) { o.root = static_cast<std::uint32_t>(v); }},
  };
  return all;
}

constexpr std::size_t shape_fields = 12;
std::array<std::int64_t, shape_fields> fields(const KernelShape& s) {
  return {std::int64_t(s.kind),
          std::int64_t(s.dtype),
          s.causal,
          s.backward,
          s.batch,
          s.m,
          s.n,
          s.k,
          s.heads,
          s.kv_heads,
          s.head_dim,
          s.bytes};
}

constexpr std::size_t capture_fields = 3;

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

void write_groups(const Job& job, TraceWriter& out) {
  std::vector<std::string> names;
  Numbers digit_counts, digits, list_counts, list_sizes, members;
  for (const auto& kind : job.groups) {
    names.push_back(kind.name);
    digit_counts.push_back(static_cast<std::int64_t>(kind.digits.size()));
    for (const auto& d : kind.digits) digits.push_back(d.count), digits.push_back(d.stride);
    list_counts.push_back(static_cast<std::int64_t>(kind.listed.size()));
    for (const auto& list : kind.listed) {
      list_sizes.push_back(static_cast<std::int64_t>(list.size()));
      for (EndpointId gpu : list) members.push_back(gpu.value);
    }
  }
  out.group("/groups");
  out.texts("/groups/name", names);
  out.numbers("/groups/digit_count", digit_counts);
  out.numbers("/groups/digits", digits);
  out.numbers("/groups/list_count", list_counts);
  out.numbers("/groups/list_size", list_sizes);
  out.numbers("/groups/members", members);
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

void write_programs(const Job& job, TraceWriter& out) {
  std::vector<std::string> roles, streams;
  Numbers memory, stream_counts, op_counts, dependencies;
  for (const auto& p : job.programs.programs) {
    roles.push_back(p.role);
    memory.push_back(p.memory_bytes);
    stream_counts.push_back(static_cast<std::int64_t>(p.streams.size()));
    streams.insert(streams.end(), p.streams.begin(), p.streams.end());
    op_counts.push_back(static_cast<std::int64_t>(p.ops.size()));
    for (const Op& op : p.ops)
      for (std::uint32_t d = 0; d < op.dependency_count; ++d)
        dependencies.push_back(p.dependencies[op.first_dependency + d]);
  }
  out.group("/programs");
  out.texts("/programs/role", roles);
  out.numbers("/programs/memory_bytes", memory, "B");
  out.numbers("/programs/streams", stream_counts);
  out.numbers("/programs/ops", op_counts);
  out.texts("/streams", streams);
  out.numbers("/dependencies", dependencies);
  out.group("/ops");
  for (const auto& column : op_columns()) {
    Numbers values;
    for (const auto& p : job.programs.programs)
      for (const Op& op : p.ops) values.push_back(column.get(op));
    out.numbers(std::string("/ops/") + column.name, values, column.unit);
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
  bool has_group = op.kind == OpKind::collective || op.kind == OpKind::send || op.kind == OpKind::recv;
  if (has_group && op.group.value >= job.groups.size())
    fail(fmt::format("group {} of {}", op.group.value, job.groups.size()));
  if (op.kind == OpKind::collective && op.collective == CollectiveType::none)
    fail("a collective without a type");
  if (op.kind == OpKind::compute && op.duration.count() == 0 && op.shape >= job.programs.shapes.size())
    fail(fmt::format("shape {} of {}", op.shape, job.programs.shapes.size()));
  if (op.split >= job.programs.splits.size())
    fail(fmt::format("split {} of {}", op.split, job.programs.splits.size()));
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
                std::min<std::int64_t>(255, static_cast<std::int64_t>(streams.size() - stream_at)));
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

void read_shapes(Job& job, const TraceReader& in) {
  auto shapes = in.numbers("/shapes");
  if (shapes.size() % shape_fields != 0) in.fail("/shapes end early");
  for (std::size_t i = 0; i < shapes.size(); i += shape_fields) {
    KernelShape s;
    check_range(in, "/shapes", i, shapes[i], 0, static_cast<std::int64_t>(KernelKind::memory_bound));
    check_range(in, "/shapes", i + 1, shapes[i + 1], 0, static_cast<std::int64_t>(DataType::tf32));
    for (std::size_t f = 2; f < shape_fields; ++f)
      check_range(in, "/shapes", i + f, shapes[i + f], 0, std::int64_t{1} << 50);
    s.kind = static_cast<KernelKind>(shapes[i]);
    s.dtype = static_cast<DataType>(shapes[i + 1]);
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
  std::size_t at = 0;
  for (std::int64_t size : sizes) {
    check_range(in, "/splits/size", job.programs.splits.size() - 1, size, 1, 65'536);
    auto cells = static_cast<std::size_t>(size * size);
    if (cells > shares.size() - at) in.fail("/splits/share ends early");
    SplitMatrix matrix{static_cast<std::uint32_t>(size),
                       {shares.begin() + static_cast<std::ptrdiff_t>(at),
                        shares.begin() + static_cast<std::ptrdiff_t>(at + cells)}};
    at += cells;
    job.programs.splits.push_back(std::move(matrix));
  }
}

}  // namespace

void write_trace(const Job& job, const std::string& path, const std::string& source) {
  TraceWriter out(path);
  out.attribute("schema", schema);
  out.attribute("schema_version", schema_version);
  out.attribute("source", source);
  out.attribute("gpus", std::int64_t{job.gpu_count});
  out.attribute("iterations", std::int64_t{job.programs.iterations});
  out.texts("/names", job.names);
  out.texts("/dimensions", job.dimensions);
  write_groups(job, out);
  write_programs(job, out);
  out.numbers("/program_of_gpu",
              Numbers(job.programs.program_of_gpu.begin(), job.programs.program_of_gpu.end()));
  Numbers shapes;
  for (const auto& s : job.programs.shapes)
    for (std::int64_t value : fields(s)) shapes.push_back(value);
  out.numbers("/shapes", shapes);
  Numbers sizes;
  std::vector<double> shares;
  for (std::size_t i = 1; i < job.programs.splits.size(); ++i) {
    sizes.push_back(job.programs.splits[i].size);
    shares.insert(shares.end(), job.programs.splits[i].share.begin(), job.programs.splits[i].share.end());
  }
  out.group("/splits");
  out.numbers("/splits/size", sizes);
  out.reals("/splits/share", shares);
  Numbers ranks;
  for (const auto& r : job.capture.ranks)
    ranks.insert(ranks.end(), {r.span_ps, r.other_kernels_ps, r.collectives_ps});
  out.group("/capture");
  out.numbers("/capture/ranks_ps", ranks, "ps");
  out.attribute("capture_step_ps", job.capture.step_ps);
  out.attribute("capture_collectives", job.capture.collectives);
  out.attribute("capture_fastest_median_ps", job.capture.fastest_median_ps);
  out.attribute("capture_fastest_sum_ps", job.capture.fastest_sum_ps);
  out.close();
}

Job read_trace(const std::string& path) {
  TraceReader in(path);
  if (std::string found = in.text_attribute("schema"); found != schema)
    in.fail(fmt::format("is not a Lightrail trace (@schema is '{}', expected '{}')", found, schema));
  if (std::int64_t version = in.number_attribute("schema_version"); version != schema_version)
    in.fail(fmt::format("has trace format version {} (this build reads {})", version, schema_version));
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
  job.capture.step_ps = in.number_attribute("capture_step_ps");
  job.capture.collectives = in.number_attribute("capture_collectives");
  job.capture.fastest_median_ps = in.number_attribute("capture_fastest_median_ps");
  job.capture.fastest_sum_ps = in.number_attribute("capture_fastest_sum_ps");
  return job;
}

}  // namespace lightrail
