#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include "engine/base/error.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Share of a tree's rate that NCCL counts with at 64 B x 2^i, i = 0 ... 22, by protocol (LL, LL128, Simple):
/// NCCL v2.21.5-1 src/graph/tuning.cc, treeCorrectionFactor; the same in its later versions.
inline constexpr std::array<std::array<double, 23>, 3> tree_correction{
    {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}}};

/// ... of an all-reduce of `bytes`: 1 below 64 B and from 512 MiB.
[[nodiscard]] inline double tree_correction_of(Protocol protocol, std::int64_t bytes) {
  LIGHTRAIL_EXPECT(protocol != Protocol::auto_select);
  static_assert(Protocol::ll128 == Protocol{2} && Protocol::simple == Protocol{3});
  const auto row = static_cast<std::size_t>(protocol) - static_cast<std::size_t>(Protocol::ll);
  const auto unit = static_cast<std::uint64_t>(bytes) >> 6;
  const auto place = static_cast<std::size_t>(unit == 0 ? 64 : std::bit_width(unit) - 1);
  return place < tree_correction[row].size() ? tree_correction[row][place] : 1;
}

}  // namespace lightrail
