#pragma once
#include <cstdint>
#include <vector>

#include "workloads/job/job.hpp"

namespace lightrail {

/// How the tokens of a mixture of experts spread over the members of an expert-parallel group.
struct ExpertLoad {
  enum class Kind : std::uint8_t { uniform, zipf };
  Kind kind = Kind::uniform;
  double exponent = 1;     ///< zipf: the k-th busiest member gets a share proportional to k^-exponent
  std::uint64_t seed = 1;  ///< zipf: which member is the k-th busiest, drawn anew for every layer
};

/// Zipf's shares of `count`, together 1: the k-th busiest has one in proportion to k^-exponent; who that is
/// is drawn anew for every layer.
[[nodiscard]] std::vector<double> zipf_shares(std::uint32_t count, double exponent, std::uint64_t seed,
                                              std::uint32_t layer);

/// Index of the split matrix of a layer's all-to-all over `members`; 0 when all shares are equal. Every
/// sender spreads its tokens alike.
[[nodiscard]] std::uint16_t add_expert_split(const ExpertLoad& load, std::uint32_t members,
                                             std::uint32_t layer, JobBuilder& job);

}  // namespace lightrail
