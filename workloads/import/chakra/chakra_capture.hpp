#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workloads/import/chakra/chakra_reader.hpp"
#include "workloads/import/exposed_time.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {

/// What a Chakra trace's nodes say of the time that they took where they were recorded. There is a capture
/// when all collectives of all ranks have a duration, and at least one has. Times of a GPU come from nodes
/// with a start; the step is the longest span of a rank, because nothing aligns the ranks' clocks.
class ChakraCapture {
 public:
  /// The next node of `rank`, in the order of the file; ranks follow one another. Of a collective: its
  /// members, type and size as its operation has it.
  void add(std::uint32_t rank, const ChakraNode& node, const Op& op,
           const std::vector<std::uint32_t>& members);
  [[nodiscard]] Capture finish();

 private:
  struct Collective {
    CollectiveType type = CollectiveType::none;
    std::int64_t bytes = 0, least_us = 0;
  };
  void end_rank();

  std::vector<Capture::Rank> ranks_;
  std::map<std::vector<std::uint32_t>, std::vector<Collective>> collectives_;  ///< by members, in order
  // of the rank at hand
  bool is_open_ = false;
  std::map<std::vector<std::uint32_t>, std::size_t> next_;
  Spans communication_, kernels_;
  Capture::Rank rank_;
  std::int64_t count_ = 0, communication_us_ = 0, kernels_us_ = 0;
  std::int64_t most_ = 0, untimed_ = 0;  ///< of all ranks
};

}  // namespace lightrail
