#include "app/cli/slow_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "engine/base/counted.hpp"
#include "fabrics/system/train_cap.hpp"
#include "workloads/collective/formula_detail.hpp"
#include "workloads/collective/group_plan.hpp"
#include "workloads/program/peer.hpp"
#include "workloads/program/program.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail {
namespace {

constexpr double links_near = 2;  // GPU - NVSwitch - GPU
constexpr double links_far = 6;   // GPU - NIC - leaf - spine - leaf - NIC - GPU
constexpr double longest_bytes =
    512 << 10;                           // of what a message is cut into before it is sent (NCCL's slices)
constexpr double events_a_second = 2e6;  // of one rank on a core of a server, in round figures
constexpr double worth_a_word_s = 120;

/// Payload [B].
struct Sent {
  double near = 0, far = 0;  ///< within a server, to others
};

Sent sent_in(const GroupPlan& plan, const GroupView& group, const Op& op) {
  const auto bytes = static_cast<double>(op.bytes);
  const std::uint32_t here = plan.server_of(plan.index_of(group.member(group.my_index)));
  if (op.kind == OpKind::send) {
    const bool is_near = plan.server_of(plan.index_of(peer_of(op, group))) == here;
    return {is_near ? bytes : 0, is_near ? 0 : bytes};
  }
  const double n = plan.ring_size(), members = plan.members_of(here);
  if (op.collective == CollectiveType::all_to_all)
    return {bytes * (members - 1) / n, bytes * (n - members) / n};
  const double sent = bytes * (n - 1) / n * (op.collective == CollectiveType::all_reduce ? 2 : 1);
  // Rings over servers, which leave each once: by one of its members.
  const double far = plan.ring_servers() > 1 ? sent / members : 0;
  return {members > 1 ? sent - far : 0, far};
}

Sent sent_by(const Model& model, EndpointId gpu, const Program& program) {
  const auto* groups = model.resource<GroupTable>();
  const auto* plans = model.resource<GroupPlans>();
  Sent all;
  for (const Op& op : program.ops) {
    if (is_io(op.kind)) all.far += static_cast<double>(op.bytes);
    if (op.kind != OpKind::send && op.kind != OpKind::collective) continue;
    const GroupView group = groups->group_of(op.group, gpu);
    if (group.size < 2) continue;
    const Sent more = sent_in(plans->of(op.group, gpu), group, op);
    all.near += more.near, all.far += more.far;
  }
  return all;
}

/// Of links that serialise, the smallest train in packets and its bytes.
struct Train {
  std::uint32_t packets = 0;
  double bytes = 0;
};
Train smallest_train(const Model& model, bool is_nvlink) {
  Train smallest;
  for (const LinkClass& one : model.link_classes) {
    if (one.rate.value == 0 || (one.medium == "nvlink") != is_nvlink) continue;
    if (smallest.packets > 0 && one.grain >= smallest.packets) continue;
    smallest = {one.grain, std::min(static_cast<double>(one.grain) * one.mtu_bytes, longest_bytes)};
  }
  return smallest;
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} seconds", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} minutes", seconds / 60);
  return seconds < 172'800 ? fmt::format("{:.0f} hours", seconds / 3600)
                           : fmt::format("{:.0f} days", seconds / 86'400);
}

double expected_seconds(const Model& model, int ranks) {
  return expected_trains(model) / events_a_second / ranks;
}

double expected_trains(const Model& model) {
  const auto* set = model.resource<ProgramSet>();
  if (!set || !model.resource<GroupPlans>() || model.resource<FormulaDetail>()) return 0;
  const double near = smallest_train(model, true).bytes, far = smallest_train(model, false).bytes;
  std::vector<std::optional<double>> of_program(set->programs.size());
  double trains = 0;
  for (std::uint32_t gpu = 0; gpu < set->program_of_gpu.size(); ++gpu) {
    const std::uint32_t program = set->program_of_gpu[gpu];
    if (!of_program[program]) {
      const Sent sent = sent_by(model, EndpointId{gpu}, set->programs[program]);
      of_program[program] =
          (near > 0 ? links_near * sent.near / near : 0) + (far > 0 ? links_far * sent.far / far : 0);
    }
    trains += *of_program[program] * set->iterations_of(set->programs[program]);
  }
  return trains;
}

std::vector<std::string> slowness_notes(const Model& model, const Partition& partition,
                                        const CommandLine& line) {
  const double events = expected_trains(model), seconds = expected_seconds(model, partition.ranks);
  if (seconds < worth_a_word_s || line.run.stop_at != time_never) return {};
  std::vector<std::string> notes{
      fmt::format("some {:.0e} events are ahead, about {} on {} (a guess; the progress line knows better)",
                  events, duration_text(seconds), counted(partition.ranks, "rank"))};
  if (line.run.engine == Engine::reference)
    notes.emplace_back(
        "the reference engine is there to check the other one, which is faster: --engine window");
  const std::uint32_t grain = smallest_train(model, false).packets;
  if (grain > 0 && grain <= 10 && !model.resource<TrainCap>())  // else a longer one would be cut
    notes.push_back(
        fmt::format("a train has {}; <network grain=\"16\"> has about {:.0f} times fewer events (docs/"
                    "grain.md has the cost in accuracy)",
                    counted(grain, "packet"), 16.0 / grain));
  if (partition.ranks > 1 && partition.lookahead < nanoseconds(100))
    notes.push_back(
        fmt::format("ranks meet every {} of simulated time, the latency of a link between them; "
                    "fewer ranks may be faster (--predict-ranks says)",
                    format_time(partition.lookahead)));
  if (partition.ranks == 1)
    notes.emplace_back(
        "more ranks give the same answer sooner: mpiexec -n N (--predict-ranks 2,4,8 says how much)");
  notes.emplace_back("--exit-after and --resume auto take it in parts, --stop-at ends it early");
  return notes;
}

}  // namespace lightrail
