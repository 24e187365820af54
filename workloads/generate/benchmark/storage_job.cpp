#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/describe.hpp"
#include "workloads/generate/workload_kinds.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {

namespace {

enum class Access : std::uint8_t { read, write };

struct StorageJobSpec {
  Access operation = Access::read;
  Bytes size{};
  std::uint32_t requests = 1;
  std::string gpus = "all";
  StorageNetwork network = StorageNetwork::storage;
};

Describe<StorageJobSpec> storage_job_table() {
  Describe<StorageJobSpec> table;
  table.choice("operation", &StorageJobSpec::operation, "what every GPU does",
               std::vector<std::pair<std::string, Access>>{{"read", Access::read}, {"write", Access::write}});
  table
      .required("size", &StorageJobSpec::size, "bytes of one request", Bytes{1},
                Bytes{largest_operation_bytes})
      .field("requests", &StorageJobSpec::requests, "of each GPU, one after the other", 1u, 100'000u)
      .field("gpus", &StorageJobSpec::gpus, "which GPUs take part");
  describe_network(table, &StorageJobSpec::network);
  return table;
}

void make_storage_job(WorkloadContext& context) {
  StorageJobSpec spec;
  std::size_t before = context.errors.size();
  storage_job_table().parse(context.element, spec, context.errors);
  std::vector<std::uint32_t> gpus;
  if (std::string problem = parse_gpu_list(spec.gpus, context.gpu_count, gpus); !problem.empty())
    context.add_error(context.element, "gpus", problem);
  context.require_storage(context.element, "a storage workload", spec.network);
  if (context.errors.size() > before) return;
  // GPU g starts at server g modulo the servers and walks on: the load is even, and programs are one a
  // server.
  const std::uint32_t servers = context.storage_on(spec.network);
  const std::uint32_t others =
      spec.network == StorageNetwork::frontend ? context.storage_on(StorageNetwork::storage) : 0;
  std::vector<std::uint32_t> program_of(servers, 0xffffffff);
  bool is_read = spec.operation == Access::read;
  for (std::uint32_t gpu : gpus) {
    std::uint32_t first = gpu % servers;
    if (program_of[first] == 0xffffffff) {
      Program program;
      program.role = fmt::format("storage client of server {}", others + first);
      for (std::uint32_t i = 0; i < spec.requests; ++i) {
        Op op;
        op.kind = is_read ? OpKind::storage_read : OpKind::storage_write;
        op.stream = stream_of(program, "storage");
        op.name = context.job.name(is_read ? "storage read" : "storage write");
        op.dimension = context.job.dimension("storage");
        op.bytes = spec.size.value;
        op.peer = static_cast<std::int32_t>(others + (first + i) % servers);
        append(program, op);
      }
      program_of[first] = context.job.program(std::move(program));
    }
    context.job.assign(gpu, program_of[first]);
  }
}

}  // namespace

std::shared_ptr<const WorkloadKind> storage_workload() {
  auto kind =
      workload_kind("storage", "Every GPU reads or writes, one request after the other.", make_storage_job);
  kind->parameters = [](const AlgorithmRegistry&) { return storage_job_table().documentation(); };
  return kind;
}

}  // namespace lightrail
