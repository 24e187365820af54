#pragma once
#include <cstdint>
#include <vector>

namespace lightrail {

inline constexpr std::uint32_t no_partner = 0xffffffff;

/// A matching of largest weight in the graph of `n` vertices whose edges weigh weight[a * n + b] (symmetric,
/// 0: no edge): the partner of every vertex, or no_partner. Exact up to 16 vertices (over subsets), beyond
/// that the heaviest edges first, improved by exchanging pairs of edges as long as that gains.
[[nodiscard]] std::vector<std::uint32_t> maximum_weight_matching(std::uint32_t n,
                                                                 const std::vector<std::int64_t>& weight);

/// A permutation and the weight it carries.
struct Permutation {
  std::vector<std::uint32_t> to;
  std::int64_t weight = 0;
};

/// Adds to a non-negative matrix, diagonal first, until all its row and column sums are equal.
void fill_up(std::uint32_t n, std::vector<std::int64_t>& matrix);

/// Cuts a matrix with equal row and column sums into weighted permutations that add up to it
/// (Birkhoff-von-Neumann), heaviest first: each one is the permutation whose smallest entry is the largest in
/// what is left, and takes that entry everywhere. No more than `most` of them: what is left over is dropped.
[[nodiscard]] std::vector<Permutation> birkhoff(std::uint32_t n, std::vector<std::int64_t> matrix,
                                                std::size_t most = ~std::size_t{0});

}  // namespace lightrail
