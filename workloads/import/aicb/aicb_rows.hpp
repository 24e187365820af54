#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/program/program.hpp"

namespace lightrail {

/// Whose members a communication of an AICB or SimAI workload joins.
enum class AicbGroup : std::uint8_t { tp, dp, ep, dp_ep, world };

/// One of the three parts of a row.
struct AicbPart {
  std::int64_t compute_ns = 0;  ///< 1 stands for none
  CollectiveType collective = CollectiveType::none;
  AicbGroup group = AicbGroup::tp;
  std::int64_t bytes = 0;
  bool operator==(const AicbPart&) const = default;
};

/// A row: a layer, or a part of one.
struct AicbRow {
  std::string name;
  AicbPart forward, input_gradient, weight_gradient;
  std::int64_t update_ns = 0;
  bool operator==(const AicbRow&) const = default;
};

/// A SimAI / AICB simulation workload (workload.txt).
struct AicbWorkload {
  std::uint32_t tp = 1, ep = 1, pp = 1, chunks = 1, gpus = 0;
  std::int64_t micro_batches = 1, stage_bytes = 0;
  std::vector<AicbRow> kinds;       ///< different rows
  std::vector<std::uint32_t> rows;  ///< in order, as indices of kinds
  [[nodiscard]] const AicbRow& row(std::size_t i) const { return kinds[rows[i]]; }
};

/// Throws InputErrors with file and line. `gpus`: instead of what the file says; 0: it must.
[[nodiscard]] AicbWorkload read_aicb_workload(const std::string& path, std::uint32_t gpus);

}  // namespace lightrail
