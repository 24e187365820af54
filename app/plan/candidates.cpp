#include "app/plan/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace lightrail {
namespace {

constexpr std::int64_t longest_uncut = 16'384;  ///< tokens: context parallelism is tried above
constexpr std::uint32_t most_chunks = 16, most_uneven_chunks = 8;  ///< of parts that are alike, of others
constexpr std::uint32_t most_micro_batch = 8, most_context = 32;

std::vector<std::uint32_t> powers_up_to(std::int64_t most) {
  std::vector<std::uint32_t> powers;
  for (std::uint32_t power = 1; power <= most; power *= 2) powers.push_back(power);
  return powers;
}

std::vector<std::uint32_t> divisors_up_to(std::uint32_t number, std::int64_t most) {
  std::vector<std::uint32_t> divisors;
  for (std::uint32_t divisor = 1; divisor <= std::min<std::int64_t>(number, most); ++divisor)
    if (number % divisor == 0) divisors.push_back(divisor);
  return divisors;
}

std::vector<std::uint32_t> context_ways(const PlanSpace& space) {
  if (space.sequence > longest_uncut) return powers_up_to(most_context);
  if (space.cp == 1) return {1};
  return {1, space.cp};
}

/// Of how a pipeline is run: chunks, schedule, FSDP.
struct PipelineWay {
  std::uint32_t chunks = 1;
  const char* schedule = "1f1b";
  bool is_sharded = false;
};

/// Powers of two, and what makes all parts equal, or all but the first and the last.
std::vector<std::uint32_t> chunk_ways(std::uint32_t pp, std::int64_t layers) {
  std::vector<std::uint32_t> ways;
  for (std::uint32_t chunks = 1; chunks <= std::min<std::int64_t>(most_chunks, layers / pp); ++chunks) {
    const bool is_power = (chunks & (chunks - 1)) == 0 && chunks <= most_uneven_chunks;
    const std::int64_t parts = std::int64_t{pp} * chunks;
    if (is_power || layers % parts == 0 || (layers + 2) % parts == 0) ways.push_back(chunks);
  }
  return ways;
}

std::vector<PipelineWay> pipeline_ways(std::uint32_t pp, std::int64_t layers) {
  if (pp == 1) return {{}, {1, "1f1b", true}};
  std::vector<PipelineWay> ways;
  for (const std::uint32_t chunks : chunk_ways(pp, layers)) ways.push_back({chunks});
  ways.push_back({1, "zb-h1"});
  ways.push_back({1, "dualpipe"});
  return ways;
}

/// Recomputation and its modules.
std::vector<std::pair<std::string, std::string>> recompute_ways(const PlanSpace& space) {
  std::vector<std::pair<std::string, std::string>> ways{
      {"none", "none"}, {"selective", "none"}, {"full", "none"}};
  const std::pair<std::string, std::string> own{space.recompute, space.modules};
  if (std::find(ways.begin(), ways.end(), own) == ways.end()) ways.push_back(own);
  return ways;
}

/// Expert parallelism, and tensor parallelism of experts: whole ones, or as the other layers.
std::vector<std::pair<std::uint32_t, std::uint32_t>> expert_ways(const PlanSpace& space, std::uint32_t tp) {
  if (space.experts == 0) return {{1, 0}};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ways;
  for (const std::uint32_t ep : powers_up_to(std::min<std::int64_t>(space.experts, space.gpus))) {
    if (space.experts % ep != 0) continue;
    ways.emplace_back(ep, 1);
    if (tp > 1) ways.emplace_back(ep, 0);
  }
  return ways;
}

}  // namespace

std::string even_layers(std::int64_t layers, std::int64_t parts) {
  if (layers % parts == 0) return "even";
  // The first part has the embedding, the last one the output layer.
  const std::int64_t fewer = layers / parts, longer = layers % parts;
  const std::int64_t before = (parts - longer + 1) / 2, after = parts - longer - before;
  std::string text;
  for (const auto& [count, each] :
       {std::pair(before, fewer), std::pair(longer, fewer + 1), std::pair(after, fewer)})
    if (count > 0) text += fmt::format("{}{}x{}", text.empty() ? "" : " ", count, each);
  return text;
}

std::vector<PlanAttributes> plan_candidates(const PlanSpace& space) {
  std::vector<PlanAttributes> plans;
  for (const std::uint32_t tp : powers_up_to(std::min(space.domain, space.gpus)))
    for (const std::uint32_t cp : context_ways(space))
      for (const std::uint32_t pp : divisors_up_to(space.gpus / (tp * cp), space.layers)) {
        if (space.gpus % (tp * cp * pp) != 0) continue;
        for (const auto& [ep, etp] : expert_ways(space, tp))
          for (const PipelineWay& way : pipeline_ways(pp, space.layers))
            for (const std::uint32_t micro_batch : powers_up_to(most_micro_batch))
              for (const auto& [recompute, modules] : recompute_ways(space))
                plans.push_back({{"tp", std::to_string(tp)},
                                 {"cp", std::to_string(cp)},
                                 {"pp", std::to_string(pp)},
                                 {"ep", std::to_string(ep)},
                                 {"etp", std::to_string(etp)},
                                 {"chunks", std::to_string(way.chunks)},
                                 {"stage-layers", even_layers(space.layers, pp * way.chunks)},
                                 {"schedule", way.schedule},
                                 {"shard-parameters", way.is_sharded ? "on" : "off"},
                                 {"micro-batch", std::to_string(micro_batch)},
                                 {"recompute", recompute},
                                 {"recompute-modules", modules}});
      }
  if (space.edges_count)
    for (PlanAttributes& plan : plans) plan.emplace_back("edges-count", "off");
  return plans;
}

PlanAttributes told(const PlanAttributes& plan) {
  PlanAttributes what;
  for (const auto& [name, value] : plan) {
    const bool is_size = name == "tp" || name == "pp" || name == "micro-batch" || name == "recompute";
    const bool is_usual = value == "1" || value == "0" || value == "off" || value == "even" ||
                          value == "none" || value == "1f1b";
    const bool is_said = is_size || name == "edges-count";
    if (name == "etp" ? value == "0" : is_usual && !is_said) continue;
    if (name == "etp" && plan[3].second == "1") continue;  // without expert parallelism
    what.emplace_back(name, value);
  }
  return what;
}

std::string plan_text(const PlanAttributes& plan) {
  std::string text;
  for (const auto& [name, value] : told(plan))
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name,
                        value.find(' ') == std::string::npos ? value : "\"" + value + "\"");
  return text;
}

}  // namespace lightrail
