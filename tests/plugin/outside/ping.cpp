#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "app/registry/registry.hpp"
#include "engine/model/describe.hpp"
#include "workloads/job/workload_kind.hpp"

namespace {

using namespace lightrail;

struct PingSpec {
  Bytes size{};
  std::uint32_t from = 0, to = 1;
};

/// One message from one GPU to another.
void make_job(WorkloadContext& context, const PingSpec& spec) {
  if (spec.from == spec.to) return context.add_error(context.element, "to", "is the sender itself");
  const GroupKindId world = require_group(context.element, "world", context);
  const auto add = [&](OpKind kind, const std::string& name, std::uint32_t gpu, std::uint32_t peer) {
    if (gpu >= context.gpu_count)
      return context.errors.add(
          context.element.error("<workload> kind 'ping': gpu " + std::to_string(gpu) + " does not exist"));
    Program program;
    program.role = name;
    Op op = make_op(kind, program, "ping", context.job, name);
    op.group = world;
    op.dimension = context.job.dimension("ping");
    op.bytes = spec.size.value;
    op.peer = static_cast<std::int32_t>(peer);
    append(program, op);
    context.job.assign(gpu, context.job.program(std::move(program)));
  };
  add(OpKind::send, "ping send", spec.from, spec.to);
  add(OpKind::recv, "ping receive", spec.to, spec.from);
}

}  // namespace

extern "C" void lightrail_plugin_register(lightrail::Registry& registry) {
  auto kind = workload_kind("ping", "One message between two GPUs.", nullptr);
  Describe<PingSpec> table;
  table.required("size", &PingSpec::size, "bytes of the message", Bytes{1}, Bytes{largest_operation_bytes})
      .field("from", &PingSpec::from, "the GPU that sends")
      .field("to", &PingSpec::to, "the GPU that receives");
  bind_workload(*kind, table, make_job);
  registry.workloads.add(kind);
}
