#include "workloads/job/expert_load.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/random.hpp"

namespace lightrail {

namespace {

constexpr std::uint32_t random_purpose = 0x45585054;  ///< tells these draws from all others

}  // namespace

std::vector<double> zipf_shares(std::uint32_t count, double exponent, std::uint64_t seed,
                                std::uint32_t layer) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  Random random(seed, ComponentId{layer}, random_purpose);
  for (std::uint32_t i = count; i-- > 1;)
    std::swap(order[i], order[static_cast<std::size_t>(random.below(i + 1))]);
  std::vector<double> share(count);
  double sum = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    share[order[k]] = std::pow(k + 1.0, -exponent);
    sum += share[order[k]];
  }
  for (double& s : share) s /= sum;
  return share;
}

namespace {

/// Of `trials` of probability p; a normal draw, rounded, where that has many of both outcomes.
std::int64_t binomial(Random& random, std::int64_t trials, double p) {
  const double mean = static_cast<double>(trials) * p, variance = mean * (1 - p);
  constexpr double many = 30;
  if (variance >= many)
    return std::clamp<std::int64_t>(std::llround(random.normal(mean, std::sqrt(variance))), 0, trials);
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < trials; ++i) count += random.uniform() < p ? 1 : 0;
  return count;
}

}  // namespace

std::vector<std::int64_t> drawn_tokens(std::int64_t copies, std::uint32_t experts, std::uint64_t seed,
                                       std::uint32_t layer, std::uint32_t sender) {
  Random random(seed, ComponentId{layer}, random_purpose + 1 + sender);
  std::vector<std::int64_t> tokens(experts, 0);
  for (std::uint32_t e = 0; e + 1 < experts; ++e) {
    tokens[e] = binomial(random, copies, 1.0 / (experts - e));
    copies -= tokens[e];
  }
  tokens.back() = copies;
  return tokens;
}

std::uint16_t add_expert_split(const ExpertLoad& load, std::uint32_t members, std::uint32_t layer,
                               JobBuilder& job) {
  if (load.kind == ExpertLoad::Kind::uniform || members < 2) return 0;
  const std::vector<double> share = zipf_shares(members, load.exponent, load.seed, layer);
  SplitMatrix split;
  split.size = members;
  for (std::uint32_t from = 0; from < members; ++from)
    split.share.insert(split.share.end(), share.begin(), share.end());
  auto& all = job.job().programs.splits;
  if (all.size() > 0xffff)
    throw InputErrors(InputError{"", 0, "more than 65535 layers with their own expert load"});
  all.push_back(std::move(split));
  return static_cast<std::uint16_t>(all.size() - 1);
}

}  // namespace lightrail
