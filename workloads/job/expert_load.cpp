#include "workloads/job/expert_load.hpp"

#include <cmath>
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
