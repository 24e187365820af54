#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lightrail {

/// Which free GPUs a job gets that asks for a number of them. The job's GPU r is the r-th that it got.
enum class Placement : std::uint8_t {
  packed,         ///< the first free ones
  rail_aligned,   ///< whole servers that are free, the first ones: GPU r is on rail r modulo their size
  spread,         ///< server after server, of another leaf (with rails: pod) each time
  random,         ///< drawn one by one
  random_servers  ///< server after server, these drawn
};
[[nodiscard]] const std::vector<std::pair<std::string, Placement>>& placement_names();

/// The GPUs of a system and who has them.
struct GpuSlots {
  static constexpr std::uint32_t nobody = 0xffffffff;
  std::vector<std::uint32_t> server;  ///< by GPU; those of a server follow each other
  std::vector<std::uint32_t> leaf;    ///< by GPU: which of them are near each other, any numbers
  std::vector<std::uint32_t> job;     ///< by GPU: index of the job that has it, or nobody

  [[nodiscard]] std::uint32_t free_count() const;
};

/// Takes `count` free GPUs for job `job`; `gpus` are they, in the job's order. What is drawn depends on
/// `seed` and `job` alone. Returns "" or why there are not enough, and then takes none.
[[nodiscard]] std::string place_gpus(Placement placement, std::uint32_t count, std::uint32_t job,
                                     std::uint64_t seed, GpuSlots& slots, std::vector<std::uint32_t>& gpus);

}  // namespace lightrail
