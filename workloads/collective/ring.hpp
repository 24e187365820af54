#pragma once
#include <cstdint>

#include "workloads/collective/nccl_settings.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Part `index` of `parts` of `bytes`, cut at whole elements: the parts differ by at most one element and add
/// up exactly. Bytes that are no whole number of elements are cut at bytes.
[[nodiscard]] std::int64_t part_bytes(std::int64_t bytes, std::uint32_t element_bytes, std::uint32_t parts,
                                      std::uint32_t index);

/// Steps of one member of a ring over n: 2(n-1) for all-reduce, n-1 for all-gather and reduce-scatter.
[[nodiscard]] std::uint32_t ring_steps(CollectiveType type, std::uint32_t n);

/// The block that the member at ring place `position` sends in `step`; it receives what the place before it
/// sends. In step s of an all-reduce and an all-gather place r sends block r - s, of a reduce-scatter block r
/// - 1 - s.
[[nodiscard]] std::uint32_t ring_block(CollectiveType type, std::uint32_t n, std::uint32_t position,
                                       std::uint32_t step);

/// What the member at ring place `position` sends in all steps: in n - 1 steps one after the other every
/// block but one.
[[nodiscard]] std::int64_t turn_bytes(CollectiveType type, std::int64_t bytes, std::uint32_t element_bytes,
                                      std::uint32_t n, std::uint32_t position);

/// Bytes of block `block` that travel on `channel`.
[[nodiscard]] std::int64_t block_bytes(std::int64_t bytes, std::uint32_t element_bytes, std::uint32_t n,
                                       std::uint32_t block, std::uint32_t channels, std::uint32_t channel);

}  // namespace lightrail
