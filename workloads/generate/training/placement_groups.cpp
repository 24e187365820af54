#include "workloads/generate/training/placement_groups.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/counted.hpp"

namespace lightrail {
namespace {

/// GPUs of the job by server, in the order in which it comes to them.
std::vector<std::vector<std::uint32_t>> by_server(const WorkloadContext& context) {
  std::map<std::uint32_t, std::size_t> place_of;  // by server
  std::vector<std::vector<std::uint32_t>> gpus;
  for (std::uint32_t gpu = 0; gpu < context.servers.size(); ++gpu) {
    const auto [known, is_new] = place_of.try_emplace(context.servers[gpu], gpus.size());
    if (is_new) gpus.emplace_back();
    gpus[known->second].push_back(gpu);
  }
  return gpus;
}

/// "" or why servers do not make groups.
std::string problem_of(const std::vector<std::vector<std::uint32_t>>& servers, const TrainingPlan& plan) {
  const std::uint32_t copies = plan.checkpoint->copies;
  if (servers.size() < copies || servers.size() % copies != 0)
    return fmt::format("the job has {}, which make no groups of {} (expected a multiple)",
                       counted(servers.size(), "server"), copies);
  for (std::size_t i = 0; i < servers.size(); ++i)
    if (servers[i].size() != servers[0].size())
      return fmt::format("the job has {} of one server and {} of another (expected as many of each)",
                         servers[0].size(), counted(servers[i].size(), "GPU"));
  for (std::size_t i = 0; i < servers.size(); ++i)
    for (std::size_t place = 0; place < servers[i].size(); ++place) {
      const std::uint32_t gpu = servers[i][place], first = servers[i - i % copies][place];
      if (gpu / plan.stage_gpus() != first / plan.stage_gpus())
        return fmt::format(
            "GPUs {} and {}, which would keep each other's state, are in stages {} and {} of the pipeline, "
            "which keep different ones (expected groups of {} that lie in one stage)",
            first, gpu, first / plan.stage_gpus(), gpu / plan.stage_gpus(), counted(copies, "server"));
    }
  return "";
}

}  // namespace

GroupKindId make_placement_groups(const TrainingPlan& plan, WorkloadContext& context) {
  if (!plan.checkpoint || !plan.checkpoint->is_to_peers()) return {};
  const Element& element = *context.element.child("checkpoint");
  const std::vector<std::vector<std::uint32_t>> servers = by_server(context);
  if (const std::string problem = problem_of(servers, plan); !problem.empty()) {
    context.errors.add(element.error_at("mode", "<checkpoint> mode 'peers': " + problem));
    return {};
  }
  if (context.job.find_group("peers").is_valid()) {
    context.errors.add(element.error("<groups> declares 'peers', which <checkpoint> makes itself"));
    return {};
  }
  GroupKind kind;
  kind.name = "peers";
  for (std::size_t first = 0; first < servers.size(); first += plan.checkpoint->copies)
    for (std::size_t place = 0; place < servers[first].size(); ++place) {
      std::vector<EndpointId>& members = kind.listed.emplace_back();
      for (std::size_t i = first; i < first + plan.checkpoint->copies; ++i)
        members.emplace_back(servers[i][place]);
    }
  return context.job.group(std::move(kind));
}

}  // namespace lightrail
