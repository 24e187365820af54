#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/describe.hpp"
#include "workloads/generate/flows/flow_arrivals.hpp"
#include "workloads/generate/flows/flow_sizes.hpp"
#include "workloads/generate/flows/size_distribution.hpp"
#include "workloads/generate/workload_kinds.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {
namespace {

/// Of a pair at one time, each with a queue pair of its own.
constexpr std::uint32_t max_lanes_of_pair = max_send_lanes;
/// All flows of a job at most.
constexpr double most_flows = 20e6;

struct FlowsSpec {
  double load = 0.5;
  BitRate rate{};
  SimTime duration{};
  std::string gpus = "all";
};

Describe<FlowsSpec> flows_table() {
  using S = FlowsSpec;
  Describe<S> table;
  table.field("load", &S::load, "bytes of its flows, as a part of what a GPU's rate carries", 1e-6, 2.0)
      .required("rate", &S::rate, "of a GPU's line, which the load is a part of", BitRate{1'000},
                BitRate{1'000'000'000'000'000})
      .required("duration", &S::duration, "flows come up before then", nanoseconds(1),
                milliseconds(1'000'000))
      .field("gpus", &S::gpus, "which GPUs take part");
  return table;
}

/// Makes the programs of the GPUs: a stream of arrivals, and one for each flow that a GPU sends or receives,
/// so that none waits for another.
class FlowPrograms {
 public:
  FlowPrograms(WorkloadContext& context, const std::vector<std::uint32_t>& gpus)
      : context_(context), gpus_(gpus), programs_(gpus.size()) {
    world_ = context.job.find_group("world");
    dimension_ = context.job.dimension("flows");
    for (Program& program : programs_) program.streams = {"host arrivals"};
  }

  /// All that a GPU sends.
  void add(std::uint32_t from, const std::vector<FlowArrival>& flows) {
    at_ = SimTime{0};
    sent_.assign(gpus_.size(), 0);
    for (const FlowArrival& flow : flows) add(from, flow);
  }
  /// "" or which GPU has more flows than a program has streams.
  [[nodiscard]] std::string problem() const {
    for (std::size_t i = 0; i < programs_.size(); ++i)
      if (programs_[i].streams.size() > max_streams - 1)
        return fmt::format("gpu {} sends and receives more than {} flows", gpus_[i], max_streams - 2);
    return "";
  }
  void assign() {
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      programs_[i].role = fmt::format("flows of gpu {}", gpus_[i]);
      context_.job.assign(gpus_[i], context_.job.program(std::move(programs_[i])));
    }
    if (shares_lanes_)
      context_.job.note(
          fmt::format("some GPU sends another one more than {} flows: the next goes by the queue "
                      "pair of the first, behind it, and so on",
                      max_lanes_of_pair));
  }

 private:
  void add(std::uint32_t from, const FlowArrival& flow) {
    Program& sender = programs_[from];
    Op arrival;
    arrival.kind = OpKind::host;
    arrival.dimension = no_dimension;
    arrival.name = context_.job.name("arrival");
    arrival.duration = flow.at - at_;
    at_ = flow.at;
    const std::uint32_t come[] = {append(sender, arrival)};
    const std::uint32_t lane = lane_of(flow.to);
    append(sender, message(OpKind::send, from, flow.to, flow.bytes, lane), come);
    append(programs_[flow.to], message(OpKind::recv, flow.to, from, flow.bytes, lane));
  }
  Op message(OpKind kind, std::uint32_t self, std::uint32_t peer, std::int64_t bytes, std::uint32_t lane) {
    Program& program = programs_[self];
    program.streams.push_back(
        fmt::format("{} {}", kind == OpKind::send ? "send" : "recv", program.ops.size()));
    Op op;
    op.kind = kind;
    op.stream = static_cast<std::uint16_t>(program.streams.size() - 1);
    op.name = context_.job.name(fmt::format("flow {} {}", kind == OpKind::send ? "to" : "from", gpus_[peer]));
    op.dimension = dimension_;
    op.group = world_;
    op.element_bytes = 1;
    op.bytes = bytes;
    op.peer = static_cast<std::int32_t>(gpus_[peer]);
    op.root = lane;
    op.protocol = Protocol::bare;
    return op;
  }
  std::uint32_t lane_of(std::uint32_t to) {
    const std::uint32_t count = sent_[to]++;
    shares_lanes_ |= count >= max_lanes_of_pair;
    return count % max_lanes_of_pair;
  }

  WorkloadContext& context_;
  const std::vector<std::uint32_t>& gpus_;
  std::vector<Program> programs_;
  SimTime at_{};                     ///< of the last arrival, of the sender whose turn it is
  std::vector<std::uint32_t> sent_;  ///< its flows, by receiver
  bool shares_lanes_ = false;
  GroupKindId world_{};
  std::uint16_t dimension_ = 0;
};

void make_flows(WorkloadContext& context, const FlowsSpec& spec) {
  const std::size_t before = context.errors.size();
  std::vector<std::uint32_t> gpus;
  if (std::string problem = parse_gpu_list(spec.gpus, context.gpu_count, gpus); !problem.empty())
    context.add_error(context.element, "gpus", problem);
  else if (gpus.size() < 2)
    context.add_error(context.element, "gpus", "flows need two GPUs at least");
  const std::optional<SizeDistribution> sizes = read_flow_sizes(context);
  if (context.errors.size() > before) return;
  const FlowTraffic traffic{static_cast<std::uint32_t>(gpus.size()), spec.rate, spec.load, spec.duration};
  if (const double all = traffic.expected(*sizes) * static_cast<double>(gpus.size()); all > most_flows)
    return context.add_error(
        context.element, "duration",
        fmt::format("about {:.3g} flows would come up, more than {:.3g}", all, most_flows));
  FlowPrograms programs(context, gpus);
  for (std::uint32_t from = 0; from < gpus.size(); ++from) {
    programs.add(from, draw_flows(traffic, *sizes, from, context.seed));
    if (const std::string problem = programs.problem(); !problem.empty())
      return context.add_error(context.element, "duration", problem);
  }
  programs.assign();
}

}  // namespace

std::shared_ptr<const WorkloadKind> flows_workload() {
  auto kind = workload_kind(
      "flows", "Independent messages between random GPUs, as they come up; children: <flow-sizes>.", nullptr);
  bind_workload(*kind, flows_table(), make_flows);
  return kind;
}

}  // namespace lightrail
