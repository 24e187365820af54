#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/describe.hpp"
#include "workloads/generate/workload_kinds.hpp"
#include "workloads/job/operation_names.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {

namespace {

/// nccl-tests' options: -b, -e, -f, -n, -w.
struct BenchmarkSpec {
  std::string collective = "all-reduce", group = "world";
  Bytes from{8}, to{std::int64_t{1} << 30};
  std::uint32_t factor = 2, repeats = 1, warm_up = 0, element = 4, root = 0;
  Algorithm algorithm = Algorithm::auto_select;
  Protocol protocol = Protocol::auto_select;
};

Describe<BenchmarkSpec> benchmark_table(const AlgorithmNames& algorithms) {
  Describe<BenchmarkSpec> table;
  Bytes most{largest_operation_bytes};
  table.field("collective", &BenchmarkSpec::collective, "one or more collectives: 'all-reduce all-to-all'")
      .field("group", &BenchmarkSpec::group, "group kind that runs it; all its groups run at the same time")
      .field("from", &BenchmarkSpec::from, "smallest size", Bytes{1}, most)
      .field("to", &BenchmarkSpec::to, "largest size", Bytes{1}, most)
      .field("factor", &BenchmarkSpec::factor, "of the next size to the one before", 2u, 1u << 20)
      .field("repeats", &BenchmarkSpec::repeats, "timed runs of each size", 1u, 100'000u)
      .field("warm-up", &BenchmarkSpec::warm_up, "runs of each size before", 0u, 100'000u)
      .field("element", &BenchmarkSpec::element, "bytes of an element", 1u, 16u)
      .field("root", &BenchmarkSpec::root, "index of a broadcast's source")
      .choice("algorithm", &BenchmarkSpec::algorithm, "algorithm", algorithms)
      .choice("protocol", &BenchmarkSpec::protocol, "protocol", protocol_names());
  return table;
}

std::vector<CollectiveType> read_collectives(const std::string& text, WorkloadContext& context) {
  std::vector<CollectiveType> types;
  std::vector<std::string> names;
  for (auto& [name, type] : collective_names())
    if (type != CollectiveType::barrier) names.push_back(name);
  std::size_t begin = 0;
  while ((begin = text.find_first_not_of(" ,", begin)) != std::string::npos) {
    std::size_t end = std::min(text.find_first_of(" ,", begin), text.size());
    std::string word = text.substr(begin, end - begin);
    auto it = std::find(names.begin(), names.end(), word);
    if (it == names.end())
      context.add_error(context.element, "collective", invalid_choice(word, names));
    else
      types.push_back(collective_names()[static_cast<std::size_t>(it - names.begin())].second);
    begin = end;
  }
  return types;
}

/// nccl-tests rounds a size down to whole elements a member, where members have equal parts; at least one
/// each.
std::int64_t rounded(std::int64_t bytes, CollectiveType type, std::int64_t element, std::int64_t members) {
  bool has_parts = type == CollectiveType::all_gather || type == CollectiveType::reduce_scatter ||
                   type == CollectiveType::all_to_all;
  std::int64_t unit = has_parts ? element * members : element;
  return std::max<std::int64_t>(1, bytes / unit) * unit;
}

void make_collective_benchmark(WorkloadContext& context) {
  BenchmarkSpec spec;
  std::size_t before = context.errors.size();
  benchmark_table(context.algorithms.names()).parse(context.element, spec, context.errors);
  auto types = read_collectives(spec.collective, context);
  GroupKindId group = require_group(context.element, spec.group, context);
  if (spec.from > spec.to)
    context.add_error(
        context.element, "to",
        fmt::format("{} is less than from = {}", format_value(spec.to), format_value(spec.from)));
  if (context.errors.size() > before) return;
  const GroupKind& kind = context.job.job().groups[group.value];
  std::uint32_t members = group_size(kind);
  if (spec.root >= members)
    return context.add_error(context.element, "root",
                             fmt::format("{} is not in a group of {}", spec.root, members));

  Program program;
  program.role = "collective";
  std::uint16_t stream = stream_of(program, "nccl");
  std::uint16_t dimension = context.job.dimension(spec.group);
  for (CollectiveType type : types) {
    std::int64_t last = 0;
    // Past `to` without leaving 64 bits.
    const std::int64_t to = spec.to.value, factor = spec.factor;
    for (std::int64_t size = spec.from.value; size <= to;
         size = size > to / factor ? to + 1 : size * factor) {
      Op op;
      op.kind = OpKind::collective;
      op.stream = stream;
      op.collective = type;
      op.algorithm = spec.algorithm;
      op.protocol = spec.protocol;
      op.dimension = dimension;
      op.group = group;
      op.element_bytes = static_cast<std::uint16_t>(spec.element);
      op.root = spec.root;
      op.bytes = rounded(size, type, spec.element, members);
      if (op.bytes == last) continue;
      last = op.bytes;
      op.name = context.job.name(fmt::format("{} {} B", nccl_tests_name(type), op.bytes));
      for (std::uint32_t i = 0; i < spec.warm_up + spec.repeats; ++i) append(program, op);
    }
  }
  std::uint32_t index = context.job.program(std::move(program));
  if (!kind.digits.empty()) {
    for (std::uint32_t gpu = 0; gpu < context.gpu_count; ++gpu) context.job.assign(gpu, index);
  } else {
    for (const auto& list : kind.listed)
      for (EndpointId gpu : list) context.job.assign(gpu.value, index);
  }
}

}  // namespace

std::shared_ptr<const WorkloadKind> collective_workload() {
  auto kind = workload_kind("collective", "nccl-tests: collectives of growing sizes, one after the other.",
                            make_collective_benchmark);
  kind->parameters = [](const AlgorithmRegistry& algorithms) {
    return benchmark_table(algorithms.names()).documentation();
  };
  kind->is_benchmark = true;
  return kind;
}

}  // namespace lightrail
