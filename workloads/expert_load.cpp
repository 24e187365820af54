#include "workloads/expert_load.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/random.hpp"

namespace lightrail {

namespace {

constexpr std::uint32_t random_purpose = 0x45585054;  ///< tells these draws from all others

}  // namespace

std::uint16_t add_expert_split(const ExpertLoad& load, std::uint32_t members, std::uint32_t layer,
                               JobBuilder& job) {
  if (load.kind == ExpertLoad::Kind::uniform || members < 2) return 0;
  std::vector<std::uint32_t> order(members);
  std::iota(order.begin(), order.end(), 0);
  Random random(load.seed, ComponentId{layer}, random_purpose);
  for (std::uint32_t i = members; i-- > 1;)
    std::swap(order[i], order[static_cast<std::size_t>(random.below(i + 1))]);
  std::vector<double> share(members);
  double sum = 0;
  for (std::uint32_t k = 0; k < members; ++k) {
    share[order[k]] = std::pow(k + 1.0, -load.exponent);
    sum += share[order[k]];
  }
  SplitMatrix split;
  split.size = members;
  for (std::uint32_t from = 0; from < members; ++from)
    for (double s : share) split.share.push_back(s / sum);
  auto& all = job.job().programs.splits;
  if (all.size() > 0xffff)
    throw InputErrors(InputError{"", 0, "more than 65535 layers with their own expert load"});
  all.push_back(std::move(split));
  return static_cast<std::uint16_t>(all.size() - 1);
}

}  // namespace lightrail
