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

/// How many of `copies` go to each of `experts` when every copy draws one, all alike: what a router with
/// random scores sends (Megatron Core's moe-router-force-load-balancing, but that a token's copies go to
/// different experts there, which makes the spread a little smaller). By seed, layer and sender.
[[nodiscard]] std::vector<std::int64_t> drawn_tokens(std::int64_t copies, std::uint32_t experts,
                                                     std::uint64_t seed, std::uint32_t layer,
                                                     std::uint32_t sender);

/// Index of the split matrix of a layer's all-to-all over `members`; 0 when all shares are equal. Every
/// sender spreads its tokens alike.
[[nodiscard]] std::uint16_t add_expert_split(const ExpertLoad& load, std::uint32_t members,
                                             std::uint32_t layer, JobBuilder& job);

}  // namespace lightrail
